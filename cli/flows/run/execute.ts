// Runs a plan of flows to its end, to Ctrl-C, or to what would fail every run: the sweep begun or gone on with, its runs made, and what came
// of them shown. Parses no words and writes no plan.
import type { FlowResult } from "../../../schemas/generated/flow_result.ts";
import { RunError } from "../../base/errors.ts";
import { watchSignals } from "../../base/interruption.ts";
import { chromiumPath, programPath } from "../../base/programs.ts";
import { printLines } from "../../base/terminal_text.ts";
import { refuseChangedFiles } from "../../link/files.ts";
import { askLabLinks, tryLab } from "../../load/lab.ts";
import { programDigests } from "../../load/program_digests.ts";
import { stockServing } from "../../load/serving/serving.ts";
import type { Recording } from "../../recording/archive/archive.ts";
import { failedUrlsOf } from "../../recording/archive/recorded_requests.ts";
import {
  type FlowRunRow,
  type FlowSweep,
  openResults,
  openSharedResults,
  type Results,
} from "../../results/store/results.ts";
import type { AskedToEnd } from "../../sweep/asked_to_end.ts";
import { retryWhileBlocked, type Waiting, writeWait_ms } from "../../sweep/blocking_conditions.ts";
import type { CellShard } from "../../sweep/cluster/run_cell.ts";
import { makeEvidenceFolder } from "../../sweep/evidence_folder.ts";
import { linksToTest, openLinkTests } from "../../sweep/link_tests.ts";
import type { OrderedOutcome } from "../../sweep/ordered_runner.ts";
import { wrapped } from "../../sweep/outcome.ts";
import { preparePages } from "../../sweep/plan/pages.ts";
import { pinnedPages } from "../../sweep/plan/pinned_pages.ts";
import { pageName } from "../../sweep/plan/plan.ts";
import { openProgress, type Progress } from "../../sweep/progress/progress.ts";
import type { Verbosity } from "../../sweep/progress/progress_log.ts";
import { held, machineEnvironment, releaseQuietly, sayStopped, waitingOf } from "../../sweep/session.ts";
import { groupsOf } from "../language/flow_run.ts";
import { openLiveView } from "../live/live_view.ts";
import { flowResult } from "../metrics/flow_result.ts";
import { guessRun_ms } from "../plan/estimate.ts";
import { cellsOf, type FlowPlan, flowPlanDigest, pageOf } from "../plan/plan.ts";
import type { FlowRecords } from "../records/flow_records.ts";
import { attemptFlowRun, type FlowAttemptRequest } from "./attempt.ts";
import { flowEvidenceFolder } from "./evidence.ts";
import { countsOf, excludedSentence, flowCellResults, flowTable, noneValidReason } from "./outcome.ts";
import { attemptPageRun, type RunPage } from "./page_run.ts";
import { runFlowSweep } from "./runner.ts";
import { flowTasks, type RunCell, runCells } from "./tasks.ts";

export interface FlowExecution {
  readonly home: string;
  readonly plan: FlowPlan;
  /** Begin again even where the plan has an unfinished sweep. */
  readonly fresh: boolean;
  readonly json: boolean;
  /** A folder below which each run leaves what it ran with: reports, samples, a capture, qlogs. */
  readonly evidence?: string | undefined;
  readonly verbosity?: Verbosity | undefined;
  /** Default: only signals end it early. */
  readonly askedToEnd?: AskedToEnd;
  /** Only one link of the plan, into a file of its own; without a report. */
  readonly shard?: FlowShard;
}

/** The part of a plan that one machine runs. */
export interface FlowShard extends CellShard {
  /** Its number, and the link in its short form that this stands for. */
  readonly cell: number;
  readonly link: string;
}

/**
 * Sets the exit status where it was stopped. False: its shard is finished already, and nothing was run. RunError where no run was
 * valid.
 */
export async function executeFlows(execution: FlowExecution): Promise<boolean> {
  const { home, plan, fresh, json, evidence, askedToEnd, shard } = execution;
  if (evidence !== undefined) makeEvidenceFolder(evidence);
  const { stdout: out, stderr: err, env: environment } = process;
  const progress = openProgress({ json, out, err, environment, verbosity: execution.verbosity });
  const remedy = "nothing has begun, run the same command again";
  const begin = <T>(work: () => T | Promise<T>) => held(work, waitingOf(askedToEnd, progress, null), remedy);
  const results = await begin(() =>
    shard ? openSharedResults(shard.path, writeWait_ms) : openResults(home, writeWait_ms),
  );
  try {
    const flowCells = cellsOf(plan).filter(({ link }) => shard === undefined || link === shard.link);
    for (const { link_profile } of flowCells) refuseChangedFiles(link_profile, results.remedies.again);
    const page = pageOf(plan);
    const recordings = page && (await begin(() => preparePages(home, [page.page], (event) => progress.tell(event))));
    if (recordings) shard?.check(recordings);
    // What would fail every run is found before there is a sweep to go on with.
    if (page) chromiumPath();
    programPath("trilane-flows");
    await tryLab();
    const { name, seed } = plan;
    const command = ["trilane", ...process.argv.slice(2)];
    const facts = { ...machineEnvironment(), ...(await programDigests()) };
    const host = shard ? { host: shard.host } : {};
    const digest = { plan_digest: flowPlanDigest(plan) };
    const asked = { name, plan, ...digest, seed, command, environment: facts, flowCells, ...host };
    const sweepBegun = await begin(() =>
      shard ? results.beginFlowSweepOnce(asked) : results.beginFlowSweep(asked, fresh),
    );
    if (sweepBegun === null) return false;
    const { sweep, resumed } = sweepBegun;
    try {
      if (shard) await begin(() => recordHost(results, sweep, shard));
      askLabLinks(flowCells.map(({ link_profile }) => link_profile));
      const cells = runCells(results, sweep, flowCells);
      await runToEnd(execution, { results, sweep, resumed, progress, cells, recordings });
      return true;
    } finally {
      releaseQuietly(results, sweep);
    }
  } finally {
    progress.end();
    results.close();
  }
}

function recordHost(results: Results, { id }: FlowSweep, { host, cell }: FlowShard): void {
  results.recordHost(id, { ...host, cells: results.flowCellsOf(id).map((its) => ({ cell: its.id, place: cell })) });
}

interface Begun {
  readonly results: Results;
  readonly sweep: FlowSweep;
  readonly resumed: boolean;
  readonly progress: Progress;
  /** In the plan's order. */
  readonly cells: readonly RunCell[];
  /** Of the plan's page; null: it has none. */
  readonly recordings: ReadonlyMap<string, Recording> | null;
}

/** What each cell's run loads amid its flows; null: nothing. */
function runPages(
  plan: FlowPlan,
  recordings: Begun["recordings"],
  pinned: ReadonlyMap<string, number>,
): ((cell: RunCell) => RunPage) | null {
  const page = pageOf(plan);
  const recording = page && recordings?.get(pageName(page.page));
  if (!page || !recording) return null;
  const { name, digest, url, source } = recording;
  const loaded = { name, digest, url, failedUrls: failedUrlsOf(recording) };
  const strict = source.startsWith("synth: ");
  const start_ms = Math.round(page.start_s * 1000);
  return ({ lane }) => {
    if (lane === null) throw new Error("unreachable: each cell of a plan with a page has a lane");
    return { recording: loaded, strict, lane, start_ms, pinned_ms: pinned.get(name) ?? null };
  };
}

const resultOf = (records: FlowRecords, { flows }: RunCell): FlowResult => flowResult(records, groupsOf(flows));

/** On a terminal whose last line is progress, the flows are shown below it. */
function watchOf({ below }: Progress): Pick<FlowAttemptRequest, "watch"> {
  return below ? { watch: (run, files) => openLiveView({ run, files, draw: below }) } : {};
}

/**
 * To which moment the page's clock is set, as pages without flows have it: decided by a trial load without them, once for each recording.
 * Several machines must do the same, and try nothing.
 */
async function pinnings(
  { home, plan, shard }: FlowExecution,
  { results, sweep, progress, recordings }: Begun,
  waiting: Waiting,
): Promise<ReadonlyMap<string, number>> {
  if (recordings === null) return new Map();
  return await pinnedPages({
    ...{ home, recordings, sweep: sweep.id, decides: shard === undefined },
    plan: { serving: stockServing, timeout_s: plan.for_s },
    results: {
      trialOf: (digest) => results.trialOf(digest),
      recordTrial: (digest, trial) => results.recordTrial(digest, trial),
      // Kept with the recording alone: a sweep of flows has no cells of pages.
      pinningsOf: () => new Map(),
      recordPinning: () => undefined,
    },
    tryRecording: (await import("../../load/pin_decision.ts")).tryRecording,
    store: (write) => retryWhileBlocked(write, waiting),
    signal: waiting.signal,
    tell: (event) => progress.tell(event),
  });
}

/** The sweep's runs, to their end or to the first signal. */
async function runUntilSignal(execution: FlowExecution, begun: Begun) {
  const { home, plan, evidence, askedToEnd } = execution;
  const { results, sweep, resumed, progress, cells } = begun;
  const pageSize = [...(begun.recordings?.values() ?? [])][0] ?? null;
  const interruption = watchSignals();
  const { signal } = interruption;
  try {
    const waiting = waitingOf(askedToEnd, progress, sweep.id, signal);
    const pages = runPages(plan, begun.recordings, await pinnings(execution, begun, waiting));
    const stored = Map.groupBy(
      results.flowRunsOf(sweep.id).filter(({ status }) => status === "valid"),
      ({ cell }) => cell,
    );
    const counted = cells.map((cell) => ({ ...cell, valid: stored.get(cell.id)?.length ?? 0 }));
    const links = openLinkTests({
      results,
      sweep: sweep.id,
      pending: linksToTest(counted, plan.repetitions),
      signal,
      store: (write) => retryWhileBlocked(write, waiting),
      tell: (event) => progress.tell(event),
    });
    const outcome = await runFlowSweep({
      ...{ home, results, sweep, plan, resumed, links, signal },
      tasks: flowTasks(results, sweep, plan, cells),
      attempt: (request) =>
        request.page
          ? attemptPageRun({ ...request, ...watchOf(progress) }, request.page)
          : attemptFlowRun({ ...request, ...watchOf(progress) }),
      ...(pages ? { pageOf: pages } : {}),
      resultOf,
      ...(evidence === undefined ? {} : { evidenceOf: flowEvidenceFolder(evidence, sweep) }),
      guess_ms: (cell) => guessRun_ms(plan, cell, pageSize),
      ...(askedToEnd ? { askedToEnd } : {}),
      tell: (event) => progress.tell(event),
    });
    return { outcome, signal: interruption.received() };
  } finally {
    // Once stopped there is nothing left that a repeated signal could cut short.
    if (interruption.received() === null) interruption.ignore();
  }
}

async function runToEnd(execution: FlowExecution, begun: Begun): Promise<void> {
  const { results, sweep, progress } = begun;
  const { json } = execution;
  const { outcome, signal } = await runUntilSignal(execution, begun);
  progress.end();
  if (outcome.state === "stopped") {
    const { done, all: runs, asked } = outcome;
    sayStopped({ sweep: sweep.id, done, loads: runs, signal, asked }, "runs", json, progress);
    return;
  }
  await conclude(execution, begun, outcome);
  const all = results.flowRunsOf(sweep.id);
  if (!all.some(({ status }) => status === "valid"))
    throw new RunError(`no run of sweep ${sweep.id} was valid: ${noneValidReason(all)}`);
}

/** Its path. */
async function reportOn({ home, askedToEnd }: FlowExecution, { sweep, progress }: Begun): Promise<string> {
  const { writeReport } = await import("../../report/report.ts");
  const remedy = `sweep ${sweep.id} is finished, \`trilane report ${sweep.id}\` writes its report`;
  return await held(() => writeReport(home, sweep.id), waitingOf(askedToEnd, progress, sweep.id), remedy);
}

/** The table and the report's path for people, the last event for programs. */
async function conclude(execution: FlowExecution, begun: Begun, { all: runs, wall_ms }: OrderedOutcome): Promise<void> {
  const { json, shard } = execution;
  const { results, sweep, progress, cells } = begun;
  const all = results.flowRunsOf(sweep.id);
  const plt_ms = ({ id, lane }: FlowRunRow): number | null =>
    lane === null ? null : (results.flowPageLoadOf(id)?.log._trilane.metrics.plt_ms ?? null);
  const summed = flowCellResults(cells, all, plt_ms);
  const facts = { runs, ...countsOf(all, runs), wall_s: wall_ms / 1000 };
  const excluded = excludedSentence(all);
  const further = excluded === null ? [] : [...wrapped(excluded), ""];
  if (shard) {
    const { cell, host, path } = shard;
    if (json)
      progress.tell({ event: "flow-cell-finished", cell, host: host.name, shard: path, ...facts, cells: summed });
    else printLines([...flowTable(summed), "", ...further, `shard: ${path}`]);
    return;
  }
  const report = await reportOn(execution, begun);
  if (json) progress.tell({ event: "flows-finished", sweep: sweep.id, ...facts, report, cells: summed });
  else printLines([...flowTable(summed), "", ...further, `report: ${report}`]);
}
