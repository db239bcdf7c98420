// A race's lanes in the terminal, one under the other on one scale: median, its interval or the loads where there are few, and what each
// lane gains over the one above it. Pure: summaries and comparisons in, lines of at most 80 columns out.
import { formatPercents, formatTime, sentenceTime } from "../../../base/numbers.ts";
import { extremes } from "../../../base/quantile.ts";
import type { ShownLine } from "../../../base/terminal_text.ts";
import { direction, type Improvement, limitOf } from "../../../results/verdict/comparison.ts";
import { counted, type Sample } from "../../../results/verdict/sample.ts";
import type { LaneSummary } from "../../../results/verdict/summary.ts";
import { isEquivalent, isProbable } from "../../../results/verdict/verdict.ts";
import { laneColour } from "./filling_tracks.ts";

const width = 80;
const [narrowest, widest] = [16, 40];

interface Scale {
  readonly low: number;
  readonly high: number;
}

/** `344 ms (22 %) faster than h1` */
function gainWords(result: Improvement, saved_ms: number): string {
  const { percent, interval, pair } = result;
  if (percent === null) return `not compared to ${pair.over}`;
  if (interval === null) return "too few runs for a verdict";
  const way = direction(result);
  if (way === "unclear" && !isProbable(result))
    return isEquivalent(interval) ? `as fast as ${pair.over}` : `no difference shown to ${pair.over}`;
  const limit = limitOf(result);
  const amount = `${formatPercents(Math.abs(percent), null).percent} %`;
  const isSameWay = Math.sign(saved_ms) === Math.sign(percent);
  const by = isSameWay ? `${sentenceTime(Math.abs(saved_ms))} (${amount})` : amount;
  const words = `${limit === null ? "" : `${limit} `}${by} ${percent > 0 ? "faster" : "slower"} than ${pair.over}`;
  return way === "unclear" ? `probably ${words}` : words;
}

function drawn(summary: LaneSummary, times_ms: readonly number[], { low, high }: Scale, columns: number): string {
  const { median_ms, interval_ms } = summary;
  const at = (time_ms: number): number =>
    Math.min(columns - 1, Math.max(0, Math.round(((time_ms - low) / (high - low)) * (columns - 1))));
  const cells = Array<string>(columns).fill(".");
  if (interval_ms) {
    cells.fill("-", at(interval_ms.low), at(interval_ms.high) + 1);
    cells[at(interval_ms.low)] = "|";
    cells[at(interval_ms.high)] = "|";
  } else for (const time_ms of times_ms) cells[at(time_ms)] = "o";
  if (median_ms !== null) cells[at(median_ms)] = "*";
  return cells.join("");
}

/** The scale's ends under the tracks. */
function scaleLine({ low, high }: Scale, columns: number, indent: number): string {
  const [first, last] = [formatTime(low), formatTime(high)];
  return `${" ".repeat(indent)}${first}${last.padStart(Math.max(last.length + 1, columns - first.length))}`;
}

/** `compared`: the pairs that are shown, each lane's over the one before it is looked for; empty: none is said. No lines without a load that counts. */
export function laneTracks(
  summaries: readonly LaneSummary[],
  loads: readonly Sample[],
  compared: readonly Improvement[],
): ShownLine[] {
  const timesOf = (lane: string): number[] =>
    loads.filter((load) => load.lane === lane).flatMap((load) => counted(load)?.plt_ms ?? []);
  const shown = summaries.flatMap(({ lane, interval_ms }) =>
    interval_ms ? [interval_ms.low, interval_ms.high] : timesOf(lane),
  );
  const range = extremes(shown);
  if (!range) return [];
  // Tracks of one time each stand in the middle.
  const margin = range.greatest > range.least ? 0.03 * (range.greatest - range.least) : 0.5;
  const scale = { low: Math.max(0, range.least - margin), high: range.greatest + margin };
  const rows = summaries.map((summary, index) => {
    const { lane, median_ms, isAtLeast } = summary;
    const before = summaries[index - 1];
    const result = before && compared.find(({ pair }) => pair.lane === lane && pair.over === before.lane);
    const saved_ms = (before?.median_ms ?? 0) - (median_ms ?? 0);
    const time = median_ms === null ? "none" : `${isAtLeast ? "over " : ""}${formatTime(median_ms)}`;
    return { summary, time, gain: result ? gainWords(result, saved_ms) : "" };
  });
  const widthOf = (texts: readonly string[]): number => Math.max(...texts.map(({ length }) => length));
  const [names, times] = [widthOf(summaries.map(({ lane }) => lane)), widthOf(rows.map(({ time }) => time))];
  const room = (gains: number): number => width - names - times - gains - (gains > 0 ? 6 : 4);
  const isNarrow = room(widthOf(rows.map(({ gain }) => gain))) < narrowest;
  // Names of lanes with settings may be long: the lane above is meant in any case.
  const shortened = rows.map((row) => (isNarrow ? { ...row, gain: row.gain.replace(/ (?:than|to) \S+$/, "") } : row));
  const columns = Math.max(narrowest, Math.min(widest, room(widthOf(shortened.map(({ gain }) => gain)))));
  const lines = shortened.map(({ summary, time, gain }): ShownLine => {
    const track = `${summary.lane.padEnd(names)}  ${drawn(summary, timesOf(summary.lane), scale, columns)}`;
    const colour = laneColour(summary.lane);
    const text = `${track}  ${time.padStart(times)}  ${gain}`.trimEnd();
    return colour === undefined ? { text } : { text, colour, coloured: track.length };
  });
  return [...lines, { text: scaleLine(scale, columns, names + 2) }];
}
