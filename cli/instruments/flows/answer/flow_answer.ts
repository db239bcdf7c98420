// What a sweep of flows says first: who got how much of the link, how busy it was, and how long packets waited. Sentences from
// summaries; computes nothing else.
import { count, formatPercents } from "../../../base/numbers.ts";
import { extremes } from "../../../base/quantile.ts";
import { formatRange, formatRate, formatValue } from "../../../registry/units.ts";
import type { MetricSummary } from "../../../results/stats/metric_summary.ts";
import { kindWords } from "../metrics/flow_kind.ts";
import { type ContrastedCell, spokenFlows } from "./contrasts.ts";
import type { FlowSummary, GroupSummary } from "./summary.ts";

type Side = "down" | "up";

export interface AnsweredCell extends Omit<ContrastedCell, "id"> {
  /** bit/s; null: unlimited, or it varies. */
  readonly capacity_bps: Readonly<Record<Side, number | null>>;
  readonly summary: FlowSummary;
}

/** More mixes have a table, not a sentence each. */
const mostSentences = 4;
/** Of more parts only those with the most and the least are named. */
const mostParts = 4;

/** `3.1 Mbit/s (95 %: 2.95 to 3.22 Mbit/s)`. */
function rateWithInterval({ median, interval }: MetricSummary, isFirst: boolean): string {
  if (median === null) return "an unknown rate";
  return `${formatRate(median)}${interval ? ` (${isFirst ? "95 %: " : ""}${formatRange(interval, "bit/s")})` : ""}`;
}

/** `66 % (95 %: 64 to 68)`. */
function shareText({ median, interval }: MetricSummary, shown = ""): string {
  if (median === null) return "an unknown share";
  const scaled = interval && { low: interval.low * 100, high: interval.high * 100 };
  const text = formatPercents(median * 100, scaled);
  return `${text.percent} %${interval ? ` (${shown}${text.low} to ${text.high})` : ""}`;
}

const listed = (items: readonly string[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

interface Part {
  readonly words: string;
  readonly group: GroupSummary;
}

const partsOf = ({ parts, summary }: AnsweredCell, side: Side): Part[] =>
  summary.groups
    .filter(({ direction }) => direction === side)
    .map((group) => ({ words: spokenFlows(parts[group.group] ?? kindWords(group)), group }));

const sidesOf = ({ summary }: AnsweredCell): Side[] =>
  (["down", "up"] as const).filter((side) => summary[side] !== null);

/** ` of the link's 5 Mbit/s`. */
const ofLink = (capacity_bps: number | null): string =>
  capacity_bps === null ? "" : ` of the link’s ${formatRate(capacity_bps)}`;

/** Who got how much, one direction of one cell. */
function goodputSentence(cell: AnsweredCell, side: Side): string {
  const parts = partsOf(cell, side);
  const ordered = parts.toSorted(
    (a, b) => (b.group.all.goodput_bps.median ?? -1) - (a.group.all.goodput_bps.median ?? -1),
  );
  const many = parts.length > mostParts;
  const shown = many ? [ordered[0], ordered.at(-1)].filter((part) => part !== undefined) : parts;
  const rates = shown.map(({ words, group }, index) => {
    const rank = many ? (index === 0 ? " (the most)" : " (the least)") : "";
    return `${words}${rank} ${rateWithInterval(group.all.goodput_bps, index === 0)}`;
  });
  const [first = "", ...rest] = rates;
  const got = listed([first.replace(/^(\S+(?: × \S+)?(?: \(the most\))?) /, "$1 got "), ...rest]);
  const shares =
    parts.length < 2 || many
      ? ""
      : `, ${listed(parts.map(({ group }) => shareText({ ...group.all.share, interval: null })))} of the goodput`;
  return `${got}${ofLink(cell.capacity_bps[side])}${shares}`;
}

/** How busy the link was and how long packets waited; null: neither is known. */
function linkSentence({ summary }: AnsweredCell, side: Side): string | null {
  const all = summary[side];
  if (!all) return null;
  const { utilization, queue_delay_p50_ms, queue_delay_p95_ms } = all;
  const busy = utilization.median !== null && `link utilization was ${shareText(utilization, "95 %: ")}`;
  const waited =
    queue_delay_p50_ms.median !== null &&
    `packets queued for ${formatValue(queue_delay_p50_ms.median, "ms")} in the median${queue_delay_p95_ms.median === null ? "" : ` and ${formatValue(queue_delay_p95_ms.median, "ms")} at p95`}`;
  const shown = [busy, waited].filter((part) => part !== false);
  return shown.length === 0 ? null : shown.join("; ");
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** ` (n = 10 runs)`; with too few it says that there is no interval. */
function runsText({ runs, groups }: FlowSummary): string {
  const hasInterval = groups.some(({ all }) => all.goodput_bps.interval !== null);
  return ` (n = ${count(runs, "run")}${hasInterval ? "" : ": too few for an interval"})`;
}

function cellSentences(cell: AnsweredCell): string[] {
  const sides = sidesOf(cell);
  const both = sides.length > 1;
  return sides.flatMap((side, index) => {
    const prefix = both ? `${side === "down" ? "Down" : "Up"}: ` : "";
    const link = linkSentence(cell, side);
    const last = index === sides.length - 1 ? runsText(cell.summary) : "";
    const goodput = `${prefix}${goodputSentence(cell, side)}`;
    return link === null
      ? [`${goodput}${last}.`]
      : [`${goodput}.`, `${both ? prefix : ""}${both ? link : capital(link)}${last}.`];
  });
}

/** `94 to 98 %`, or one number where they are alike. */
function rangeText(values: readonly number[], text: (value: number) => string): string | null {
  const range = extremes(values);
  if (!range) return null;
  const [low, high] = [text(range.least), text(range.greatest)];
  const [lowUnit, highUnit] = [low, high].map((each) => each.split(" ")[1]);
  if (low === high) return low;
  return `${lowUnit === highUnit ? low.split(" ")[0] : low} to ${high}`;
}

const percentText = (value: number): string => `${Math.round(value * 100)} %`;

interface Placed {
  readonly cell: AnsweredCell;
  readonly summary: MetricSummary;
  readonly median: number;
}

/** Whether the two may be alike, as far as their runs tell. */
function mayBeAlike({ summary: a, median: low }: Placed, { summary: b, median: high }: Placed): boolean {
  return a.interval && b.interval ? a.interval.high >= b.interval.low : low === high;
}

/** One mix over several links or lanes: where its first part had least and most. */
function mixSentences(cells: readonly AnsweredCell[], withName: boolean): string[] {
  const [first] = cells;
  if (!first) return [];
  const side = sidesOf(first)[0] ?? "down";
  const [part] = partsOf(first, side);
  const isAlone = partsOf(first, side).length < 2;
  const placed = cells.flatMap((cell): Placed[] => {
    const all = partsOf(cell, side)[0]?.group.all;
    const summary = isAlone ? all?.goodput_bps : all?.share;
    return summary && summary.median !== null ? [{ cell, summary, median: summary.median }] : [];
  });
  const ordered = placed.toSorted((a, b) => a.median - b.median);
  const [least, most] = [ordered[0], ordered.at(-1)];
  const name = withName ? `${first.mix}: ` : "";
  if (!least || !most || !part) return [`${name}no valid run says who got how much.`];
  const amount = ({ summary }: Placed, shown: string): string =>
    isAlone ? rateWithInterval(summary, shown !== "") : shareText(summary, shown);
  const place = ({ cell }: Placed): string => `on ${cell.link}${cell.lane === null ? "" : ` (page over ${cell.lane})`}`;
  const medians = placed.map(({ median }) => median);
  const where = count(cells.length, cells.some(({ lane }) => lane !== null) ? "cell" : "link");
  const got = mayBeAlike(least, most)
    ? `${rangeText(medians, isAlone ? formatRate : percentText)}${isAlone ? "" : " of the goodput"} on all ${where}`
    : `from ${amount(least, "95 %: ")} ${isAlone ? "" : "of the goodput "}${place(least)} to ${amount(most, "")} ${place(most)}`;
  const known = (metric: "utilization" | "queue_delay_p50_ms"): number[] =>
    cells.flatMap(({ summary }) => summary[side]?.[metric].median ?? []);
  const utilization = rangeText(known("utilization"), percentText);
  const delay = rangeText(known("queue_delay_p50_ms"), (value) => formatValue(value, "ms"));
  const link = [
    utilization !== null && `link utilization was ${utilization}`,
    delay !== null && `packets queued for ${delay} in the median`,
  ].filter((each) => each !== false);
  return [`${name}${part.words} got ${got}.`, ...(link.length > 0 ? [`${capital(link.join("; "))}.`] : [])];
}

/** The answer first: what stands large. Empty where no cell has a valid run. */
export function flowAnswer(cells: readonly AnsweredCell[]): string[] {
  const valid = cells.filter(({ summary }) => summary.runs > 0);
  const mixes = [...Map.groupBy(valid, ({ mix }) => mix).values()];
  const shown = mixes.slice(0, mostSentences);
  const sentences = shown.flatMap((of) => {
    const [only] = of;
    if (of.length > 1 || !only) return mixSentences(of, mixes.length > 1);
    const own = cellSentences(only);
    return mixes.length > 1 ? own.map((sentence, index) => (index === 0 ? `${only.mix}: ${sentence}` : sentence)) : own;
  });
  const rest = mixes.length - shown.length;
  const more = rest > 0 ? [`${count(rest, "more mix", "more mixes")}: see the table.`] : [];
  return [...sentences, ...more];
}
