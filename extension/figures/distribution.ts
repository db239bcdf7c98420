// PLTs of one page on one link: every load a dot, lane by lane, with median and interval. Draws given numbers.

import type { Interval } from "../../cli/base/interval.ts";
import { count, formatMedian, formatTimeRange } from "../../cli/base/numbers.ts";
import { laneClass } from "./colours.ts";
import { html, type Markup } from "./markup.ts";
import { roundScale } from "./scale.ts";

export interface PlottedLoad {
  readonly plt_ms: number;
  /** Others are drawn as crosses: they are in no median. */
  readonly valid: boolean;
  /** For who points at it. */
  readonly story: string;
}

export interface PlottedLane {
  readonly lane: string;
  readonly median_ms: number | null;
  /** So many loads timed out that it is only known to be longer. */
  readonly isAtLeast: boolean;
  /** 95 %. */
  readonly interval_ms: Interval | null;
  /** Valid loads. */
  readonly valid: number;
  readonly timed_out: number;
  /** Standard deviation over mean. */
  readonly variation: number | null;
  /** Those that have a PLT and did not time out, in the order of their running. */
  readonly loads: readonly PlottedLoad[];
}

const width = 960;
const labelWidth = 104; // the longest lane name
const rightWidth = 250;
const rowHeight = 40;

/** A dot's height in its row: spread by its number, so that equal PLTs do not hide each other. */
function offset(index: number): number {
  return (((index * 7) % 5) - 2) * 4;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const usualWords = { title: "PLT", noun: "page load time" };

const medianText = ({ median_ms, isAtLeast }: PlottedLane, otherwise: string): string =>
  median_ms === null ? otherwise : formatMedian(median_ms, isAtLeast);

/** `left`: loads that do not count, with a time or without. `metric`: what the times are. */
export function distributionFigure(lanes: readonly PlottedLane[], left: number, metric = usualWords): Markup {
  const timed = lanes.flatMap(({ loads }) => loads);
  if (timed.length === 0) return html`<p class="nothing">No load of this page on this link has a ${metric.noun}.</p>`;
  const scale = roundScale(
    timed.map((load) => load.plt_ms),
    labelWidth + 10,
    width - rightWidth,
  );
  // What timed out is in median and interval, and has no dot: these end at the axis, and do not run into the words.
  const within = (time_ms: number): number =>
    Math.max(labelWidth + 2, Math.min(width - rightWidth + 6, scale.at(time_ms)));
  const bottom = lanes.length * rowHeight + 6;
  const grid = scale.ticks.map(
    (tick) =>
      html`<line class="grid" x1="${scale.at(tick)}" x2="${scale.at(tick)}" y1="4" y2="${bottom}"/><text class="axis mid" x="${scale.at(tick)}" y="${bottom + 15}">${String(tick)}</text>`,
  );
  const names = lanes.map(({ lane }) => lane);
  const rows = lanes.map((plotted, index) => {
    const middle = index * rowHeight + rowHeight / 2 + 4;
    const dots = plotted.loads.map(({ plt_ms, valid, story }, position) => {
      const [x, y] = [scale.at(plt_ms), middle + offset(position)];
      return valid
        ? html`<circle class="dot" cx="${x}" cy="${y}" r="3.5"><title>${story}</title></circle>`
        : html`<path class="cross" d="M${x - 3} ${y - 3}l6 6m0 -6l-6 6"><title>${story}</title></path>`;
    });
    const interval =
      plotted.interval_ms &&
      html`<rect class="interval" x="${within(plotted.interval_ms.low)}" y="${middle - 13}" width="${Math.max(2, within(plotted.interval_ms.high) - within(plotted.interval_ms.low))}" height="26" rx="2"/>`;
    const middleLine =
      plotted.median_ms !== null &&
      html`<line class="median" x1="${within(plotted.median_ms)}" x2="${within(plotted.median_ms)}" y1="${middle - 15}" y2="${middle + 15}"/>`;
    const around = plotted.interval_ms ? ` (${formatTimeRange(plotted.interval_ms)})` : "";
    const told = `${medianText(plotted, "no valid load")}${around}`;
    return html`<g class="${laneClass(plotted.lane, names)}"><text class="lane" x="0" y="${middle + 4}">${plotted.lane}</text>${interval}${dots}${middleLine}<text class="told" x="${width - rightWidth + 14}" y="${middle}">${told}</text><text class="axis" x="${width - rightWidth + 14}" y="${middle + 14}">n = ${String(plotted.valid)}${plotted.variation !== null && `, CV ${(plotted.variation * 100).toFixed(1)} %`}${plotted.timed_out > 0 && `, ${plotted.timed_out} timed out`}</text></g>`;
  });
  const label = `${metric.title} of every load by lane: ${lanes.map((lane) => `${lane.lane} median ${medianText(lane, "none")}`).join(", ")}`;
  const out = lanes.reduce((sum, { timed_out }) => sum + timed_out, 0);
  return html`<figure class="distribution"><div class="scroll"><svg class="wide" role="img" aria-label="${label}" viewBox="0 0 ${width} ${bottom + 34}" width="${width}" height="${bottom + 34}">${grid}${rows}<text class="axis mid" x="${(labelWidth + 10 + width - rightWidth) / 2}" y="${bottom + 31}">${metric.noun}, ms</text></svg></div><figcaption>${capital(metric.noun)} of every load: n = ${String(timed.filter(({ valid }) => valid).length)} valid${
    left > 0 && html`; ${count(left, "load")} left out (crosses, where they have one)`
  }${out > 0 && html`; ${count(out, "load")} timed out (no dot; slower than all others)`}. Line: median; band: its 95 % interval; CV: standard deviation over mean. The axis does not begin at 0.</figcaption></figure>`;
}
