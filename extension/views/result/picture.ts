// The waterfall as a picture that stands alone: SVG text with its colours in it, and PNG drawn from that. Always light, as on
// paper.
import { middleCut } from "../../../cli/base/middle_cut.ts";
import { count, formatSize, formatTime } from "../../../cli/base/numbers.ts";
import { phases } from "../../figures/colours.ts";
import { html, Markup } from "../../figures/markup.ts";
import { hatchPatterns } from "../../figures/phase_shapes.ts";
import { type DrawnRequests, marksOf, waterfallSvg } from "../../figures/waterfall.ts";
import type { Profile } from "../../history/records.ts";
import { pageName } from "../words.ts";

/** Browsers draw no larger canvas. */
const largest_px = 16_000;

const style = `svg{background:#fff}text{font:12px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:#16191d}
.axis{fill:#565d66;font-size:11.5px}.mid{text-anchor:middle}.end{text-anchor:end}.grid{stroke:#d5d9de}.lane{font-weight:700}
.url,.conn{font-size:10.5px}.conn{fill:#565d66}.off{fill:#b3261e}.hit{fill:transparent}.hatch{stroke:#ffffffb0;stroke-width:1.2;fill:none}
.loadevent{stroke:#16191d;stroke-width:1.5}${phases.map(({ key, light }) => `.ph-${key}{fill:${light}}`).join("")}.awaited{fill-opacity:.3}`;

export function drawnProfile(profile: Profile): DrawnRequests {
  const { metrics, protocols, connections } = profile.log._trilane;
  const { entries } = profile.log;
  const bytes = protocols.reduce((sum, share) => sum + share.bytes, 0);
  const plt = metrics.plt_ms === null ? "no PLT" : `PLT ${formatTime(metrics.plt_ms)}`;
  const on = connections === null ? "" : ` on ${count(connections, "connection")}`;
  const aside = `${plt}, ${count(entries.length, "request")}${on}, ${formatSize(bytes)}`;
  return {
    label: middleCut(pageName(profile.log._trilane), 17),
    aside,
    entries,
    plt_ms: metrics.plt_ms,
    marks: marksOf(metrics),
  };
}

/** A whole SVG document. */
export function pictureSvg(profile: Profile): string {
  const patterns = hatchPatterns().text.replace(/^<svg[^>]*>|<\/svg>$/g, "");
  const inside = html`<title>${pageName(profile.log._trilane)}: ${profile.log._trilane.url}</title><style>${new Markup(style)}</style>${new Markup(patterns)}`;
  const svg = waterfallSvg([drawnProfile(profile)], html`xmlns="http://www.w3.org/2000/svg"`).text;
  return svg.replace(/^(<svg[^>]*>)/, (tag) => tag + inside.text);
}

/** The same as PNG, twice as fine where it is not too large for that. Rejects where the browser cannot draw it. */
export async function picturePng(svg: string): Promise<Blob> {
  const [, width = 0, height = 0] = (/ width="(\d+)" height="([\d.]+)"/.exec(svg) ?? []).map(Number);
  const fine = Math.min(2, largest_px / Math.max(width, height, 1));
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = new OffscreenCanvas(Math.ceil(width * fine), Math.ceil(height * fine));
    const context = canvas.getContext("2d");
    if (!context) throw new Error("the browser has no canvas to draw on");
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await canvas.convertToBlob({ type: "image/png" });
  } finally {
    URL.revokeObjectURL(address);
  }
}
