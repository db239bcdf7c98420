// A race as one document by schemas/race-result.schema.json: numbers, verdict, and of each lane the load nearest its median
// and its filmstrip. For who shows a race without reading a report: the extension. Computes no statistics of its own.
import { existsSync } from "node:fs";
import { harForReaders } from "../../extension/har/redact.ts";
import type { ExcludedLoads, RaceComparison, RaceLane, RaceResult } from "../../schemas/generated/race_result.ts";
import { UserError } from "../base/errors.ts";
import { knownEnd } from "../base/interval.ts";
import { isLane, laneOf } from "../base/lanes.ts";
import { linkSentence } from "../link/label.ts";
import { describeLink, traitsByLink } from "../link/link.ts";
import { answerLines, furtherSentence } from "../results/answer/answer.ts";
import { storedAnswer } from "../results/answer/stored_answer.ts";
import type { Cell, Film, Load, Results, Sweep } from "../results/store/results.ts";
import { busyPlaces } from "../results/verdict/busy_machine.ts";
import { usualMetric } from "../results/verdict/compared_metric.ts";
import { direction, type Improvement, limitOf } from "../results/verdict/comparison.ts";
import { decidedWithin, placeDecisions } from "../results/verdict/load_stopping_outcome.ts";
import type { PairDecision } from "../results/verdict/load_stopping_rule.ts";
import { counted, isValid, sortLanes, timedOut } from "../results/verdict/sample.ts";
import { type LaneSummary, summarize } from "../results/verdict/summary.ts";
import { sweepVerdict } from "../results/verdict/sweep_verdict.ts";
import { reasonKind } from "../results/verdict/verdict.ts";
import { typicalLoad } from "./data.ts";
import { reportPath } from "./report_files.ts";

/** The cells of a sweep that is a race: one page on one link. UserError for any other. */
function racedCells(results: Results, sweep: Sweep): [Cell, ...Cell[]] {
  const cells = results.cellsOf(sweep.id);
  const [first] = cells;
  if (first === undefined || cells.some(({ page, link }) => page !== first.page || link !== first.link))
    throw new UserError(
      `sweep ${sweep.id} is no race: it has several pages or links; export it as har, csv or json, or choose another (see \`trilane list\`)`,
    );
  if (!cells.every(({ lane }) => isLane(lane)))
    throw new UserError(
      `sweep ${sweep.id} is no race: its lanes have settings, browsers or servers; export it as har, csv or json`,
    );
  return cells as [Cell, ...Cell[]];
}

function laneResult(
  results: Results,
  cell: Cell,
  loads: readonly Load[],
  film: Film | undefined,
  { summary, keepCredentials }: { summary: LaneSummary | undefined; keepCredentials: boolean },
): RaceLane {
  const own = loads.filter((load) => load.lane === cell.lane);
  const typical = typicalLoad(own);
  const load = typical === null ? null : results.harOf(typical.id);
  return {
    lane: laneOf(cell.lane),
    loads: summary?.valid ?? 0,
    invalid: own.filter((load) => counted(load) === null).length,
    timed_out: own.filter(timedOut).length,
    median_ms: summary?.median_ms ?? null,
    at_least: summary?.isAtLeast ?? false,
    low_ms: summary?.interval_ms?.low ?? null,
    high_ms: summary?.interval_ms?.high ?? null,
    plts_ms: own.flatMap((load) => (isValid(load) && load.plt_ms !== null ? [load.plt_ms] : [])),
    load: load && !keepCredentials ? harForReaders(load) : load,
    filmstrip:
      film?.frames.map(({ time_ms, jpeg }) => ({ time_ms, jpeg: Buffer.from(jpeg).toString("base64") })) ?? null,
    filmed_plt_ms: film?.plt_ms ?? null,
  };
}

/** `decisions`: what the loads stopped by; empty where their number was fixed before. */
function comparisonOf(result: Improvement, decisions: readonly PairDecision[]): RaceComparison {
  const { pair } = result;
  const decided = decisions.find((each) => each.pair.lane === pair.lane && each.pair.over === pair.over);
  const { percent, interval } = result.percent === null ? result : (decided ?? result);
  const way = decided?.decision ?? direction(result);
  return {
    lane: pair.lane as RaceComparison["lane"],
    against: pair.over as RaceComparison["against"],
    improvement_percent: percent ?? result.percent,
    low: knownEnd(interval?.low),
    high: knownEnd(interval?.high),
    decided: way === "faster" || way === "slower",
    ...(decided ? { decision: decided.decision } : {}),
    limit: result.percent === null ? null : limitOf(result),
    reason: interval === null ? result.reason : null,
  };
}

function excludedOf(loads: readonly Load[]): ExcludedLoads[] {
  const excluded = loads.filter((load) => counted(load) === null);
  const byReason = Map.groupBy(excluded, ({ reasons: [first] }) =>
    first === undefined ? "no reason recorded" : reasonKind(first),
  );
  return [...byReason].map(([reason, { length }]) => ({ reason, count: length })).sort((a, b) => b.count - a.count);
}

/** Nothing of a calm machine. */
function busyMachineOf(samples: readonly Load[]): Pick<RaceResult, "busy_machine"> {
  const [place] = busyPlaces(samples);
  if (!place) return {};
  const { busy: loads, all: of, unknown, estimate_ms, slope, off_ms } = place;
  const { low, high } = slope?.interval ?? { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const estimate = slope?.estimate ?? null;
  const known = estimate === null || !Number.isFinite(high - low) ? null : { estimate, low, high };
  return { busy_machine: { loads, of, unknown, estimate_ms, slope: known, off_ms } };
}

/** UserError where the sweep has more than one page or link. */
export function raceResult(results: Results, home: string, sweep: Sweep, keepCredentials = false): RaceResult {
  const cells = racedCells(results, sweep);
  const [{ link, link_profile }] = cells;
  const loads = results.loadsOf(sweep.id);
  const films = results.filmsOf(sweep.id);
  const verdict = sweepVerdict(loads, traitsByLink(cells), sweep.seed);
  // Of all lanes together: what a busy machine added is estimated from all of them.
  const summaries = summarize(loads);
  const lanes = sortLanes(cells.map(({ lane }) => lane)).flatMap((lane) => {
    const cell = cells.find((each) => each.lane === lane);
    const summary = summaries.find((each) => each.lane === lane);
    const film = films.find((each) => each.cell === cell?.id);
    return cell ? [laneResult(results, cell, loads, film, { summary, keepCredentials })] : [];
  }) as [RaceLane, ...RaceLane[]];
  const shown = lanes.find(({ load }) => load !== null)?.load;
  const report = reportPath(home, sweep);
  const { name } = describeLink(link_profile);
  const answer = storedAnswer(results, { sweep, cells, stored: loads }, usualMetric);
  const margin_percent = decidedWithin(sweep.plan.until);
  const decisions = margin_percent === null ? [] : placeDecisions(cells, loads, margin_percent);
  const further = verdict.pairs.flatMap((pair) => furtherSentence(pair, answer) ?? []);
  return {
    schema: "trilane/race-result/1",
    page: cells[0].page,
    url: shown?.log.entries[0]?.request.url ?? null,
    link: { form: link, label: `${name === null ? "" : `${name}: `}${linkSentence(link_profile)}` },
    runs: sweep.plan.repetitions,
    sweep: sweep.id,
    lanes,
    comparisons: verdict.pairs.map(({ overall }) => comparisonOf(overall, decisions)),
    verdict: { sentences: [...answerLines(answer), ...further, ...verdict.notes] },
    excluded: excludedOf(loads),
    ...busyMachineOf(loads),
    report_path: existsSync(report) ? report : null,
    made: sweep.finished_at ?? sweep.created_at,
  };
}
