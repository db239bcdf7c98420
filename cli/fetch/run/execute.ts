// Runs a plan of fetches to its end, to Ctrl-C, or to what would fail every fetch: the sweep begun or gone on with, its fetches made, and
// what came of them shown. Parses no words and writes no plan.
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { RunError, UserError } from "../../base/errors.ts";
import { watchSignals } from "../../base/interruption.ts";
import { printLines } from "../../base/terminal_text.ts";
import { refuseChangedFiles } from "../../link/files.ts";
import { askLabLinks, tryLab } from "../../load/lab.ts";
import { programDigests } from "../../load/program_digests.ts";
import type { Recording } from "../../recording/archive/archive.ts";
import { callSentences, costSentences } from "../../results/fetches/cost_sentence.ts";
import { fetchNotes } from "../../results/fetches/notes.ts";
import { fetchesByPurpose, isCounted, timedAttempts } from "../../results/fetches/purpose.ts";
import { summarizeFetches } from "../../results/fetches/summary.ts";
import { fetchVerdict } from "../../results/fetches/verdict.ts";
import { type FetchCell, type FetchSweep, openResults, type Results } from "../../results/store/results.ts";
import type { AskedToEnd } from "../../sweep/asked_to_end.ts";
import { retryWhileBlocked, writeWait_ms } from "../../sweep/blocking_conditions.ts";
import { type LinkTests, linksToTest, openLinkTests } from "../../sweep/link_tests.ts";
import type { OrderedOutcome } from "../../sweep/ordered_runner.ts";
import { wrapped } from "../../sweep/outcome.ts";
import { openProgress, type Progress } from "../../sweep/progress/progress.ts";
import type { Verbosity } from "../../sweep/progress/progress_log.ts";
import { held, machineEnvironment, releaseQuietly, sayStopped, waitingOf } from "../../sweep/session.ts";
import { guessFetch_ms, type KnownSizes } from "../plan/estimate.ts";
import { fetchSeed } from "../plan/fetch_order.ts";
import { blocksOf, type FetchPlan, fetchCellsOf, fetchPlanDigest } from "../plan/plan.ts";
import type { AutonomousSystems } from "../prefixes/read_prefixes.ts";
import { attemptFetch } from "./attempt.ts";
import { HostManners } from "./host_manners.ts";
import { fetchTable } from "./outcome.ts";
import { type FetchRunnerOptions, runFetchSweep } from "./runner.ts";
import { tryStrace } from "./strace.ts";
import { fetchTasks } from "./tasks.ts";
import { tryClient } from "./try_client.ts";

export interface FetchExecution {
  readonly home: string;
  readonly plan: FetchPlan;
  /** The page's; null: over the network as it is. */
  readonly recording: Recording | null;
  readonly sizes: KnownSizes;
  /** Begin again even where the plan has an unfinished sweep. */
  readonly fresh: boolean;
  readonly json: boolean;
  readonly verbosity?: Verbosity | undefined;
  /** For the report; default: none are known. */
  readonly systems?: AutonomousSystems | null;
  /** Default: only signals end it early. */
  readonly askedToEnd?: AskedToEnd;
}

/** Sets the exit status where it was stopped. RunError where no object came at all. */
export async function executeFetches(execution: FetchExecution): Promise<void> {
  const { home, plan, recording, fresh, json, askedToEnd } = execution;
  const { stdout: out, stderr: err, env: environment } = process;
  const progress = openProgress({ json, out, err, environment, verbosity: execution.verbosity });
  const remedy = "nothing has begun, run the same command again";
  const begin = <T>(work: () => T | Promise<T>) => held(work, waitingOf(askedToEnd, progress, null), remedy);
  const results = await begin(() => openResults(home, writeWait_ms));
  try {
    const fetchCells = fetchCellsOf(plan);
    const profiles = [...new Set(fetchCells.flatMap(({ link_profile }) => link_profile ?? []))];
    for (const profile of profiles) refuseChangedFiles(profile, results.remedies.again);
    // What would fail every fetch is found before there is a sweep to go on with.
    if (plan.ca !== undefined) refuseUnreadable(plan.ca);
    await tryClient(plan, recording !== null);
    if (recording) await tryLab();
    if (plan.syscalls > 0) await tryStrace();
    const { name, seed } = plan;
    const command = ["trilane", ...process.argv.slice(2)];
    const facts = { ...machineEnvironment(), ...(await programDigests()) };
    const plan_digest = fetchPlanDigest(plan, recording?.digest ?? null);
    const asked = { name, plan, plan_digest, seed, command, environment: facts, fetchCells };
    const { sweep, resumed } = await begin(() => results.beginFetchSweep(asked, fresh));
    try {
      askLabLinks(profiles);
      await runToEnd(execution, { results, sweep, resumed, progress });
    } finally {
      releaseQuietly(results, sweep);
    }
  } finally {
    progress.end();
    results.close();
  }
}

function refuseUnreadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch {
    throw new UserError(`${path}: no file of certificates that can be read: name one in PEM with --trust`);
  }
}

interface Begun {
  readonly results: Results;
  readonly sweep: FetchSweep;
  readonly resumed: boolean;
  readonly progress: Progress;
}

function requestsOf({ home, plan, recording }: FetchExecution): FetchRunnerOptions["requestOf"] {
  // A lab's servers have this home's certificates.
  const ca = recording ? join(home, "ca", "ca.pem") : (plan.ca ?? null);
  const labOf = ({ object, link, link_profile }: FetchCell, block: number) =>
    recording && link_profile
      ? {
          home,
          recording: recording.name,
          link: { ...link_profile, seed: fetchSeed(plan, { object, link, link_profile }, block) },
        }
      : null;
  return (cell, block) => {
    const { object, lane, tls, ip } = cell;
    const countsCalls = isCounted({ block }, plan.repetitions);
    return {
      plan,
      object,
      lane,
      tls,
      ip,
      ca,
      lab: labOf(cell, block),
      countsCalls,
      signal: new AbortController().signal,
    };
  };
}

/** null: there are no links. */
function linkTestsOf({ plan }: FetchExecution, begun: Begun, signal: AbortSignal): LinkTests | null {
  const { results, sweep, progress } = begun;
  const inLabs = results
    .fetchCellsOf(sweep.id)
    .flatMap(({ id, link, link_profile }) =>
      link !== null && link_profile !== null ? [{ id, link, link_profile }] : [],
    );
  if (inLabs.length === 0) return null;
  const done = Map.groupBy(
    results.fetchesOf(sweep.id).filter(({ status }) => status !== "invalid"),
    ({ cell }) => cell,
  );
  const counted = inLabs.map((cell) => ({ ...cell, valid: done.get(cell.id)?.length ?? 0 }));
  const waiting = waitingOf(undefined, progress, sweep.id, signal);
  return openLinkTests({
    results,
    sweep: sweep.id,
    pending: linksToTest(counted, blocksOf(plan)),
    signal,
    store: (write) => retryWhileBlocked(write, waiting),
    tell: (event) => progress.tell(event),
  });
}

/** The sweep's fetches, to their end or to the first signal. */
async function runUntilSignal(execution: FetchExecution, begun: Begun) {
  const { plan, sizes, askedToEnd } = execution;
  const { results, sweep, resumed, progress } = begun;
  const interruption = watchSignals();
  const { signal } = interruption;
  try {
    const manners = new HostManners({ plan, signal });
    for (const { record } of results.fetchesOf(sweep.id)) if (record) manners.completed(record);
    const requestOf = requestsOf(execution);
    const outcome = await runFetchSweep({
      ...{ results, sweep, resumed, manners, signal },
      tasks: fetchTasks(results, sweep, plan),
      attempt: attemptFetch,
      requestOf: (cell, block) => ({ ...requestOf(cell, block), signal }),
      guess_ms: (cell) => guessFetch_ms(plan, cell, sizes),
      links: linkTestsOf(execution, begun, signal),
      ...(askedToEnd ? { askedToEnd } : {}),
      tell: (event) => progress.tell(event),
    });
    return { outcome, signal: interruption.received() };
  } finally {
    // Once stopped there is nothing left that a repeated signal could cut short.
    if (interruption.received() === null) interruption.ignore();
  }
}

async function runToEnd(execution: FetchExecution, begun: Begun): Promise<void> {
  const { sweep, progress } = begun;
  const { json } = execution;
  const { outcome, signal } = await runUntilSignal(execution, begun);
  progress.end();
  if (outcome.state === "stopped") {
    const { done, all: fetches, asked } = outcome;
    sayStopped({ sweep: sweep.id, done, loads: fetches, signal, asked }, "fetches", json, progress);
    return;
  }
  await conclude(execution, begun, outcome);
}

/** Its path. */
async function reportOn(
  { home, systems = null, askedToEnd }: FetchExecution,
  { sweep, progress }: Begun,
): Promise<string> {
  const { writeReport } = await import("../../report/report.ts");
  const remedy = `sweep ${sweep.id} is finished, \`trilane report ${sweep.id}\` writes its report`;
  const write = () => writeReport(home, sweep.id, undefined, undefined, systems);
  return await held(write, waitingOf(askedToEnd, progress, sweep.id), remedy);
}

/** The table and the verdict for people, the last event for programs, and the report for both. */
async function conclude(
  execution: FetchExecution,
  begun: Begun,
  { all: fetches, wall_ms }: OrderedOutcome,
): Promise<void> {
  const { json } = execution;
  const { results, sweep, progress } = begun;
  const { repetitions } = sweep.plan;
  const all = results.fetchesOf(sweep.id);
  const own = timedAttempts(all, repetitions);
  const { timed, counted } = fetchesByPurpose(all, repetitions);
  const fetchCells = results.fetchCellsOf(sweep.id);
  const cells = summarizeFetches(fetchCells, own);
  const verdict = fetchVerdict(fetchCells, own);
  const notes = [...costSentences(timed), ...callSentences(counted), ...fetchNotes(own)];
  const count = (status: string): number => all.filter((fetch) => fetch.status === status).length;
  const counts = { valid: count("valid"), invalid: count("invalid"), failed: count("failed") };
  const facts = { fetches, ...counts, wall_s: wall_ms / 1000 };
  const report = await reportOn(execution, begun);
  if (json) progress.tell({ event: "fetches-finished", sweep: sweep.id, ...facts, report, verdict, notes, cells });
  else {
    const sentences = [...verdict, ...notes].flatMap((sentence) => wrapped(sentence));
    printLines([...fetchTable(cells), "", ...sentences, ...(sentences.length > 0 ? [""] : []), `report: ${report}`]);
  }
  if (counts.valid === 0)
    throw new RunError(`no object of sweep ${sweep.id} came: ${all.at(-1)?.reasons[0] ?? "no reason was given"}`);
}
