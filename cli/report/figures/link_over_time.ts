// What the link did while the loads shown above it ran, on the waterfalls' time axis: rate against capacity, the queue, packets
// dropped and lost. Draws what the shaper counted; counts nothing itself.

import { drawing, numbersAt, uprightGrid } from "../../../extension/figures/axes.ts";
import { laneClass } from "../../../extension/figures/colours.ts";
import { coordinate, html, type Markup } from "../../../extension/figures/markup.ts";
import type { Scale } from "../../../extension/figures/scale.ts";
import { axisLeft, axisRight, timeScale, width } from "../../../extension/figures/waterfall.ts";
import type { LoadFacts } from "../../../schemas/generated/page_load.ts";
import type { ShaperReport, ShaperTimeline } from "../../../schemas/generated/shaper_report.ts";
import { count, formatSize, formatTime } from "../../base/numbers.ts";
import { extremes } from "../../base/quantile.ts";
import { formatRate } from "../../registry/units.ts";
import { capacitySteps } from "./capacity_steps.ts";
import { savedFigure } from "./figure_file.ts";
import type { ShapedLoad } from "./link_facts.ts";
import { readingKey } from "./parts.ts";

// When a link's path moved, for figures over time: where the lines stand, and in words. Pure.

export interface MoveMark {
  readonly at_ms: number;
  readonly kind: NonNullable<ShaperReport["moves"]>["list"][number]["kind"];
}

/** Within 0 to `end_ms` from `zero_ns` on. */
function moveMarks({ moves }: Pick<ShaperReport, "moves">, zero_ns: number, end_ms: number): MoveMark[] {
  return (moves?.list ?? [])
    .map(({ at_ns, kind }) => ({ at_ms: (at_ns - zero_ns) / 1e6, kind }))
    .filter(({ at_ms }) => at_ms >= 0 && at_ms <= end_ms);
}

/** A line from top to bottom for each. */
function moveLines(marks: readonly MoveMark[], x: (time_ms: number) => number, top: number, bottom: number): string {
  return marks.map(({ at_ms }) => `M${coordinate(x(at_ms))} ${coordinate(top)}V${coordinate(bottom)}`).join("");
}

/** Beyond so many they are only counted. */
const mostTimes = 3;

/** `new ports at 1200 ms, 2200 ms`, `12 changes of address`, `another link at 3000 ms`: each kind that happened. */
function moveWords(marks: readonly MoveMark[]): string[] {
  const kinds = [
    ["port", "new ports", "changes of ports"],
    ["address", "new address", "changes of address"],
    ["switch", "another link", "switches"],
  ] as const;
  return kinds.flatMap(([kind, once, many]) => {
    const of = marks.filter((mark) => mark.kind === kind);
    if (of.length === 0) return [];
    if (of.length > mostTimes) return [`${of.length} ${many}`];
    return [`${once} at ${of.map(({ at_ms }) => formatTime(at_ms)).join(", ")}`];
  });
}

type Side = "down" | "up";

const rateHeight = 40;
const queueHeight = 26;
const marksHeight = 9;
const titleHeight = 20;
const gap = 12;
/** A bin shows a rate only where several packets fit in it: shorter ones are drawn together. */
const packetsInBin = 8;
const packet_bits = 1500 * 8;

interface Bin {
  readonly start_ms: number;
  readonly end_ms: number;
  readonly rate_bps: number;
  readonly queue_bytes: number;
  readonly dropped: number;
  readonly lost: number;
}

/** Times are since navigation start, `zero_ns`. */
export function binsOf({ start_ns, bin_ns, ...sides }: ShaperTimeline, side: Side, zero_ns: number): Bin[] {
  const { bytes_out, queue_peak_bytes, dropped_packets, lost_packets } = sides[side];
  return bytes_out.map((bytes, index) => ({
    start_ms: (start_ns + index * bin_ns - zero_ns) / 1e6,
    end_ms: (start_ns + (index + 1) * bin_ns - zero_ns) / 1e6,
    rate_bps: (bytes * 8e9) / bin_ns,
    queue_bytes: queue_peak_bytes[index] ?? 0,
    dropped: dropped_packets[index] ?? 0,
    lost: lost_packets[index] ?? 0,
  }));
}

function joined(bins: readonly Bin[]): Bin {
  const sum = (of: (bin: Bin) => number): number => bins.reduce((total, bin) => total + of(bin), 0);
  return {
    start_ms: bins[0]?.start_ms ?? 0,
    end_ms: bins.at(-1)?.end_ms ?? 0,
    rate_bps: sum((bin) => bin.rate_bps) / bins.length,
    queue_bytes: Math.max(...bins.map((bin) => bin.queue_bytes)),
    dropped: sum((bin) => bin.dropped),
    lost: sum((bin) => bin.lost),
  };
}

/** Those that are drawn: long enough for several packets, and within the axis. */
function drawnBins(bins: readonly Bin[], rate_bps: number | null, end_ms: number): Bin[] {
  const [first] = bins;
  if (!first) return [];
  const least_ms = rate_bps === null || rate_bps === 0 ? 0 : (packetsInBin * packet_bits * 1000) / rate_bps;
  const together = Math.max(1, Math.ceil(least_ms / (first.end_ms - first.start_ms)));
  const groups = Array.from({ length: Math.ceil(bins.length / together) }, (_, index) =>
    joined(bins.slice(index * together, (index + 1) * together)),
  );
  return groups.filter((bin) => bin.end_ms > 0 && bin.start_ms < end_ms);
}

const capacityAt = (steps: readonly (readonly [number, number])[], time_ms: number): number =>
  (steps.findLast(([at_ms]) => at_ms <= time_ms) ?? steps[0])?.[1] ?? 0;

/** An area with a step wherever the value is another. */
function area(
  bins: readonly Bin[],
  value: (bin: Bin) => number,
  x: (time_ms: number) => number,
  y: (value: number) => number,
): string {
  const [first, last] = [bins[0], bins.at(-1)];
  if (!first || !last) return "";
  const ground = coordinate(y(0));
  let path = `M${coordinate(x(first.start_ms))} ${ground}`;
  let level = ground;
  for (const bin of bins) {
    const next = coordinate(y(value(bin)));
    if (next !== level) path += `H${coordinate(x(bin.start_ms))}V${next}`;
    level = next;
  }
  return `${path}H${coordinate(x(last.end_ms))}V${ground}z`;
}

interface Strip {
  readonly lane: string;
  readonly side: Side;
  readonly bins: readonly Bin[];
  readonly capacity: readonly (readonly [number, number])[] | null;
  readonly mean_bps: number | null;
  readonly moves: readonly MoveMark[];
}

function marks(bins: readonly Bin[], of: (bin: Bin) => number, x: (time_ms: number) => number, y: number): string {
  return bins
    .filter((bin) => of(bin) > 0)
    .map((bin) => `M${coordinate(x((bin.start_ms + bin.end_ms) / 2))} ${coordinate(y)}v${marksHeight - 2}`)
    .join("");
}

/** How long what waited takes to be sent, ms; where the rate is not known at each time, its bytes. */
function waitOf({ capacity }: Strip): (bin: Bin) => number {
  if (!capacity) return (bin) => bin.queue_bytes;
  return (bin) => (bin.queue_bytes * 8000) / (capacityAt(capacity, bin.start_ms) || 1);
}

/** `scaleQueue`: where the queue's axis ends, the same for all strips of its unit. */
function stripMarkup(strip: Strip, scale: Scale, scaleQueue: number, top: number): Markup {
  const { lane, side, bins, capacity, mean_bps, moves } = strip;
  const x = (time_ms: number): number => Math.max(axisLeft, Math.min(axisRight, scale.at(time_ms)));
  const rateTop = top + titleHeight;
  const rateBottom = rateTop + rateHeight;
  const queueBottom = rateBottom + 4 + queueHeight;
  const rates = [
    ...bins.map((bin) => bin.rate_bps),
    ...(capacity ?? []).map(([, rate_bps]) => rate_bps),
    mean_bps ?? 0,
  ];
  const most_bps = extremes(rates)?.greatest || 1;
  // Shown is what the link carries, if that is known: a bin may hold a packet more.
  const shown_bps = capacity ? (extremes(capacity.map(([, rate_bps]) => rate_bps))?.greatest ?? most_bps) : most_bps;
  const rateY = (rate_bps: number): number => rateBottom - (rate_bps / most_bps) * rateHeight;
  const wait = waitOf(strip);
  const mostQueue = Math.max(...bins.map(wait));
  const queueY = (value: number): number => queueBottom - (scaleQueue > 0 ? value / scaleQueue : 0) * queueHeight;
  const queueText = (value: number): string => (capacity ? formatTime(value) : formatSize(value));
  const total = (of: (bin: Bin) => number): number => bins.reduce((sum, bin) => sum + of(bin), 0);
  const [dropped, lost] = [total((bin) => bin.dropped), total((bin) => bin.lost)];
  const notes = [
    `queue at most ${queueText(mostQueue)}`,
    dropped > 0 && `${count(dropped, "packet")} dropped`,
    lost > 0 && `${lost} lost`,
    ...moveWords(moves),
  ].filter(Boolean);
  const limit = capacity
    ? capacity
        .map(([at_ms], index) => {
          const [from, to] = [Math.max(0, at_ms), capacity[index + 1]?.[0] ?? scale.high];
          const y = rateY(capacity[index]?.[1] ?? 0).toFixed(1);
          return to <= 0 ? "" : `M${x(from).toFixed(1)} ${y}H${x(to).toFixed(1)}`;
        })
        .join("")
    : mean_bps === null
      ? ""
      : `M${axisLeft} ${rateY(mean_bps).toFixed(1)}H${axisRight}`;
  const grid = uprightGrid(scale, rateTop, queueBottom, { numbers: null });
  const moved = moveLines(moves, x, rateTop - 4, queueBottom);
  const drops = marks(bins, (bin) => bin.dropped, x, queueBottom + 2);
  const losses = marks(bins, (bin) => bin.lost, x, queueBottom + 2);
  return html`<g class="${laneClass(lane)}"><text class="lane" x="0" y="${top + 14}">${lane} ${side}</text><text class="axis" x="122" y="${top + 14}">${notes.join(", ")}</text>${grid}<text class="axis end" x="${axisLeft - 6}" y="${Math.min(rateY(shown_bps) + 9, rateBottom - 13)}">${formatRate(shown_bps)}</text><text class="axis end" x="${axisLeft - 6}" y="${rateBottom}">rate</text><text class="axis end" x="${axisLeft - 6}" y="${queueBottom}">queue</text><path class="rate" d="${area(bins, (bin) => bin.rate_bps, x, rateY)}"/>${limit && html`<path class="capacity" d="${limit}"/>`}<path class="queued" d="${area(bins, wait, x, queueY)}"/>${moved && html`<path class="moved" d="${moved}"/>`}${drops && html`<path class="drops" d="${drops}"/>`}${losses && html`<path class="losses" d="${losses}"/>`}</g>`;
}

const heightOf = titleHeight + rateHeight + 4 + queueHeight + marksHeight + gap;

/** Up is drawn where something happened there: half of its rate was used, or packets did not get through. */
const isEventful = ({ bins, mean_bps }: Strip): boolean =>
  bins.some((bin) => bin.dropped > 0 || bin.lost > 0 || (mean_bps !== null && bin.rate_bps > mean_bps / 2));

function stripsOf(lane: string, facts: LoadFacts, end_ms: number): Strip[] {
  const { shaper, navigation_start_ns } = facts;
  const timeline = shaper?.timeline;
  if (!shaper || !timeline || navigation_start_ns === null) return [];
  return (["down", "up"] as const)
    .map((side): Strip => {
      const direction = shaper.link[side];
      const bins = drawnBins(binsOf(timeline, side, navigation_start_ns), direction.rate_bps, end_ms);
      const capacity = capacitySteps(shaper.link, side, (shaper.start_ns - navigation_start_ns) / 1e6);
      const moves = moveMarks(shaper, navigation_start_ns, end_ms);
      return { lane, side, bins, capacity, mean_bps: direction.rate_bps, moves };
    })
    .filter((strip) => strip.bins.length > 0 && (strip.side === "down" || isEventful(strip)));
}

function csvRows({ id, lane, facts: { shaper, navigation_start_ns } }: ShapedLoad): (string | number)[][] {
  const timeline = shaper?.timeline;
  if (!timeline || navigation_start_ns === null) return [];
  return (["down", "up"] as const).flatMap((side) =>
    binsOf(timeline, side, navigation_start_ns).map((bin) => [
      ...[lane, id, side, bin.start_ms, bin.end_ms, bin.rate_bps, bin.queue_bytes, bin.dropped, bin.lost],
    ]),
  );
}

/** Null where no load shown was measured by a version that kept it. `scale`: the waterfalls' axis. `isExplained`: with how to read it. */
export function linkOverTime(
  name: string,
  loads: readonly ShapedLoad[],
  scale: Scale,
  isExplained = true,
): Markup | null {
  const strips = loads.flatMap(({ lane, facts }) => stripsOf(lane, facts, scale.high));
  if (strips.length === 0) return null;
  // What is in one unit has one scale.
  const scaleQueue = ({ capacity }: Strip): number =>
    Math.max(
      ...strips
        .filter((each) => (each.capacity === null) === (capacity === null))
        .flatMap((each) => each.bins.map(waitOf(each))),
    );
  const bottom = strips.length * heightOf + 4;
  const label = `What the link did while ${name} loaded: ${strips.map(({ lane, side }) => `${lane} ${side}`).join(", ")}`;
  const drawn = drawing(
    { look: "wide", label, width, height: bottom + 28, attributes: timeScale(scale) },
    html`${strips.map((strip, index) => stripMarkup(strip, scale, scaleQueue(strip), index * heightOf))}${numbersAt(scale, bottom + 10)}<text class="axis end" x="${axisRight}" y="${bottom + 24}">ms since navigation start</text>`,
  );
  const figure = html`<figure class="overtime">${drawn}<figcaption>The link during these loads (n = ${String(loads.length)})${isExplained && ", on the waterfalls’ axis: rate below the capacity (line), queue, packets dropped (solid) and lost (dashed)"}${strips.some(({ moves }) => moves.length > 0) ? ". Upright line: the path moved" : ""}.</figcaption>${isExplained && readingKey(`Upper area: the rate at which bytes reached the receiver, under what the link carries${strips.some(({ capacity, mean_bps }) => !capacity && mean_bps !== null) ? " (of a trace its mean)" : ""}. Lower area: the most that waited for the link${strips.some(({ capacity }) => capacity) ? ", as the time it takes to send" : ""}, on one scale. Bytes arrive the link’s one-way delay after they left the queue. Up is drawn only where packets did not get through or half of its rate was used.`)}</figure>`;
  return savedFigure(figure, {
    name: ["link-over-time", name],
    columns: [
      ...["lane", "load_id", "direction", "start_ms", "end_ms"],
      ...["rate_bps", "queue_peak_bytes", "dropped_packets", "lost_packets"],
    ],
    rows: loads.flatMap(csvRows),
  });
}
