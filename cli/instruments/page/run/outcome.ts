// What a finished sweep says in the terminal and in its last event: the answer, a table no wider than 80 columns, further
// verdicts. Pure: loads in, text out. The comparison is cli/results/verdict's, the answer cli/results/answer's.
import type { CellResult, SweepFinished } from "../../../../schemas/generated/sweep_event.ts";
import { middleCut } from "../../../base/middle_cut.ts";
import { formatMedian } from "../../../base/numbers.ts";
import type { ShownLine } from "../../../base/terminal_text.ts";
import { textTable } from "../../../base/text_table.ts";
import { wrapped } from "../../../base/wrapped_text.ts";
import { shortLabel } from "../../../link/label.ts";
import { traitsByLink } from "../../../link/link.ts";
import { isDisturbed } from "../../../load/disturbance.ts";
import { liveSentence } from "../../../load/servers/servers.ts";
import { type Answer, answerLines, furtherSentence } from "../../../results/answer/answer.ts";
import { dilationSentence } from "../../../results/answer/dilated_sweeps.ts";
import { countStatuses } from "../../../results/store/attempt_rows.ts";
import type { Cell, Load } from "../../../results/store/results.ts";
import { comparedMetric, samplesOf } from "../../../results/verdict/compared_metric.ts";
import { decidedWithin, stoppingSentence, stoppingSummary } from "../../../results/verdict/load_stopping_outcome.ts";
import { sortLanes } from "../../../results/verdict/sample.ts";
import { sidesOf } from "../../../results/verdict/sides_agree.ts";
import { summarize, summarizeCompared } from "../../../results/verdict/summary.ts";
import { type PairVerdict, verdictBy, winsLine } from "../../../results/verdict/sweep_verdict.ts";
import { laneTable, reasonsOf } from "../../../results/verdict/verdict.ts";
import type { Plan } from "../../../sweep/plan/plan_document.ts";
import { formatDuration } from "../../../sweep/progress/progress_lines.ts";
import { laneTracks } from "./lane_tracks.ts";
import { strictRemedy, uncoveredRemedy } from "./uncovered_pages.ts";

/** A longer table is the report's to show. */
const maximumRows = 40;

export interface Outcome {
  /** Which lane, by how much, why, how sure. Empty: none was given. */
  readonly answer: readonly string[];
  /** A race's lanes, drawn; empty for a sweep of several pages or links. */
  readonly tracks: readonly ShownLine[];
  readonly table: readonly string[];
  readonly verdict: string[];
  /** If many loads do not count: what to do; null: nothing. Follows the verdict, unless a failure names its own (failureOf). */
  readonly remedy: string | null;
  readonly cells: CellResult[];
  readonly counts: Pick<SweepFinished, "valid" | "invalid" | "failed" | "given_up">;
}

/** One row per page and link, and browser where there are several; one column of medians per lane. */
function mediansTable(groups: readonly (readonly CellResult[])[]): string[] {
  const all = groups.flatMap((cells) => sidesOf(cells));
  const lanes = sortLanes(all.flatMap(({ loads }) => loads.map(({ lane }) => lane)));
  // A page that is the same in each row says nothing.
  const isSaid = new Set(all.map(({ loads }) => loads[0]?.page)).size > 1;
  const sides = new Set(all.map(({ name }) => name)).size > 1;
  const room = isSaid ? (sides ? 18 : 24) : 40;
  const rows = all.slice(0, maximumRows).map(({ name, loads: cells }) => [
    ...(isSaid ? [middleCut(cells[0]?.page ?? "", room)] : []),
    middleCut(shortLabel(cells[0]?.link ?? ""), room),
    ...(sides ? [name] : []),
    ...lanes.map((lane) => {
      const { median_ms = null, at_least = false } = cells.find((cell) => cell.lane === lane) ?? {};
      return median_ms === null ? "none" : formatMedian(median_ms, at_least);
    }),
  ]);
  const heads = [...(isSaid ? ["page"] : []), "link", ...(sides ? [""] : []), ...lanes];
  const lines = textTable([heads, ...rows]);
  const hidden = all.length - rows.length;
  return hidden > 0 ? [...lines, `and ${hidden} more rows, see the report`] : lines;
}

const noAnswer: Answer = {
  ...{ pair: null, sentence: "", hasInterval: false },
  ...{ why: null, paths: null, sure: null, left: null, gain: null, further: [] },
};

/** What else there is to say of a sweep. */
interface Further {
  /** Of modelled pages. */
  readonly modelled?: ReadonlyMap<string, string>;
  readonly answer?: Answer;
  /** Runs that the time did not suffice for. */
  readonly cut?: number;
  /** How its figures stand beside a study's. */
  readonly published?: readonly string[];
}

/** `planned`: without those that were not needed. */
export function outcomeOf(
  cells: readonly Cell[],
  loads: readonly Load[],
  plan: Plan,
  planned: number,
  { modelled = new Map(), answer = noAnswer, cut = 0, published = [] }: Further = {},
): Outcome {
  const { seed, until, repetitions, metric } = plan;
  const samples = samplesOf(loads, metric);
  const groups = [...Map.groupBy(samples, (load) => JSON.stringify([load.page, load.link])).values()];
  // In the plan's order, not in that of the loads.
  const place = new Map(cells.map((cell, index) => [JSON.stringify([cell.page, cell.link]), index]));
  groups.sort((a, b) => (place.get(keyOf(a)) ?? 0) - (place.get(keyOf(b)) ?? 0));
  const summaries = groups.map((group) => summarize(group));
  const results = groups.map((group, index) =>
    (summaries[index] ?? []).map(
      (summary): CellResult => ({
        page: group[0]?.page ?? "",
        link: group[0]?.link ?? "",
        lane: summary.lane as CellResult["lane"],
        median_ms: summary.median_ms,
        low_ms: summary.interval_ms?.low ?? null,
        high_ms: summary.interval_ms?.high ?? null,
        at_least: summary.isAtLeast,
        valid: summary.valid,
        invalid: summary.invalid,
        failed: summary.failed,
        timed_out: summary.timed_out,
      }),
    ),
  );
  const links = traitsByLink(cells);
  const verdict = verdictBy(metric, loads, links, seed);
  const table =
    summaries.length === 1
      ? textTable(laneTable(summarizeCompared(groups[0] ?? [], seed), comparedMetric(metric).title))
      : mediansTable(results);
  const [only, second] = groups;
  const isDecided = decidedWithin(until) !== null;
  const tracks =
    only && !second
      ? laneTracks(summaries[0] ?? [], only, isDecided ? [] : verdict.pairs.map(({ overall }) => overall))
      : [];
  // Link by link a test would count one look, of loads that stopped by what they showed.
  const isLinkByLink = links.size > 1 && !isDecided;
  const winsOf = (pair: PairVerdict): string | null => (isLinkByLink ? winsLine(pair) : null);
  const answered = verdict.pairs.find((pair) => furtherSentence(pair, answer) === null);
  const sentences = [
    ...verdict.pairs.flatMap((pair) => (pair === answered ? [] : [furtherSentence(pair, answer), winsOf(pair)])),
    ...verdict.notes,
    ...published,
    until ? stoppingSentence(stoppingSummary(cells, samples, metric, until, repetitions)) : null,
    cut > 0 ? `The time was over before ${cut} of ${cells.length * repetitions} planned runs.` : null,
    dilationSentence(plan),
    liveSentence(plan),
    ...modelled.values(),
    verdict.excluded,
    answer.left?.warning?.line ?? null,
  ].filter((sentence) => sentence !== null);
  const counts = countStatuses(loads);
  return {
    answer: answer === noAnswer ? [] : answerLines(answer, answered ? winsOf(answered) : null),
    tracks,
    table,
    verdict: sentences,
    remedy: answer.left?.warning?.remedy ?? null,
    cells: results.flat(),
    counts: { ...counts, given_up: planned - counts.valid },
  };
}

function keyOf([load]: readonly Load[]): string {
  return JSON.stringify([load?.page, load?.link]);
}

/** The lines for people: the answer first. */
export function outcomeLines({
  answer,
  tracks,
  table,
  verdict,
}: Pick<Outcome, "answer" | "tracks" | "table" | "verdict">): ShownLine[] {
  const paragraph = (sentences: readonly string[]): string[] =>
    sentences.length === 0 ? [] : [...sentences.flatMap((sentence) => wrapped(sentence)), ""];
  const lines = (texts: readonly string[]): ShownLine[] => texts.map((text) => ({ text }));
  return [
    ...lines(paragraph(answer)),
    ...(tracks.length === 0 ? [] : [...tracks, { text: "" }]),
    ...lines([...table, "", ...paragraph(verdict)]),
  ];
}

export interface Ended {
  readonly sweep: number;
  readonly plan: { readonly lanes: readonly string[]; readonly strict?: boolean };
  readonly loads: readonly Load[];
  readonly answer: Answer;
  /** As of `outcomeOf`. */
  readonly cut: number;
  /** The time in which an answer was needed; undefined: none is. */
  readonly limit_s?: number | undefined;
}

/** Of a sweep that was run to its end: that it is of no use, why, and what to do; null: it is of some. */
export function failureOf({ sweep, plan, loads, answer, cut, limit_s }: Ended): string | null {
  if (!loads.some(({ status }) => status === "valid")) {
    const [reason = "no reason was recorded"] = reasonsOf(loads).keys();
    const remedy = strictRemedy(plan.strict, loads) ?? uncoveredRemedy(plan.lanes, loads) ?? disturbedRemedy(loads);
    return `no load of sweep ${sweep} was valid: ${remedy ?? `${reason}: see its report, and what \`trilane doctor\` finds`}`;
  }
  if (limit_s === undefined || answer.hasInterval) return null;
  return cut > 0
    ? `no answer in ${formatDuration(limit_s)}: run it again while less else runs`
    : `no answer, because too many loads do not count: see the report, and what \`trilane doctor\` finds`;
}

/** Of a sweep without a valid load: what to do if the machine disturbed each of them; null: it did not. */
export function disturbedRemedy(loads: readonly Pick<Load, "reasons">[]): string | null {
  if (loads.length === 0 || !loads.every(({ reasons }) => reasons.some(isDisturbed))) return null;
  return "the machine disturbed all of them: run it again on a calmer one";
}
