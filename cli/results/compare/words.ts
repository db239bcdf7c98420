// A comparison for people: a table of what changed, and lines that count and say what could be shown. Within 80 columns but for
// long names.

import { count, formatMedian, formatPercents } from "../../base/numbers.ts";
import { textTable } from "../../base/text_table.ts";
import { type Browser, browserNames } from "../verdict/browsers.ts";
import { waited_ms } from "../verdict/busy_machine.ts";
import { isMedianOut } from "../verdict/sample.ts";
import type { ComparedCell, ComparedTogether, Comparison, Judgement } from "./comparison.ts";
import type { ComparedNouns, SideNames } from "./interleaved.ts";

const order: readonly Judgement[] = ["failing", "slower", "faster", "unclear", "unknown", "same"];
const mostRows = 40;

/** `+20 % (+18 to +22)`: with their signs, because elsewhere what is faster is positive. */
export function changeText({ change_percent, low_percent, high_percent }: ComparedCell | ComparedTogether): string {
  if (change_percent === null) return "";
  const interval = low_percent === null || high_percent === null ? null : { low: low_percent, high: high_percent };
  const texts = formatPercents(change_percent, interval);
  const [percent, low, high] = [texts.percent, texts.low, texts.high].map((text) =>
    Number(text) > 0 ? `+${text}` : text,
  );
  return interval ? `${percent} % (${low} to ${high})` : `${percent} %`;
}

export function judgementText(cell: ComparedCell, load: string): string {
  const { judgement, other_recording, other_link, other_coverage, loads_b, timed_out_b, failed_b } = cell;
  if (other_recording) return "another recording";
  if (other_link) return "another link";
  if (other_coverage) return "another part";
  if (judgement !== "failing") return judgement;
  if (loads_b > timed_out_b) return `${failed_b} of ${loads_b + failed_b} fail`;
  return timed_out_b === 0 ? `no valid ${load}` : `no ${load} ends`;
}

export function medianText(median_ms: number | null, loads: number, timedOut: number): string {
  if (median_ms === null) return "none";
  return formatMedian(median_ms, isMedianOut(loads, timedOut));
}

function row(cell: ComparedCell, load: string): string[] {
  const before = medianText(cell.median_a_ms, cell.loads_a, cell.timed_out_a);
  const after = medianText(cell.median_b_ms, cell.loads_b, cell.timed_out_b);
  return [`${cell.page} ${cell.link}`, cell.lane, before, after, changeText(cell), judgementText(cell, load)];
}

function togetherRow(group: ComparedTogether): string[] {
  const cells = `${count(group.cells, "cell")} together`;
  return [cells, group.lane ?? "all", "", "", changeText(group), group.judgement];
}

/** What the loads are too few for; empty: for nothing. */
function powerLines({ can_show, loads_needed }: Comparison, loads: string): string[] {
  if (can_show !== "together" || loads_needed === null) return [];
  return [`So few ${loads} show a change in cells together only: in one cell it takes ${loads_needed} of each side.`];
}

/** What a change is distinguished from; one line. */
function designLine({ design, occasions, occasion_spread_percent: spread }: Comparison): string {
  const beyond = spread === null ? "" : `; up to ${spread} % more is taken for the occasion`;
  if (design === "interleaved")
    return `Both ran alternately in ${count(occasions.a, "sweep")}, so that a change is not the occasion's${beyond}.`;
  if (design === "occasions")
    return `Changes are tested against the spread between sweeps (${occasions.a} and ${occasions.b})${beyond}.`;
  return spread === null
    ? "With one sweep each, a change and the occasion (machine, day) cannot be distinguished."
    : `One sweep each: a change of up to ${spread} % beyond the threshold is taken for the occasion.`;
}

/** Of how many cells nothing can be said, and why; empty: of none. */
function unjudgedLines(cells: readonly ComparedCell[], loads: string): string[] {
  const unknown = cells.filter(({ judgement }) => judgement === "unknown");
  if (unknown.length === 0) return [];
  const others = unknown.filter(({ other_recording, other_link }) => other_recording || other_link).length;
  const parts = unknown.filter((each) => each.other_coverage && !each.other_recording && !each.other_link).length;
  const few = unknown.length - others - parts;
  const reasons = [
    ...(few > 0 ? [`${few} for too few valid ${loads}`] : []),
    ...(others > 0 ? [`${others} as another recording or link`] : []),
    ...(parts > 0 ? [`${parts} because the two asked for different parts of the page`] : []),
  ];
  return [`${unknown.length} of ${count(cells.length, "cell")} cannot be judged: ${reasons.join(", ")}.`];
}

/** Which browsers ran the two sweeps; empty where neither reports it. */
function browserLines(a: readonly Browser[], b: readonly Browser[]): string[] {
  if (a.length + b.length === 0) return [];
  // Named together, so that two binaries of one version are distinguished.
  const distinct = [...new Map([...a, ...b].map((each) => [`${each.version} ${each.sha256}`, each])).values()];
  const names = new Map(browserNames(distinct).map((name, index) => [distinct[index] as Browser, name]));
  const named = (side: readonly Browser[]): string =>
    distinct
      .filter((each) => side.some(({ version, sha256 }) => version === each.version && sha256 === each.sha256))
      .map((each) => names.get(each))
      .join(" and ") || "an unknown browser";
  const [before, after] = [named(a), named(b)];
  return [before === after ? `Both ran with ${before}.` : `The first ran with ${before}, the second with ${after}.`];
}

type Busy = Parameters<typeof waited_ms>[0];

/** Of each side's loads, how many waited for CPUs; empty on a calm machine. A verdict takes off what they waited, a change does not. */
export function busyLines(a: readonly Busy[], b: readonly Busy[]): string[] {
  const [busyA = 0, busyB = 0] = [a, b].map((side) => side.filter((load) => waited_ms(load) > 0).length);
  if (busyA + busyB === 0) return [];
  return [
    `On a busy machine: ${busyA} of ${a.length} and ${busyB} of ${b.length} loads waited for CPUs that other programs used. Nothing is taken off for it here: what one side waited longer shows as a change.`,
  ];
}

/** What an attempt is called, and several. */
export type LoadNouns = Pick<ComparedNouns, "load" | "loads">;

/** Changed cells first; of cells that are the same only the count, unless nothing else is there. */
export function comparisonLines(
  comparison: Comparison,
  threshold_percent: number,
  names?: SideNames,
  { lane, load, loads }: LoadNouns & Pick<ComparedNouns, "lane"> = { lane: "lane", load: "load", loads: "loads" },
): string[] {
  const { cells, only_a, only_b, browsers_a, browsers_b } = comparison;
  const counts = order.map((judgement) => cells.filter((cell) => cell.judgement === judgement).length);
  const listedCells = cells.filter((cell) => cell.judgement !== "same");
  const shown = (listedCells.length > 0 ? listedCells : cells)
    .toSorted((a, b) => order.indexOf(a.judgement) - order.indexOf(b.judgement))
    .slice(0, mostRows);
  const head = ["cell", lane, "before", "after", "+ slower (95 %)", "judgement"];
  const hidden = (listedCells.length > 0 ? listedCells : cells).length - shown.length;
  const more = hidden > 0 ? [[`and ${hidden} more`, "", "", "", "", ""]] : [];
  const [failing = 0, slower, faster, unclear, unknown, same] = counts;
  return [
    ...textTable([head, ...shown.map((cell) => row(cell, load)), ...more, ...comparison.together.map(togetherRow)]),
    "",
    `${count(cells.length, "cell")} of both: ${slower} slower by more than ${threshold_percent} %, ${faster} faster, ${same} the same within ${threshold_percent} %, ${unclear} unclear, ${unknown} not comparable${failing > 0 ? `, ${failing} failing` : ""}.`,
    ...unjudgedLines(cells, loads),
    ...powerLines(comparison, loads),
    designLine(comparison),
    ...(names ? [`First: ${names.a}; second: ${names.b}.`] : []),
    ...browserLines(browsers_a, browsers_b),
    ...(only_a + only_b > 0 ? [`Only in the first: ${only_a}; only in the second: ${only_b}.`] : []),
  ];
}
