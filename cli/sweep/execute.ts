// What `race`, `sweep` and `start` share: pages made ready, the sweep begun or gone on with, its loads run, stopped by
// Ctrl-C, and the result shown. Parses no words and writes no plan.

import type { PlanPage } from "../../schemas/generated/sweep_plan.ts";
import { RunError } from "../base/errors.ts";
import { type Stop, watchSignals } from "../base/interruption.ts";
import { chromiumPath } from "../base/programs.ts";
import { printLines, printShown } from "../base/terminal_text.ts";
import { refuseChangedFiles } from "../link/files.ts";
import { askLabLinks, tryLab } from "../load/lab.ts";
import { allowedCpus, labsWords } from "../load/lab_cpus.ts";
import { programDigests } from "../load/program_digests.ts";
import type { Recording } from "../recording/archive/archive.ts";
import { failedUrlsOf } from "../recording/archive/recorded_requests.ts";
import { isSynthetic } from "../recording/archive/recording_source.ts";
import { type ReportOf, writeReportFile } from "../report/report_files.ts";
import { storedAnswer } from "../results/answer/stored_answer.ts";
import { modelledEnvironment, modelledPages } from "../results/store/modelled_pages.ts";
import { deviceEnvironment } from "../results/store/page_devices.ts";
import {
  type Environment,
  type NewHost,
  type NewSweep,
  openResults,
  openSharedResults,
  type Results,
  type Sweep,
} from "../results/store/results.ts";
import { LooksSoFar } from "./answer_so_far.ts";
import type { AskedToEnd } from "./asked_to_end.ts";
import { retryWhileBlocked, writeWait_ms } from "./blocking_conditions.ts";
import { evidenceFolder } from "./evidence.ts";
import { makeEvidenceFolder } from "./evidence_folder.ts";
import { openLinkTests, pendingLinks } from "./link_tests.ts";
import { failureOf, outcomeLines, outcomeOf } from "./outcome.ts";
import { refuseTooShort, refuseVideoContradictions } from "./plan/contradictions.ts";
import { cellGuess } from "./plan/estimate.ts";
import { pageName } from "./plan/page_patterns.ts";
import type { PageSource } from "./plan/page_source.ts";
import { pinnedPages } from "./plan/pinned_pages.ts";
import { cellsOf, planDigest } from "./plan/plan.ts";
import type { Plan } from "./plan/plan_document.ts";
import { unusualDevice } from "./plan/recording_trial.ts";
import { videoLength_s } from "./plan/video_pages.ts";
import { openProgress, type Progress } from "./progress/progress.ts";
import type { Verbosity } from "./progress/progress_log.ts";
import { type Labs, type RunOutcome, runSweep } from "./runner.ts";
import { held, machineEnvironment, releaseQuietly, sayStopped, waitingOf } from "./session.ts";

export interface Execution {
  readonly home: string;
  readonly plan: Plan;
  readonly source: PageSource;
  readonly report: ReportOf;
  /** Begin again even where the plan has an unfinished sweep. */
  readonly fresh: boolean;
  /** Not again where the plan's newest sweep is finished. */
  readonly once?: boolean;
  readonly json: boolean;
  /** A folder below which each load leaves what it ran with: captures, transport states, reports. */
  readonly evidence?: string | undefined;
  readonly verbosity?: Verbosity | undefined;
  /** Default: only signals end it early. */
  readonly askedToEnd?: AskedToEnd;
  /** The whole command ends so long after the process began, with what it has; the answer is needed then, or it fails. Default: no limit. */
  readonly limit_s?: number;
  /** Default: loads run one after another. */
  readonly labs?: Labs;
  /** Prints what came of the finished sweep, in place of its table and verdict. */
  readonly conclude?: (sweep: number) => Promise<void>;
  /** Only some of the plan's cells, into a file of their own; without a report. */
  readonly shard?: ShardExecution;
}

/** A shard was run to its end, and is of no use. */
export class NoValidLoadError extends RunError {}

/** A part of a plan that one machine runs. */
export interface ShardExecution {
  /** The file of results. */
  readonly path: string;
  readonly host: Omit<NewHost, "cells">;
  readonly environment: Environment;
  /** What `trilane cell` was given; null: these are the reference cells. */
  readonly cell: number | null;
  /** Number in the plan of the cells' page on their link; null: they are not in this shard. */
  readonly placeOf: (cell: { page: string; link: string }) => number | null;
  /** Throws where a page's recording is not the one that all machines are to load. */
  readonly check: (recordings: ReadonlyMap<string, Recording>) => void;
}

async function newSweep(
  { plan, shard, labs }: Execution,
  recordings: ReadonlyMap<string, Recording>,
): Promise<NewSweep> {
  const cells = cellsOf(plan)
    .filter((cell) => shard === undefined || shard.placeOf(cell) !== null)
    .map((cell) => ({ ...cell, recording_digest: recordings.get(cell.page)?.digest ?? "" }));
  return {
    name: plan.name,
    plan,
    plan_digest: planDigest(plan),
    seed: plan.seed,
    command: ["trilane", ...process.argv.slice(2)],
    environment: {
      ...machineEnvironment(),
      labs: labsWords(labs?.most ?? 1, allowedCpus()),
      ...(await programDigests()),
      ...modelledEnvironment(recordings.values()),
      ...deviceEnvironment([...recordings].map(([page, recording]) => [page, unusualDevice(recording)])),
      ...shard?.environment,
    },
    cells,
    ...(shard ? { host: shard.host } : {}),
  };
}

/**
 * Runs a plan to its end, to Ctrl-C, or to what would fail every load. Sets the exit status when it was stopped. False: it was to
 * run once, and is finished.
 */
export async function executePlan(execution: Execution): Promise<boolean> {
  const { home, plan, source, json, evidence, shard } = execution;
  if (evidence !== undefined) makeEvidenceFolder(evidence);
  const { stdout: out, stderr: err, env: environment } = process;
  const progress = openProgress({ json, out, err, environment, verbosity: execution.verbosity });
  // Loaded while the pages are made ready; the browser's own library is the slow part.
  const measuring = import("../load/load.ts");
  measuring.catch(() => undefined);
  const begin = <T>(work: () => T | Promise<T>) =>
    held(work, waitingOf(execution.askedToEnd, progress, null), "nothing has begun, run the same command again");
  const results = await begin(() =>
    shard ? openSharedResults(shard.path, writeWait_ms) : openResults(home, writeWait_ms),
  );
  try {
    const pages = shard ? pagesOf(plan, shard) : plan.pages;
    const recordings = await begin(() => source.preparePages(home, pages, (event) => progress.tell(event)));
    shard?.check(recordings);
    refuseVideoContradictions(plan, recordings);
    refuseTooShort(plan, cellsOf(plan), recordings);
    // What would fail every load is found before there is a sweep to go on with.
    chromiumPath();
    await tryLab();
    const asked = await newSweep(execution, recordings);
    const begun = await begin(() =>
      execution.once ? results.beginSweepOnce(asked) : results.beginSweep(asked, execution.fresh),
    );
    if (begun === null) return false;
    const { sweep, resumed } = begun;
    try {
      if (shard)
        await begin(() => results.recordHost(sweep.id, { ...shard.host, cells: placedCells(results, sweep, shard) }));
      const { measureLoad } = await measuring;
      // What is seen can only be told of a film.
      const measure = plan.metric === "si" ? (await import("../load/filmstrip.ts")).measureFilmed : measureLoad;
      const links = results.cellsOf(sweep.id).map((cell) => cell.link_profile);
      for (const link of links) refuseChangedFiles(link, results.remedies.again);
      askLabLinks(links);
      await runToEnd(execution, { results, sweep, resumed, recordings, progress, measure });
      return true;
    } finally {
      releaseQuietly(results, sweep);
    }
  } finally {
    progress.end();
    results.close();
  }
}

function pagesOf(plan: Plan, { placeOf }: ShardExecution): PlanPage[] {
  const named = new Set(cellsOf(plan).flatMap((cell) => (placeOf(cell) === null ? [] : [cell.page])));
  return plan.pages.filter((page) => named.has(pageName(page)));
}

function placedCells(results: Results, sweep: Sweep, { placeOf }: ShardExecution): NewHost["cells"] {
  return results.cellsOf(sweep.id).map((cell) => ({ cell: cell.id, place: placeOf(cell) ?? 0 }));
}

interface Begun {
  readonly results: Results;
  readonly sweep: Sweep;
  readonly resumed: boolean;
  readonly recordings: ReadonlyMap<string, Recording>;
  readonly progress: Progress;
  readonly measure: typeof import("../load/load.ts").measureLoad;
}

async function runToEnd(execution: Execution, begun: Begun): Promise<void> {
  const { home, plan, json, shard, conclude } = execution;
  const { results, sweep, progress } = begun;
  const { outcome, signal } = await runUntilSignal(execution, begun);
  const { state, done, loads, asked } = outcome;
  progress.end();
  if (state === "stopped") {
    sayStopped({ sweep: sweep.id, done, loads, signal, asked }, "loads", json, progress);
    return;
  }
  const answer = shard ? undefined : storedAnswer(results, sweep);
  const ended = outcomeOf(
    results.cellsOf(sweep.id),
    results.loadsOf(sweep.id),
    plan,
    loads,
    modelledPages(sweep),
    answer,
    outcome.cut,
  );
  const { table, counts, cells } = ended;
  const facts = { loads, ...counts, wall_s: outcome.wall_ms / 1000 };
  if (shard) {
    const { cell, host, path } = shard;
    if (json) progress.tell({ event: "cell-finished", cell, host: host.name, shard: path, ...facts, cells });
    else printLines([...table, "", `shard: ${path}`]);
    if (counts.valid === 0)
      throw new NoValidLoadError(`no load in ${path} was valid: see why with \`trilane report ${path}\``);
    return;
  }
  const remedy = `sweep ${sweep.id} is finished, \`trilane report ${sweep.id}\` writes its report`;
  const report = await held(
    async () => writeReportFile(home, sweep, await execution.report(results, sweep.id)),
    waitingOf(execution.askedToEnd, progress, sweep.id),
    remedy,
  );
  const { cut } = outcome;
  const { limit_s } = execution;
  const all = results.loadsOf(sweep.id);
  const failure = answer ? failureOf({ sweep: sweep.id, plan, loads: all, answer, cut, limit_s }) : null;
  // A remedy is named once.
  const verdict = failure === null && ended.remedy !== null ? [...ended.verdict, ended.remedy] : ended.verdict;
  if (json)
    progress.tell({
      event: "sweep-finished",
      sweep: sweep.id,
      ...facts,
      report,
      verdict: [...ended.answer, ...verdict],
      cells,
    });
  else if (conclude) printLines([`report: ${report}`]);
  else printShown(outcomeLines({ ...ended, verdict }, report));
  if (failure !== null) throw new RunError(`${failure} (report: ${report})`);
  await conclude?.(sweep.id);
}

/** Before the limit no load begins any more: the last one ends in this time, and the report is written. */
const reserve_ms = 45_000;

/** The sweep's loads, to their end or to the first signal. */
async function runUntilSignal(
  execution: Execution,
  begun: Begun,
): Promise<{ outcome: RunOutcome; signal: Stop | null }> {
  const { home, plan, evidence, labs, askedToEnd } = execution;
  const { results, sweep, recordings, progress } = begun;
  const interruption = watchSignals();
  const { signal } = interruption;
  const film = plan.films ? (await import("../load/filmstrip.ts")).filmLoad : null;
  try {
    const waiting = waitingOf(execution.askedToEnd, progress, sweep.id, signal);
    const store = (write: () => void) => retryWhileBlocked(write, waiting);
    const links = openLinkTests({
      results,
      sweep: sweep.id,
      pending: pendingLinks(results, sweep),
      signal,
      store,
      tell: (event) => progress.tell(event),
    });
    const pinned = await pinnedPages({
      ...{ home, plan, results, sweep: sweep.id, recordings, signal, store, tell: (event) => progress.tell(event) },
      decides: execution.shard === undefined,
      tryRecording: (await import("../load/pin_decision.ts")).tryRecording,
    });
    const looks = plan.lanes.length > 1 && !execution.shard ? new LooksSoFar({ results, sweep }) : null;
    const { limit_s } = execution;
    const outcome = await runSweep({
      home,
      results,
      sweep,
      plan,
      resumed: begun.resumed,
      measure: begun.measure,
      urlOf: (page) => recordings.get(page)?.url ?? "",
      failedUrlsOf: (page) => failedUrlsOf(recordings.get(page) ?? { notes: {} }),
      videoOf: (page) => videoLength_s(recordings.get(page)),
      pinnedOf: (page) => pinned.get(page) ?? null,
      isComplete: (page) => isSynthetic(recordings.get(page) ?? { source: "" }),
      ...(film === null ? {} : { film }),
      ...(evidence === undefined ? {} : { evidenceOf: evidenceFolder(evidence, sweep) }),
      guess_ms: cellGuess(plan, (page) => recordings.get(page), results),
      ...(labs ? { labs } : {}),
      ...(askedToEnd ? { askedToEnd } : {}),
      // The clock of performance.now() began with the process.
      ...(limit_s === undefined ? {} : { most_ms: () => limit_s * 1000 - reserve_ms - performance.now() }),
      links,
      signal,
      tell: (event) => {
        progress.tell(event);
        const answer = event.event === "load-finished" ? looks?.after(event) : null;
        if (answer) progress.tell(answer);
      },
    });
    return { outcome, signal: interruption.received() };
  } finally {
    // Once stopped there is nothing left that a repeated signal could cut short.
    if (interruption.received() === null) interruption.ignore();
  }
}
