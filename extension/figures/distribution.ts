// Every load a dot, lane by lane, with median and interval: of one page on one link by time, of several relative to one lane's median.
// Between the flags of the two lanes that the answer compares stands what one gains. Draws given numbers.

import type { Interval } from "../../cli/base/interval.ts";
import { count, formatMedian, formatTimeRange } from "../../cli/base/numbers.ts";
import { drawing, uprightGrid } from "./axes.ts";
import { laneClass } from "./colours.ts";
import { coordinate, html, type Markup } from "./markup.ts";
import { roundScale } from "./scale.ts";

interface PlottedLoad {
  /** ms, or % of the median of `Drawn.relativeTo`. */
  readonly value: number;
  /** Others are drawn as crosses: they are in no median. */
  readonly valid: boolean;
  /** For who points at it, if there are few dots. */
  readonly story: string;
}

export interface PlottedLane {
  readonly lane: string;
  /** Its colour. Default: the lane's. */
  readonly className?: string;
  readonly median: number | null;
  /** So many loads timed out that it is only known to be longer. */
  readonly isAtLeast: boolean;
  /** 95 %. */
  readonly interval: Interval | null;
  /** Valid loads. */
  readonly valid: number;
  readonly timed_out: number;
  /** Standard deviation over mean; null: unknown, or of loads that have no common mean. */
  readonly variation: number | null;
  /** Those that have a value and did not time out, in the order of their running. */
  readonly loads: readonly PlottedLoad[];
}

/** What the answer compares, drawn between the two lanes' medians. */
export interface Gain {
  readonly lane: string;
  readonly over: string;
  /** `−59 ms (9 %)` */
  readonly text: string;
  /** Whether a difference is shown; others are drawn in grey. */
  readonly isShown: boolean;
}

export interface Drawn {
  /** Loads that do not count, with a value or without. */
  readonly left: number;
  /** That have a value. Default: those of the lanes; else these are an even selection of so many. */
  readonly timed?: number;
  /** What the values are. */
  readonly metric?: { readonly title: string; readonly noun: string };
  /** The lane whose median on the same page and link is 100 %. Missing: values are ms. */
  readonly relativeTo?: string;
  readonly gain?: Gain | null;
  /** With what its marks mean; default: yes. */
  readonly isExplained?: boolean;
  /** Whether what other programs added was taken off the values. */
  readonly isCalmed?: boolean;
  /** What the dots are. Default: loads of a page, by lane. */
  readonly words?: { readonly attempt: string; readonly by: string };
}

const width = 960;
const labelWidth = 104; // the longest lane name
const rightWidth = 250;
const rowHeight = 40;

/** Each dot of more would take a browser longer than all else of a report, and no one could point at it. */
const mostNoted = 600;
const radius = 3.5;

/** Dots, and crosses of loads that do not count: each with its note, or all of a lane in two paths. `at`: where a load stands. */
function loadMarks(
  loads: readonly PlottedLoad[],
  isNoted: boolean,
  at: (value: number, index: number) => [number, number],
): Markup {
  const placed = loads.map((load, index) => ({ ...load, place: at(load.value, index) }));
  const crossAt = ([x, y]: [number, number]): string => `M${coordinate(x - 3)} ${coordinate(y - 3)}l6 6m0 -6l-6 6`;
  // One arc all round but for a tenth of a pixel, where it closes: there are thousands.
  const dotAt = ([x, y]: [number, number]): string =>
    `M${coordinate(x)} ${coordinate(y - radius)}a${radius} ${radius} 0 1 1 -.1 0z`;
  if (isNoted)
    return html`${placed.map(({ place, valid, story }) =>
      valid
        ? html`<circle class="dot" cx="${place[0]}" cy="${place[1]}" r="${radius}"><title>${story}</title></circle>`
        : html`<path class="cross" d="${crossAt(place)}"><title>${story}</title></path>`,
    )}`;
  const { true: dots = [], false: crosses = [] } = Object.groupBy(
    placed,
    ({ valid }) => String(valid) as "true" | "false",
  );
  return html`${dots.length > 0 && html`<path class="dot" d="${dots.map(({ place }) => dotAt(place)).join("")}"/>`}${crosses.length > 0 && html`<path class="cross" d="${crosses.map(({ place }) => crossAt(place)).join("")}"/>`}`;
}

/** A dot's height in its row: spread by its number, so that equal PLTs do not hide each other. */
function offset(index: number): number {
  return (((index * 7) % 5) - 2) * 4;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const usualWords = { title: "PLT", noun: "page load time" };
const loadWords = { attempt: "load", by: "lane" };

/** Where the gain stands, above the lanes. */
const gainHeight = 30;

interface Placed {
  readonly lanes: readonly PlottedLane[];
  readonly top: number;
  readonly at: (value: number) => number;
}

/** A line down to each of the two medians, an arrow between them, and the words above it; nothing if a lane has no median. */
function gainMarkup({ lane, over, text, isShown }: Gain, { lanes, top, at }: Placed): Markup | null {
  const flags = [over, lane].flatMap((name) => {
    const row = lanes.findIndex((each) => each.lane === name);
    const median = lanes[row]?.median ?? null;
    return median === null ? [] : [{ x: at(median), y: top + row * rowHeight + rowHeight / 2 - 11 }];
  });
  const [from, to] = flags;
  if (!from || !to) return null;
  const y = gainHeight - 8;
  const toward = Math.sign(to.x - from.x) * Math.min(7, Math.abs(to.x - from.x));
  const middle = Math.max(labelWidth + 60, Math.min(width - rightWidth - 60, (from.x + to.x) / 2));
  return html`<g class="${isShown ? "gain" : "gain open"}">${flags.map(({ x, y: end }) => html`<line x1="${x}" x2="${x}" y1="${y - 5}" y2="${end}"/>`)}<path d="M${from.x} ${y}H${to.x}m${-toward} -4l${toward} 4l${-toward} 4"/><text class="mid" x="${middle}" y="${y - 9}">${text}</text></g>`;
}

/** Lanes as tracks on one axis. */
export function distributionFigure(lanes: readonly PlottedLane[], drawn: Drawn): Markup {
  const {
    left,
    metric = usualWords,
    relativeTo,
    gain = null,
    words = loadWords,
    isExplained = true,
    isCalmed = false,
  } = drawn;
  const { attempt } = words;
  const dots = lanes.flatMap(({ loads }) => loads);
  const isSelection = drawn.timed !== undefined && drawn.timed > dots.length;
  const isNoted = dots.length <= mostNoted;
  if (dots.length === 0)
    return html`<p class="nothing">${drawn.words ? `No ${attempt}` : "No load of this page on this link"} has a ${metric.noun}.</p>`;
  const isRelative = relativeTo !== undefined;
  const medianText = ({ median, isAtLeast }: PlottedLane, otherwise: string): string => {
    if (median === null) return otherwise;
    return isRelative ? `${isAtLeast ? "over " : ""}${median.toFixed(0)} %` : formatMedian(median, isAtLeast);
  };
  const intervalText = (interval: Interval): string =>
    isRelative ? `${interval.low.toFixed(0)} to ${interval.high.toFixed(0)} %` : formatTimeRange(interval);
  const scale = roundScale(
    dots.map(({ value }) => value),
    labelWidth + 10,
    width - rightWidth,
  );
  // What timed out is in median and interval, and has no dot: these end at the axis, and do not run into the words.
  const within = (value: number): number => Math.max(labelWidth + 2, Math.min(width - rightWidth + 6, scale.at(value)));
  const top = gain ? gainHeight : 4;
  const bottom = top + lanes.length * rowHeight + 2;
  const grid = uprightGrid(scale, top, bottom, { numbers: 15 });
  const names = lanes.map(({ lane }) => lane);
  const rows = lanes.map((plotted, index) => {
    const middle = top + index * rowHeight + rowHeight / 2;
    const marks = loadMarks(plotted.loads, isNoted, (value, position) => [scale.at(value), middle + offset(position)]);
    const interval =
      plotted.interval &&
      html`<rect class="interval" x="${within(plotted.interval.low)}" y="${middle - 13}" width="${Math.max(2, within(plotted.interval.high) - within(plotted.interval.low))}" height="26" rx="2"/>`;
    const middleLine =
      plotted.median !== null &&
      html`<line class="median" x1="${within(plotted.median)}" x2="${within(plotted.median)}" y1="${middle - 15}" y2="${middle + 15}"/>`;
    const around = plotted.interval ? ` (${intervalText(plotted.interval)})` : "";
    const numbers = `${medianText(plotted, `no valid ${attempt}`)}${around}`;
    return html`<g class="${plotted.className ?? laneClass(plotted.lane, names)}"><text class="lane" x="0" y="${middle + 4}">${plotted.lane}</text>${interval}${marks}${middleLine}<text class="aside" x="${width - rightWidth + 14}" y="${middle}">${numbers}</text><text class="axis" x="${width - rightWidth + 14}" y="${middle + 14}">n = ${String(plotted.valid)}${plotted.variation !== null && `, CV ${(plotted.variation * 100).toFixed(1)} %`}${plotted.timed_out > 0 && `, ${plotted.timed_out} timed out`}</text></g>`;
  });
  const whose = isSelection ? `${count(dots.length, attempt)}, chosen evenly from ${drawn.timed}` : `every ${attempt}`;
  const label = `${metric.title} of ${whose} by ${words.by}${isRelative ? `, % of ${relativeTo}` : ""}: ${lanes.map((lane) => `${lane.lane} median ${medianText(lane, "none")}`).join(", ")}${gain ? `; ${gain.lane} against ${gain.over}: ${gain.text}` : ""}`;
  const out = lanes.reduce((sum, { timed_out }) => sum + timed_out, 0);
  const axis = isRelative ? `${metric.noun}, % of ${relativeTo}’s median` : `${metric.noun}, ms`;
  const per = isRelative ? `, % of ${relativeTo}’s median on its page and link` : "";
  const valid = isSelection ? lanes.reduce((sum, lane) => sum + lane.valid, 0) : dots.filter((dot) => dot.valid).length;
  const plot = drawing(
    { look: "wide", label, width, height: bottom + 34 },
    html`${grid}${gain && gainMarkup(gain, { lanes, top, at: within })}${rows}<text class="axis mid" x="${(labelWidth + 10 + width - rightWidth) / 2}" y="${bottom + 31}">${axis}</text>`,
  );
  return html`<figure class="distribution">${plot}<figcaption>${capital(metric.noun)} of ${whose}${per}: n = ${count(valid, `valid ${attempt}`)}${
    left > 0 && html`; ${count(left, attempt)} invalid (crosses)`
  }${out > 0 && html`; ${count(out, attempt)} timed out (no dot; slower than all)`}${isExplained && html`. Line: median; band: 95 % interval${!isRelative && lanes.some(({ variation }) => variation !== null) && "; CV: standard deviation over mean"}. The axis does not start at 0`}${isCalmed && html`. Without the time that other programs took (estimated${isNoted && "; each dot’s note has the measured time"})`}.</figcaption></figure>`;
}
