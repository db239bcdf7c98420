// Runs a plan's flow runs: what one is to be, what of it is stored, and what is reported of it. In which order, when one waits and when
// it is tried again is cli/engine/runner.ts's; how a run is made is attempt.ts's.

import type { FlowResult } from "../../../../schemas/generated/flow_result.ts";
import type {
  FlowRunFinished,
  FlowRunStarted,
  SweepPaused,
  SweepStarted,
} from "../../../../schemas/generated/sweep_event.ts";
import type { AttemptTerms, RunnerOptions, RunOutcome } from "../../../engine/measuring.ts";
import { runTasks } from "../../../engine/runner.ts";
import { stoppingOf } from "../../../engine/stopping.ts";
import { flowRunOf } from "../../../link/flows/flow_run.ts";
import type { EventWords } from "../../../sweep/progress/event_words.ts";
import { counted, type RuledFlowRun, ruledFlows } from "../answer/contrasts.ts";
import type { FlowPlan } from "../plan/plan.ts";
import { runPlace, runSeed } from "../plan/run_order.ts";
import { packRecords, thinnedRecords } from "../records/stored_records.ts";
import { flowRunsOf, recordFlowRun } from "../store/flow_runs.ts";
import type { FlowSweep } from "../store/stored_plan.ts";
import type { FlowAttempt, FlowAttemptRequest } from "./attempt.ts";
import type { RunPage } from "./page_run.ts";
import { contrastedCell, type FlowTask, type RunCell } from "./tasks.ts";

export interface FlowRunnerOptions extends RunnerOptions<RunCell> {
  readonly home: string;
  readonly sweep: FlowSweep;
  readonly plan: FlowPlan;
  readonly attempt: (request: FlowAttemptRequest) => Promise<FlowAttempt>;
  /** The numbers of a run, by what it left. */
  readonly resultOf: (records: NonNullable<FlowAttempt["records"]>, cell: RunCell) => FlowResult;
  /** What is loaded while a cell's flows run; without it no page is. */
  readonly pageOf?: (cell: RunCell) => RunPage;
  readonly tell: (event: SweepStarted | SweepPaused | FlowRunStarted | FlowRunFinished) => void;
}

/** With the numbers that are stored of it. */
interface MeasuredAttempt extends FlowAttempt {
  readonly result: FlowResult | null;
}

function placeOf({ cell: { mix, link, lane }, planned: { position, block } }: FlowTask, attempt: number) {
  return { position, mix, link, lane, block, attempt };
}

function requestOf(
  { home, plan, pageOf }: FlowRunnerOptions,
  { cell, planned: { block } }: FlowTask,
  terms: AttemptTerms,
): FlowAttemptRequest {
  return {
    ...{ home, ...terms },
    run: flowRunOf(cell.flows, plan),
    link: { ...cell.link_profile, seed: runSeed(plan, cell, block) },
    ...(plan.tolerance ? { tolerance: plan.tolerance } : {}),
    ...(pageOf ? { page: pageOf(cell) } : {}),
  };
}

/** What is run, on a terminal's line and in a log. */
const placeWords = ({ mix, link, lane }: Pick<FlowRunFinished, "mix" | "link" | "lane">): string =>
  `${mix} ${link}${lane === null ? "" : ` ${lane}`}`;

export const flowEvents: EventWords = {
  nouns: ["run", "runs"],
  shown: (event) => {
    if (event.event === "flow-run-started") return { began: `, ${placeWords(event)}` };
    if (event.event !== "flow-run-finished") return null;
    return { ended: { ...event, all: event.runs, place: placeWords(event) } };
  },
};

/** Runs until every planned run has a valid attempt or has used up its attempts, or until the signal. */
export function runFlowSweep(options: FlowRunnerOptions): Promise<RunOutcome> {
  const { results, sweep, plan, tasks, resultOf, tell } = options;
  const stored = new Map(tasks.map(({ cell }) => [cell.id, cell]));
  // In the plan's order, which says what is compared with what; tasks are shuffled.
  const cells = [...stored.values()].toSorted((a, b) => a.id - b.id);
  const stopping = stoppingOf<RunCell, RuledFlowRun>(
    plan,
    ruledFlows(cells.map(contrastedCell)),
    flowRunsOf(results, sweep.id),
  );
  return runTasks<RunCell, MeasuredAttempt>(
    { ...options, ...stopping.terms },
    {
      starting: { kind: "flows" },
      counted,
      tell,
      began: (task) => tell({ event: "flow-run-started", ...placeOf(task, task.attempts) }),
      placeOf: runPlace,
      // The number first: mixes are long.
      evidenceNames: ({ id, mix, link, lane }) => ({
        folders: [`cell-${id}-${mix}`, link],
        ...(lane === null ? {} : { variant: lane }),
      }),
      attempt: async (task, terms) => {
        const made = await options.attempt(requestOf(options, task, terms));
        return { ...made, result: made.records && resultOf(made.records, task.cell) };
      },
      store: (row, { records, result, pageLoad }) => {
        const series = records && packRecords(thinnedRecords(records));
        return recordFlowRun(results, { ...row, result, series, pageLoad });
      },
      ended: (task, made, { attempt, row, done, all, left_s }) => {
        const { status, reasons, wall_ms } = made;
        stopping.add(task, made);
        tell({
          event: "flow-run-finished",
          ...placeOf(task, attempt),
          ...{ run: row, status, reasons: [...reasons], wall_ms },
          ...{ done, runs: all, left_s },
        });
      },
    },
  );
}
