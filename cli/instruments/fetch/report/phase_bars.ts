// Where the time of fetches went, as readers of `curl -w` and of browsers' tools know it: DNS, connect, TLS, first byte, download, one
// stacked bar for each thing that was fetched over. Draws medians of the parts; what counts as one is units.ts's.
import { drawing, uprightGrid } from "../../../../extension/figures/axes.ts";
import type { PhaseKey } from "../../../../extension/figures/colours.ts";
import { coordinate, html, type Markup } from "../../../../extension/figures/markup.ts";
import { hatched } from "../../../../extension/figures/phase_shapes.ts";
import { scaleFromZero } from "../../../../extension/figures/scale.ts";
import { formatTime, sentenceTime } from "../../../base/numbers.ts";
import { median } from "../../../base/quantile.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { unitFor, unitValues } from "../answer/quantity_summary.ts";
import { type Fetched, isQuic } from "../metrics/fetched.ts";
import type { SummaryRow } from "./summary_table.ts";

const width = 720;
const left = 190; // after the longest name
const right = width - 70; // before the sum
const [top, rowHeight, barHeight] = [40, 30, 20] as const;
/** Narrower parts have no room for their time. */
const leastForText = 48;
const mostRows = 24;

const parts = [
  { key: "dns", name: "DNS" },
  { key: "connect", name: "connect" },
  { key: "ssl", name: "TLS" },
  { key: "wait", name: "first byte" },
  { key: "receive", name: "download" },
] as const satisfies readonly { readonly key: PhaseKey; readonly name: string }[];

type Part = (typeof parts)[number]["key"];

/** From the name's resolution to the last byte, without gaps; null: a time is missing. */
export function partsOf({ record, lane }: Pick<Fetched, "record" | "lane">): Readonly<Record<Part, number>> | null {
  const { dns_ms, connect_ms, established_ms, first_byte_ms, download_ms, error } = record;
  if (error !== null || established_ms === null || first_byte_ms === null || download_ms === null) return null;
  // QUIC has TLS in its own handshake; early data is sent before a handshake is done.
  const connect = isQuic(lane) ? established_ms : Math.min(connect_ms ?? established_ms, established_ms);
  return {
    dns: dns_ms ?? 0,
    connect,
    ssl: established_ms - connect,
    wait: Math.max(0, first_byte_ms - established_ms),
    receive: Math.max(0, download_ms - first_byte_ms),
  };
}

interface Bar {
  readonly name: string;
  readonly fetches: number;
  readonly medians: Readonly<Record<Part, number>>;
}

function barOf({ names, fetched }: SummaryRow): Bar | null {
  const whole = fetched.filter((each) => partsOf(each) !== null);
  if (whole.length === 0) return null;
  const unit = unitFor(whole, { of: "object" });
  const medianOf = (part: Part): number =>
    median(unitValues(whole, { value: (each) => partsOf(each)?.[part] ?? null }, unit).values);
  const medians = Object.fromEntries(parts.map(({ key }) => [key, medianOf(key)])) as Record<Part, number>;
  return { name: names.join(", "), fetches: whole.length, medians };
}

const sumOf = ({ medians }: Bar): number => parts.reduce((sum, { key }) => sum + medians[key], 0);

/** In the order of the bars' parts, above them. */
function legendMarkup(shown: readonly (typeof parts)[number][]): Markup {
  return html`${shown.map(({ key, name }, index) => {
    const x = left + index * 92;
    const box = (fill: Markup): Markup => html`<rect ${fill} x="${x}" y="4" width="16" height="12"/>`;
    return html`${box(html`class="ph-${key}"`)}${hatched.has(key) && box(html`fill="url(#hatch-${key})"`)}<text class="axis" x="${x + 21}" y="14">${name}</text>`;
  })}`;
}

/** Null: no fetch came. */
export function phaseBars(rows: readonly SummaryRow[]): Markup | null {
  const bars = rows.map(barOf).filter((bar) => bar !== null);
  if (bars.length === 0) return null;
  const drawn = bars.slice(0, mostRows);
  const shown = parts.filter(({ key }) => drawn.some(({ medians }) => medians[key] > 0));
  const scale = scaleFromZero(Math.max(...drawn.map(sumOf)), left, right, 8);
  const markup = drawn.map((bar, row) => {
    const y = top + row * rowHeight;
    let at_ms = 0;
    const boxes = shown.map(({ key, name }) => {
      const [from, to] = [scale.at(at_ms), scale.at(at_ms + bar.medians[key])];
      at_ms += bar.medians[key];
      const box = (fill: Markup): Markup =>
        html`<rect ${fill} x="${coordinate(from)}" y="${y}" width="${coordinate(to - from)}" height="${barHeight}"/>`;
      const text =
        to - from >= leastForText &&
        html`<text class="inbar mid" x="${coordinate((from + to) / 2)}" y="${y + 14}">${sentenceTime(bar.medians[key])}</text>`;
      return html`<g><title>${bar.name}, ${name}: ${formatTime(bar.medians[key])}</title>${box(html`class="ph-${key}"`)}${hatched.has(key) && box(html`fill="url(#hatch-${key})"`)}${text}</g>`;
    });
    return html`<g><text class="axis end" x="${left - 8}" y="${y + 14}">${bar.name}</text>${boxes}<text class="axis" x="${coordinate(scale.at(at_ms) + 6)}" y="${y + 14}">${sentenceTime(sumOf(bar))}</text></g>`;
  });
  const bottom = top + drawn.length * rowHeight;
  const grid = uprightGrid(scale, top - 6, bottom, { numbers: 14 });
  const label = `Parts of a fetch, medians: ${drawn.map((bar) => `${bar.name} ${shown.map(({ key, name }) => `${name} ${formatTime(bar.medians[key])}`).join(", ")}`).join("; ")}`;
  const left_out = bars.length - drawn.length;
  const plot = drawing(
    { look: "plot effects", label, width, height: bottom + 32 },
    html`${legendMarkup(shown)}${grid}${markup}<text class="axis end" x="${right}" y="${bottom + 29}">ms</text>`,
  );
  const figure = html`<figure class="why">${plot}<figcaption>Medians of each part of a fetch; QUIC’s connect has TLS in it.${left_out > 0 && ` The first ${mostRows} of ${bars.length}; all are in the CSV.`}</figcaption></figure>`;
  return savedFigure(figure, {
    name: ["parts-of-a-fetch"],
    columns: ["over", "fetches", ...parts.map(({ name }) => `${name.replace(" ", "_")}_ms`)],
    rows: bars.map(({ name, fetches, medians }) => [name, fetches, ...parts.map(({ key }) => medians[key])]),
  });
}
