// Why one lane was faster, as a picture: the critical paths of two lanes as stacked bars under one axis, and below them what each part
// differs by, coloured as improvements are. Draws given numbers.
import { drawing, uprightGrid } from "../../../extension/figures/axes.ts";
import { stepClass } from "../../../extension/figures/colours.ts";
import { coordinate, html, type Markup } from "../../../extension/figures/markup.ts";
import { scaleFromZero } from "../../../extension/figures/scale.ts";
import { laneName } from "../../base/lanes.ts";
import { formatTime, sentenceTime } from "../../base/numbers.ts";
import { type PathPart, pathParts } from "../../load/metrics/path_evidence.ts";
import type { MeanPaths } from "../../results/answer/answer.ts";
import type { LanePair } from "../../results/verdict/sample.ts";
import { savedFigure } from "./figure_file.ts";
import { readingKey } from "./parts.ts";

const width = 720;
const left = 190; // after the longest name of a part
const right = width - 20;
const barHeight = 22;
const rowHeight = 30;
const top = 24;
const differenceHeight = 18;
/** Half of the improvement's scale: strong, with dark text never on it. */
const step = 6;
/** Narrower segments have no room for their time. */
const leastForText = 52;

const parts: Readonly<Record<PathPart, { readonly name: string; readonly look: string }>> = {
  setup_ms: { name: "connecting", look: "ph-connect" },
  queued_ms: { name: "waiting for a connection", look: "ph-blocked" },
  roundTrips_ms: { name: "round trips", look: "ph-wait" },
  linkQueue_ms: { name: "the link’s queue", look: "ph-ssl" },
  responses_ms: { name: "responses, with losses", look: "ph-receive" },
  computation_ms: { name: "no request", look: "ph-send" },
};

/** Differences below this share of the load time are not listed. */
const leastShare = 0.005;

export function whyFigure({ lane, over }: LanePair, paths: MeanPaths, name: string): Markup {
  const both = [
    { lane: over, of: paths.over },
    { lane, of: paths.lane },
  ];
  const longest = Math.max(...both.map(({ of }) => of.plt_ms));
  const scale = scaleFromZero(longest, left, right, 8);
  const shown = pathParts.filter((part) => both.some(({ of }) => of[part] >= 0.5));
  const bars = both.map(({ lane: label, of }, row) => {
    const y = top + row * rowHeight;
    let at_ms = 0;
    const segments = shown.map((part) => {
      const [from, to] = [scale.at(at_ms), scale.at(at_ms + Math.max(0, of[part]))];
      at_ms += Math.max(0, of[part]);
      const { name: title, look } = parts[part];
      const text =
        to - from >= leastForText &&
        html`<text class="inbar mid" x="${coordinate((from + to) / 2)}" y="${y + 15}">${sentenceTime(of[part])}</text>`;
      return html`<g><title>${label}, ${title}: ${formatTime(of[part])}</title><rect class="${look}" x="${coordinate(from)}" y="${y}" width="${coordinate(to - from)}" height="${barHeight}"/>${text}</g>`;
    });
    return html`<g><text class="axis end" x="${left - 8}" y="${y + 15}">${laneName(label)}</text>${segments}</g>`;
  });
  const barsEnd = top + both.length * rowHeight;
  const difference = (part: PathPart): number => paths.over[part] - paths.lane[part];
  const listed = shown.filter((part) => Math.abs(difference(part)) >= leastShare * longest);
  const most = Math.max(...listed.map((part) => Math.abs(difference(part))), 1);
  const middle = (left + right) / 2;
  const reach = (right - left) / 2 - 70;
  const from = barsEnd + 44;
  // All of them: the list is the bars' legend.
  const rows = shown.map((part, index) => {
    const y = from + index * differenceHeight;
    const saved = difference(part);
    const length = (Math.abs(saved) / most) * reach;
    const isSaved = saved > 0;
    const { name: title, look } = parts[part];
    const head = html`<rect class="${look}" x="${left - 18}" y="${y + 1}" width="10" height="10"/><text class="axis end" x="${left - 24}" y="${y + 11}">${title}</text>`;
    if (!listed.includes(part))
      return html`<g>${head}<text class="axis mid" x="${middle}" y="${y + 11}">as long</text></g>`;
    return html`<g>${head}<rect class="${stepClass(isSaved ? step : -step)}" x="${coordinate(isSaved ? middle - length : middle)}" y="${y}" width="${coordinate(Math.max(1, length))}" height="13"/><text class="${isSaved ? "axis end" : "axis"}" x="${coordinate(isSaved ? middle - length - 6 : middle + length + 6)}" y="${y + 11}">${sentenceTime(Math.abs(saved))} ${isSaved ? "less" : "more"}</text></g>`;
  });
  const height = from + shown.length * differenceHeight + 10;
  const grid = uprightGrid(scale, top - 4, barsEnd, { numbers: 10 });
  const ticks = shown.flatMap((part, index) => (listed.includes(part) ? [from + index * differenceHeight] : []));
  const zero = html`${ticks.map((y) => html`<line class="zero" x1="${middle}" x2="${middle}" y1="${y - 3}" y2="${y + 16}"/>`)}`;
  const head = html`<text class="axis mid" x="${middle}" y="${from - 10}">${laneName(lane)} against ${laneName(over)}: less to the left, more to the right</text>`;
  const means =
    paths.cells > 1 ? ` Means over the ${paths.cells} combinations of page and link; the answer has the median.` : "";
  const label = `Critical paths of ${laneName(over)} and ${laneName(lane)}, and what they differ by: ${listed.map((part) => `${parts[part].name} ${sentenceTime(Math.abs(difference(part)))} ${difference(part) > 0 ? "less" : "more"}`).join(", ")}`;
  const drawn = drawing(
    { look: "plot effects", label, width, height },
    html`${grid}${bars}<text class="axis end" x="${right}" y="${barsEnd + 22}">ms</text>${head}${zero}${rows}`,
  );
  const figure = html`<figure class="why">${drawn}<figcaption>What the loads nearest each lane’s median waited for, and what ${laneName(lane)} spends less (blue) or more (orange).${means}</figcaption>${readingKey("Along the critical path, from the load event back to the navigation. Connecting: names, TCP or QUIC, TLS. Round trips: one for each request on the path. Responses: until the last byte that was waited for, losses repaired among it. No request: parsing, scripts, layout, timers.")}</figure>`;
  return savedFigure(figure, {
    name: ["why", name],
    columns: ["part", `${lane}_ms`, `${over}_ms`],
    rows: pathParts.map(
      (part) => [part.replace(/_ms$/, ""), paths.lane[part], paths.over[part]] satisfies [string, ...number[]],
    ),
  });
}
