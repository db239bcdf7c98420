// What a plan's runs can show in words: what is said alike of page loads and of pairs, and all that is said of pairs. Computes nothing.
import type {
  ComparisonDetection,
  PairedDetection,
  PairedRunsNeeded,
} from "../../../schemas/generated/paired_detection.ts";
import { count } from "../../base/numbers.ts";
import { paragraph, titled } from "../../base/wrapped_text.ts";
import { mostRuns } from "../../results/stats/runs_search.ts";
import { formatDuration } from "../progress/progress_lines.ts";

export const plain = (percent: number): string => String(Number(percent.toPrecision(2)));

/** Of fewer the shape of what varies is not known, and what is of two kinds takes more runs. */
const fewRuns = 8;

interface FromSweep {
  readonly sweep: number | null;
  readonly pilot_runs: number | null;
  readonly spread_percent: number;
  readonly planned_with_percent: number;
}

/** `by sweep 5, of only 3 runs; planned with 2.9 %, because few loads may hide more`. */
export function sweepWords({ sweep, pilot_runs, ...of }: FromSweep, noun: string): string {
  const [found, planned] = [of.spread_percent, of.planned_with_percent].map(plain);
  const allowance = planned === found ? "" : `; planned with ${planned} %, because few ${noun} may hide more`;
  const rough = pilot_runs !== null && pilot_runs < fewRuns ? `, of only ${count(pilot_runs, "run")}` : "";
  return `by sweep ${sweep}${rough}${allowance}`;
}

const often = "in 80 / 95 of 100 sweeps";

export const shownTitle = (runs: number): string => `differences that ${count(runs, "run")} would show ${often}:`;
export const neededTitle = (percent: number | null): string =>
  `runs and time to show ${plain(percent ?? 0)} % ${often}:`;

export const shownWords = (percents: readonly (number | null)[]): string[] =>
  percents.some((percent) => percent === null)
    ? ["nothing: too few runs for an interval"]
    : percents.map((percent) => `${plain(percent ?? 0)} %`);

export const runsWords = ({ runs, expected_s }: Pick<PairedRunsNeeded, "runs" | "expected_s">): string =>
  runs === null || expected_s === null
    ? `more than ${mostRuns} runs`
    : `${count(runs, "run")}, ${formatDuration(expected_s)}`;

const width = 71;
const leastGap = 2;

/** Names and values side by side, or under one another if the names are long. */
function rowsOf(rows: readonly (readonly [name: string, values: readonly string[]])[]): string[] {
  const values = rows.map(([, of]) => of.join(" / "));
  const names = Math.max(...rows.map(([name]) => name.length)) + leastGap;
  const fits = names + Math.max(...values.map(({ length }) => length)) <= width;
  return rows.flatMap(([name], index) =>
    fits ? [`${name.padEnd(names)}${values[index]}`] : [name, `  ${values[index]}`],
  );
}

const longestName = 60;

function namesOf({ comparisons }: PairedDetection): (of: ComparisonDetection) => string {
  const differs = (of: (each: ComparisonDetection) => unknown): boolean => new Set(comparisons.map(of)).size > 1;
  const [byLink, byMetric] = [differs(({ link }) => link), differs(({ metric }) => metric)];
  return ({ one, other, link, title }) => {
    const name = `${one} against ${other}${byMetric ? `, ${title}` : ""}${byLink && link !== null ? `, ${link}` : ""}`;
    return name.length > longestName ? `${name.slice(0, longestName - 3)}...` : name;
  };
}

/** Of several comparisons what shows the effect in each of them. */
function mostOf(comparisons: readonly ComparisonDetection[]): PairedRunsNeeded[] {
  const [first] = comparisons;
  return (first?.needed ?? []).flatMap((_, index) => {
    const all = comparisons.flatMap(({ needed }) => needed[index] ?? []);
    return all.reduce((most, each) => (most.runs === null || (each.runs ?? Infinity) <= most.runs ? most : each));
  });
}

/** `noun`: of what is run, in the plural. Within 80 columns. */
export function pairedLines(detection: PairedDetection, noun: string): string[] {
  const { comparisons, further, together, runs, detect_percent } = detection;
  const nameOf = namesOf(detection);
  const [widest] = comparisons as [ComparisonDetection];
  const most = comparisons.length > 1 ? ", the widest" : "";
  const corrected = together > 1 ? `; corrected for ${count(together, "comparison")} that are read together` : "";
  const left = further > 0 ? `; ${count(further, "more comparison varies", "more comparisons vary")} less` : "";
  const noise = `vary by ${plain(widest.spread_percent)} % (${nameOf(widest)}${most}; standard deviation), ${sweepWords({ ...detection, ...widest }, noun)}${corrected}${left}`;
  const shown = comparisons.map((each) => [nameOf(each), shownWords(each.shown)] as const);
  const needed = comparisons.map((each) => [nameOf(each), each.needed.map(runsWords)] as const);
  const inAll = comparisons.length > 1 ? [["in each of these", mostOf(comparisons).map(runsWords)] as const] : [];
  const isBeyond = comparisons.some((each) => each.objects > 1 && each.needed.some((of) => of.runs === null));
  const remedy = isBeyond ? ["Objects differ by more than that: more of them help, and no runs."] : [];
  return [
    ...paragraph(noun, noise),
    ...titled("shows", [shownTitle(runs), ...rowsOf(shown)]),
    ...(detect_percent === null
      ? []
      : titled("needs", [neededTitle(detect_percent), ...rowsOf([...needed, ...inAll]), ...remedy])),
  ];
}
