// Bulk flows as an instrument of the engine: which cells a plan has, what one run is to be, and what came of all of them. How a run
// is made is attempt.ts's, in which order the engine's.

import type { FlowResult } from "../../../../schemas/generated/flow_result.ts";
import { RunError } from "../../../base/errors.ts";
import { chromiumPath, programPath } from "../../../base/programs.ts";
import { wrapped } from "../../../base/wrapped_text.ts";
import type { ExecutionTerms, Instrument, RunSession } from "../../../engine/instrument.ts";
import type { Labs } from "../../../engine/labs.ts";
import { begunSweep } from "../../../engine/session.ts";
import { groupsOf } from "../../../link/flows/flow_run.ts";
import { excludedAttempts } from "../../../load/disturbance.ts";
import { tryLab } from "../../../load/lab.ts";
import { stockServing } from "../../../load/serving/serving.ts";
import type { Recording } from "../../../recording/archive/archive.ts";
import { failedUrlsOf } from "../../../recording/archive/recorded_requests.ts";
import { isSynthetic } from "../../../recording/archive/recording_source.ts";
import { stoppingSentences } from "../../../results/answer/rule_outcome.ts";
import { countStatuses } from "../../../results/store/attempt_rows.ts";
import { cellsOfShard, shardFacts } from "../../../sweep/cluster/shared_plan.ts";
import { pageName } from "../../../sweep/plan/page_patterns.ts";
import { pinnedPages } from "../../../sweep/plan/pinned_pages.ts";
import type { Progress } from "../../../sweep/progress/progress.ts";
import { counted, flowContrasts, flowStopping } from "../answer/contrasts.ts";
import { tcpBufferNotes } from "../answer/tcp_buffers.ts";
import { openLiveView } from "../live/live_view.ts";
import { flowResult } from "../metrics/flow_result.ts";
import { guessRun_ms } from "../plan/estimate.ts";
import { cellsOf, type FlowPlan, flowPlanDigest, pageOf } from "../plan/plan.ts";
import type { FlowRecords } from "../records/flow_records.ts";
import { addedFlows, type FlowRunRow, flowPageLoadOf, flowRunsOf } from "../store/flow_runs.ts";
import type { FlowSweep } from "../store/stored_plan.ts";
import { attemptFlowRun, type FlowAttemptRequest } from "./attempt.ts";
import { flowCellResults, flowTable, noneValidReason } from "./outcome.ts";
import { attemptPageRun, type RunPage } from "./page_run.ts";
import { flowEvents, runFlowSweep } from "./runner.ts";
import { contrastedCell, flowTasks, type RunCell, runCells } from "./tasks.ts";

export interface FlowExecution extends ExecutionTerms {
  readonly plan: FlowPlan;
}

/** The numbers of a run, by what it left. */
const resultOf = (records: FlowRecords, { flows }: RunCell): FlowResult => flowResult(records, groupsOf(flows));

/** On a terminal whose last line is progress, the flows are shown below it, if they are of one run at a time. */
function watchOf({ below }: Progress, labs: Labs | undefined): Pick<FlowAttemptRequest, "watch"> {
  return below && (labs?.most ?? 1) === 1 ? { watch: (run, files) => openLiveView({ run, files, draw: below }) } : {};
}

export function flowInstrument(execution: FlowExecution): Instrument<FlowSweep> {
  const { home, source, plan, shard } = execution;
  const flowCells = cellsOfShard(cellsOf(plan), shard, ({ link }) => link);
  const page = pageOf(plan);
  const made = {
    recordings: null as ReadonlyMap<string, Recording> | null,
    pinned: new Map() as ReadonlyMap<string, number>,
  };
  const cellsIn = (results: Parameters<typeof runCells>[0], sweep: FlowSweep) => runCells(results, sweep, flowCells);
  return {
    noun: "runs",
    events: flowEvents,
    profiles: flowCells.map(({ link_profile }) => link_profile),
    blocks: plan.repetitions,
    prepare: async (held, progress) => {
      made.recordings =
        page && (await held(() => source.preparePages(home, [page.page], (event) => progress.tell(event))));
      if (page) chromiumPath();
      programPath("trilane-flows");
      await tryLab();
      return made.recordings ?? new Map();
    },
    begin: (results, start) => {
      const { name, seed } = plan;
      const recording_digest = [...(made.recordings?.values() ?? [])][0]?.digest ?? null;
      const noted = { plan_digest: flowPlanDigest(plan), recording_digest, seed, ...start, flowCells };
      return begunSweep(results, addedFlows({ name, plan, ...noted }), execution);
    },
    counted,
    settle: async (session) => {
      if (made.recordings) made.pinned = await pinnings(execution, made.recordings, session);
    },
    run: ({ progress, ...session }) => {
      const { results, sweep, labs } = session;
      const watch = watchOf(progress, labs);
      const cells = cellsIn(results, sweep);
      const pages = runPages(plan, made.recordings, made.pinned);
      const pageSize = [...(made.recordings?.values() ?? [])][0] ?? null;
      return runFlowSweep({
        ...{ ...session, home, plan, resultOf },
        tasks: flowTasks(results, sweep, plan, cells),
        attempt: (request) =>
          request.page
            ? attemptPageRun({ ...request, ...watch }, request.page)
            : attemptFlowRun({ ...request, ...watch }),
        ...(pages ? { pageOf: pages } : {}),
        guess_ms: (cell) => guessRun_ms(plan, cell, pageSize),
      });
    },
    conclude: ({ results, sweep }, { all: runs, wall_ms }) => {
      const all = flowRunsOf(results, sweep.id);
      const plt_ms = ({ id, lane }: FlowRunRow): number | null =>
        lane === null ? null : (flowPageLoadOf(results, id)?.log._trilane.metrics.plt_ms ?? null);
      const stored = cellsIn(results, sweep);
      const cells = flowCellResults(stored, all, plt_ms);
      const counts = countStatuses(all);
      const facts = { runs, ...counts, given_up: runs - counts.valid, wall_s: wall_ms / 1000 };
      const verdict = shard ? [] : comparisons(sweep, stored, all);
      const excluded = excludedAttempts(
        all.filter(({ status }) => status !== "valid"),
        all.length,
      );
      const sentences = [...verdict, ...tcpBufferNotes(flowCells), excluded].filter((sentence) => sentence !== null);
      const further = sentences.flatMap((sentence) => wrapped(sentence));
      return {
        event: (report) =>
          shard
            ? { event: "flow-cell-finished", ...shardFacts(shard), ...facts, cells }
            : { event: "flows-finished", sweep: sweep.id, ...facts, report, verdict, cells },
        lines: [...flowTable(cells), "", ...further, ...(further.length > 0 ? [""] : [])],
        failure:
          counts.valid > 0 ? null : new RunError(`no run of sweep ${sweep.id} was valid: ${noneValidReason(all)}`),
      };
    },
  };
}

/** Who got more, and what the plan's rule came to. */
function comparisons(sweep: FlowSweep, cells: readonly RunCell[], all: readonly FlowRunRow[]): string[] {
  const compared = cells.map(contrastedCell);
  return [...flowContrasts(compared, all, sweep.plan), ...stoppingSentences(flowStopping(sweep, compared, all, true))];
}

/** What each cell's run loads during its flows; null: nothing. */
function runPages(
  plan: FlowPlan,
  recordings: ReadonlyMap<string, Recording> | null,
  pinned: ReadonlyMap<string, number>,
): ((cell: RunCell) => RunPage) | null {
  const page = pageOf(plan);
  const recording = page && recordings?.get(pageName(page.page));
  if (!page || !recording) return null;
  const { name, digest, url } = recording;
  const loaded = { name, digest, url, failedUrls: failedUrlsOf(recording) };
  const strict = isSynthetic(recording);
  const start_ms = Math.round(page.start_s * 1000);
  return ({ lane }) => {
    if (lane === null) throw new Error("unreachable: each cell of a plan with a page has a lane");
    return { recording: loaded, strict, lane, start_ms, pinned_ms: pinned.get(name) ?? null };
  };
}

/**
 * To which moment the page's clock is set, as pages without flows have it: decided by a trial load without them, once for each recording.
 * Several machines must do the same, and try nothing.
 */
async function pinnings(
  { home, plan, shard }: FlowExecution,
  recordings: ReadonlyMap<string, Recording>,
  { results, sweep, signal, store, tell }: Omit<RunSession<FlowSweep>, "links">,
): Promise<ReadonlyMap<string, number>> {
  return await pinnedPages({
    ...{ home, recordings, sweep: sweep.id, decides: shard === undefined, store, signal, tell },
    plan: { serving: stockServing, timeout_s: plan.for_s },
    results: {
      trialOf: (digest) => results.trialOf(digest),
      recordTrial: (digest, trial) => results.recordTrial(digest, trial),
      // Kept with the recording alone: a sweep of flows has no cells of pages.
      pinningsOf: () => new Map(),
      recordPinning: () => undefined,
    },
    tryRecording: (await import("../../../load/pin_decision.ts")).tryRecording,
  });
}
