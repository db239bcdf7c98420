// A comparison of two sweeps for people: a table of what changed, and a line that counts. Within 80 columns but for long names.
import { type Browser, browserNames } from "../stats/browsers.ts";
import { count, formatPercents, formatTime } from "../stats/numbers.ts";
import { alignTable } from "../stats/verdict.ts";
import type { ComparedCell, Comparison, Judgement } from "./compare.ts";

const order: readonly Judgement[] = ["slower", "faster", "unclear", "unknown", "same"];
const mostRows = 40;

function row(cell: ComparedCell): string[] {
  const { change_percent, low_percent, high_percent, median_a_ms, median_b_ms } = cell;
  const interval = low_percent === null || high_percent === null ? null : { low: low_percent, high: high_percent };
  const { percent, low, high } = formatPercents(change_percent ?? 0, interval);
  const change = change_percent === null ? "" : interval ? `${percent} % (${low} to ${high})` : `${percent} %`;
  const time = (time_ms: number | null): string => (time_ms === null ? "none" : formatTime(time_ms));
  const judgement = cell.other_recording ? "another page" : cell.judgement;
  return [`${cell.page} ${cell.link}`, cell.lane, time(median_a_ms), time(median_b_ms), change, judgement];
}

/** Which browsers ran the two sweeps; empty where neither tells. */
function browserLines(a: readonly Browser[], b: readonly Browser[]): string[] {
  if (a.length + b.length === 0) return [];
  // Named together, so that two binaries of one version are told apart.
  const distinct = [...new Map([...a, ...b].map((each) => [`${each.version} ${each.sha256}`, each])).values()];
  const names = new Map(browserNames(distinct).map((name, index) => [distinct[index] as Browser, name]));
  const named = (side: readonly Browser[]): string =>
    distinct
      .filter((each) => side.some(({ version, sha256 }) => version === each.version && sha256 === each.sha256))
      .map((each) => names.get(each))
      .join(" and ") || "a browser not told";
  const [before, after] = [named(a), named(b)];
  return [before === after ? `Both ran with ${before}.` : `The first ran with ${before}, the second with ${after}.`];
}

/** Changed cells first; of cells that are the same only the count, unless nothing else is there. */
export function comparisonLines(comparison: Comparison, threshold_percent: number): string[] {
  const { cells, only_a, only_b, browsers_a, browsers_b } = comparison;
  const counts = order.map((judgement) => cells.filter((cell) => cell.judgement === judgement).length);
  const told = cells.filter((cell) => cell.judgement !== "same");
  const shown = (told.length > 0 ? told : cells)
    .toSorted((a, b) => order.indexOf(a.judgement) - order.indexOf(b.judgement))
    .slice(0, mostRows);
  const head = ["cell", "lane", "before", "after", "change (95 %)", "judgement"];
  const hidden = (told.length > 0 ? told : cells).length - shown.length;
  const [slower, faster, unclear, unknown, same] = counts;
  return [
    ...alignTable([head, ...shown.map(row)]),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
    "",
    `${count(cells.length, "cell")} of both: ${slower} slower by more than ${threshold_percent} %, ${faster} faster, ${same} the same within ${threshold_percent} %, ${unclear} unclear, ${unknown} not comparable.`,
    ...browserLines(browsers_a, browsers_b),
    ...(only_a + only_b > 0 ? [`Only in the first: ${only_a}; only in the second: ${only_b}.`] : []),
  ];
}
