// What the loads say, in plain sentences with intervals and counts, and the cells of the terminal's table. Pure: text out, no colour.

import { factorText } from "../../base/factors.ts";
import { type Interval, usualRuns } from "../../base/interval.ts";
import { factorsOf, labelParts, plainLanes, withoutFactors } from "../../base/lanes.ts";
import { count, formatMedian, formatPercents, formatTimeRange, percentRange } from "../../base/numbers.ts";
import { leastMedianShift } from "../stats/median_test.ts";
import { significanceLevel } from "../stats/multiplicity.ts";
import { direction, type Improvement, limitOf } from "./comparison.ts";
import { gapClause } from "./lane_coverage.ts";
import { counted, isAcrossFactors, type LanePair, lanePairs, type Sample, sortLanes, timedOut } from "./sample.ts";
import { type ComparedSummary, summarize } from "./summary.ts";

/** A smaller difference is one that no one acts on, and what a careful sweep can tell from none. */
export const equivalence_percent = 3;

/**
 * A 95 % interval within the margin: two one-sided tests at 2.5 % each refuse any larger difference (Schuirmann 1987). Not corrected: of three
 * lanes' pairs only two can differ by just the margin, the third by nothing or twice that, so that any is called equal wrongly in 5 % at most.
 */
export function isEquivalent({ low, high }: Interval): boolean {
  return low > -equivalence_percent && high < equivalence_percent;
}

/** `, 11 of 12 pages`: where there are several, on how many it was the same way round. */
function pagesClause({ pages, pagesWon }: Improvement, word: "faster" | "slower"): string {
  return pages > 1 ? `, ${pagesWon[word]} of ${pages} pages` : "";
}

/** `, for pages like these`: where there are several, what the interval speaks of. */
function scopeClause({ pages, units }: Improvement): string {
  if (pages < 2) return "";
  return units === "pages" ? ", for pages like these" : ", for these pages";
}

/** Whether one lane is probably faster: 0 is outside the interval, which so few runs, or so many comparisons, do not make sure. */
export function isProbable({ interval, ...result }: Improvement): boolean {
  if (interval === null || (interval.low <= 0 && interval.high >= 0)) return false;
  return direction({ interval, ...result }) === "unclear" && limitOf(result) !== "at most";
}

/** Runs of each lane of a page on a link with which so many comparisons can be sure, whatever their noise. */
export function runsToBeSure(comparisons: number): number {
  let runs = usualRuns;
  while (leastMedianShift(runs, runs) * comparisons > significanceLevel) runs++;
  return runs;
}

const numberWords = ["", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];

/** What it takes to be sure of what is probable. With a capital and a full stop. */
export function surenessSentence({ comparisons, n, pages, links }: Improvement): string {
  const needed = runsToBeSure(comparisons);
  const runs = pages * links === 1 && Math.min(n.lane, n.over) < needed ? `${needed} runs are` : "more runs are";
  if (comparisons <= 1) return `To be sure, ${runs} needed.`;
  return `${numberWords[comparisons] ?? comparisons} comparisons were made, so ${runs} needed to be sure.`;
}

/** `h3 timed out in at least half of its loads on 1 page on a link`: of the faster lane, whose gain is therefore at most what was found. */
export function whyAtMost(
  { pair, percent, bounds, pages, links }: Improvement,
  nameOf = (lane: string): string => lane,
): string {
  const [lane, places] = (percent ?? 0) > 0 ? [pair.lane, bounds.lane] : [pair.over, bounds.over];
  const where = pages * links === 1 ? "" : ` on ${count(places, "page on a link", "pages on links")}`;
  return `${nameOf(lane)} timed out in at least half of its loads${where}`;
}

/** `14` and `11 to 17`: of the lane that is faster, in %. */
function sizeOf(percent: number, interval: Interval | null): { readonly size: string; readonly range: string } {
  const turned = interval && { low: -interval.high, high: -interval.low };
  const text = percent < 0 ? formatPercents(-percent, turned) : formatPercents(percent, interval);
  return { size: text.percent, range: percentRange(text) };
}

/** Below it an improvement is none in the digits that are reported. */
const nothing_percent = 0.005;

/** `h3 is 14 % faster than h2 (95 %: 11 to 17), 12 of 12 pages`, or that no difference was shown. No full stop. */
export function comparisonClause(result: Improvement, verb = "is"): string {
  const { lane, over } = result.pair;
  if (result.percent === null && result.gap) return gapClause(result.pair, result.gap);
  if (result.percent === null) return `${lane} against ${over}: not known, ${result.reason}`;
  const limit = limitOf(result);
  const limited = limit === null ? "" : `${limit} `;
  const word = result.percent < 0 ? "slower" : "faster";
  const { size, range } = sizeOf(result.percent, result.interval);
  if (result.interval === null) {
    const { n } = result;
    const loads = n.lane === n.over ? `${count(n.lane, "load")} each` : `${n.lane} and ${count(n.over, "load")}`;
    const difference = Number(size) === 0 ? `as fast as ${over}` : `${limited}${size} % ${word} than ${over}`;
    return `${lane} was ${difference} (${loads}, too few for an interval)`;
  }
  if (Math.max(Math.abs(result.interval.low), Math.abs(result.interval.high)) < nothing_percent)
    return `no difference larger than ${2 * nothing_percent} % between ${lane} and ${over}`;
  switch (direction(result)) {
    case "faster":
    case "slower":
      return `${lane} ${verb} ${limited}${size} % ${word} than ${over} (95 %: ${range}${scopeClause(result)})${pagesClause(result, word)}`;
    default: {
      if (limit === "at most")
        return `no difference shown between ${lane} and ${over}: ${lane} ${verb} ${limited}${size} % ${word} (95 %: ${range}${scopeClause(result)}), because ${whyAtMost(result)}`;
      if (isProbable(result) && !isEquivalent(result.interval))
        return `${lane} ${verb} probably ${size} % ${word} than ${over} (95 %: ${range}${scopeClause(result)})`;
      const shown = isEquivalent(result.interval) ? `larger than ${equivalence_percent} %` : "shown";
      const ends = percentRange(formatPercents(result.percent, result.interval));
      return `no difference ${shown} between ${lane} and ${over} (95 %: ${ends}${scopeClause(result)})`;
    }
  }
}

/**
 * h3 over h2 is the question people ask first, then what each gains over h1, then all that is about further lanes. Of lanes with
 * settings those come first that differ in the lane, in the settings' order; one browser's lanes before two browsers on a lane.
 */
export function verdictPairs(lanes: Iterable<string>): LanePair[] {
  const isPlain = (label: string): boolean => plainLanes.some((plain) => plain === labelParts(label)?.lane);
  const settingsOf = (label: string): string => labelParts(label)?.settings ?? "";
  const rank = ({ lane, over }: LanePair): number =>
    (isAcrossFactors({ lane, over }) ? 8 : 0) +
    (isPlain(lane) && isPlain(over) ? 0 : 4) +
    (settingsOf(lane) === settingsOf(over) ? 0 : 2) +
    Number(labelParts(over)?.lane === "h1");
  const group = (label: string): string => factorText(factorsOf(label));
  const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return lanePairs(lanes)
    .reverse()
    .sort(
      (a, b) =>
        rank(a) - rank(b) || byName(group(a.lane), group(b.lane)) || byName(settingsOf(a.lane), settingsOf(b.lane)),
    );
}

/** With a full stop and a capital, but for names of lanes. */
export function sentence(clause: string): string {
  return `${clause.startsWith("no ") ? `N${clause.slice(1)}` : clause}.`;
}

/** A reason's kind, without the numbers of the one load: `the link missed its tolerance: 1 % ...` -> `the link missed its tolerance`. */
export function reasonKind(reason: string): string {
  const kind = reason.split(": ")[0] ?? reason;
  return kind.length > 100 ? `${kind.slice(0, 99)}…` : kind;
}

/** Why loads do not count, the most frequent reason first, each with their number. */
export function reasonsOf(excluded: readonly Pick<Sample, "status" | "reasons">[]): Map<string, number> {
  const reasons = new Map<string, number>();
  for (const load of excluded) {
    const reason = load.reasons[0] ?? (load.status === "valid" ? "no page load time" : "no reason recorded");
    const kind = reasonKind(reason);
    reasons.set(kind, (reasons.get(kind) ?? 0) + 1);
  }
  return new Map([...reasons].sort((a, b) => b[1] - a[1]));
}

/** One line on what stayed out of the averages, with the commonest reasons; null when nothing did. */
export function excludedLine(loads: readonly Sample[]): string | null {
  const slow = loads.filter(timedOut).length;
  const slower =
    slow === 0
      ? ""
      : `${count(slow, "load")} timed out and ${slow === 1 ? "counts" : "count"} as slower than all others.`;
  const excluded = loads.filter((load) => counted(load) === null);
  if (excluded.length === 0) return slower === "" ? null : slower;
  const common = [...reasonsOf(excluded)];
  const named = common.slice(0, 3).map(([reason, times]) => `${reason} (${times})`);
  const rest = common.slice(3).reduce((sum, [, times]) => sum + times, 0);
  if (rest > 0) named.push(`other reasons (${rest})`);
  const verb = excluded.length === 1 ? "does" : "do";
  const left = `${excluded.length} of ${count(loads.length, "load")} ${verb} not count: ${named.join("; ")}.`;
  return slower === "" ? left : `${left} ${slower}`;
}

/** Of loads of one lane, on one page and link: there is nothing to compare. Null: of several lanes, or of none that has a time. */
export function loneLaneSentence(loads: readonly Sample[]): string | null {
  const [lane, second] = summarize(loads);
  if (!lane || second || lane.median_ms === null) return null;
  const out = lane.timed_out === 0 ? "" : `, ${lane.timed_out} of which timed out`;
  return `${lane.lane} loads the page in ${formatMedian(lane.median_ms, lane.isAtLeast)} (median of ${count(lane.valid + lane.timed_out, "load")}${out}).`;
}

/** The terminal's table of lanes as cells of text. `metric`: what was measured, as people say it. */
export function laneTable(lanes: readonly ComparedSummary[], metric = "PLT"): string[][] {
  const [first = "h1"] = sortLanes(lanes.map((summary) => summary.lane));
  // Of several browsers each has its own.
  const baseline = withoutFactors(first);
  const header = ["lane", `median ${metric}`, "95 % interval", `against ${baseline}`, "loads", "invalid"];
  const rows = lanes.map((summary) => [
    summary.lane,
    summary.median_ms === null ? "none" : formatMedian(summary.median_ms, summary.isAtLeast),
    summary.interval_ms ? formatTimeRange(summary.interval_ms) : "too few loads",
    againstCell(summary.against),
    String(summary.valid),
    // In 80 columns there is no room for two; what each was stands in the line on what is left out.
    String(summary.invalid + summary.failed),
  ]);
  return [header, ...rows];
}

function againstCell(against: Improvement | null): string {
  if (against?.percent === null && against.gap) return "not compared";
  if (!against || against.percent === null) return "";
  const text = formatPercents(against.percent, against.interval);
  return against.interval ? `${text.percent} % (${percentRange(text)})` : `${text.percent} %`;
}
