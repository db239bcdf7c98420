// Runs an instrument's plan to its end, to Ctrl-C, or to an error that every attempt would meet: begins or resumes the sweep, tests its
// links, runs its attempts, writes the report, prints what came of it. Knows no instrument.
import { watchSignals } from "../base/interruption.ts";
import { printShown } from "../base/terminal_text.ts";
import { refuseChangedFiles } from "../link/files.ts";
import { allowedCpus, askLabLinks, labsWords } from "../load/lab.ts";
import { programDigests } from "../load/program_digests.ts";
import { writeReportFile } from "../report/report_files.ts";
import { judgeBudgets, readBudgets, refuseIdle } from "../results/gate/budget.ts";
import { budgetLines, refuseExceeded, refuseNotShown } from "../results/gate/budget_outcome.ts";
import { type AnySweep, openResults, openSharedResults, type Results } from "../results/store/results.ts";
import { type NotedRecordings, recordingsEnvironment } from "../results/store/sweep_recordings.ts";
import type { Shard } from "../sweep/cluster/shared_plan.ts";
import { openProgress } from "../sweep/progress/progress.ts";
import { retryWhileBlocked, writeWait_ms } from "./blocking_conditions.ts";
import { makeEvidenceFolder } from "./evidence_folder.ts";
import type { ExecutionTerms, Held, Instrument, RunSession, Session, SweepStart } from "./instrument.ts";
import { usableLabs } from "./labs.ts";
import { type LinkTests, linksToTest, openLinkTests } from "./link_tests.ts";
import type { RunOutcome } from "./measuring.ts";
import { held, machineEnvironment, releaseQuietly, reportStop, waitingOf } from "./session.ts";

/**
 * Sets the exit status if it was stopped. False: its shard is finished already, and nothing was run.
 * @throws RunError if no attempt was of use.
 */
export async function execute<Sweep extends AnySweep>(
  terms: ExecutionTerms,
  instrument: Instrument<Sweep>,
): Promise<boolean> {
  const { home, json, evidence, earlyEnd, verbosity, shard } = terms;
  const { profiles } = instrument;
  refuseIdleBudgets(terms, instrument);
  if (evidence !== undefined) makeEvidenceFolder(evidence);
  const { stdout: out, stderr: err, env: environment } = process;
  const progress = openProgress({ json, out, err, environment, verbosity, words: instrument.events });
  const begin: Held = (work) =>
    held(work, waitingOf(earlyEnd, progress, null), "nothing has begun, run the same command again");
  const results = await begin(() =>
    shard ? openSharedResults(shard.path, writeWait_ms) : openResults(home, writeWait_ms),
  );
  try {
    for (const profile of profiles) refuseChangedFiles(profile, results.remedies.again);
    const recordings = await instrument.prepare(begin, progress);
    shard?.check(recordings);
    const start = await sweepStart(terms, instrument, recordings);
    const begun = await begin(() => instrument.begin(results, start));
    if (begun === null) return false;
    const { sweep } = begun;
    try {
      if (shard) await begin(() => recordShard(results, sweep, shard));
      askLabLinks(profiles);
      await runToEnd(terms, instrument, { ...begun, results, progress });
      return true;
    } finally {
      releaseQuietly(results, sweep);
    }
  } finally {
    progress.end();
    results.close();
  }
}

/** Before anything runs. @throws UserError for a file without budgets, and for budgets of what the plan does not have. */
function refuseIdleBudgets<Sweep extends AnySweep>({ budget }: ExecutionTerms, { compared }: Instrument<Sweep>): void {
  if (budget !== undefined && compared) refuseIdle(readBudgets(budget), compared.places, compared.nouns);
}

async function sweepStart<Sweep extends AnySweep>(
  { labs, shard }: ExecutionTerms,
  { sideBySide }: Instrument<Sweep>,
  recordings: NotedRecordings,
): Promise<SweepStart> {
  const beside = labsWords(usableLabs(labs, sideBySide)?.most ?? 1, allowedCpus());
  const environment = { ...machineEnvironment(), ...(await programDigests()), labs: beside };
  const command = ["trilane", ...process.argv.slice(2)];
  if (!shard) return { command, environment };
  const ofShard = { ...environment, ...recordingsEnvironment(recordings), ...shard.environment };
  return { command, environment: ofShard, host: shard.host };
}

/** Who ran which cells; those of a whole plan have one place. */
function recordShard(results: Results, sweep: AnySweep, { host, cell }: Shard): void {
  const place = cell ?? 1;
  results.recordHost(sweep.id, { ...host, cells: results.cellLinksOf(sweep).map(({ id }) => ({ cell: id, place })) });
}

function linkTestsOf<Sweep extends AnySweep>(
  { counted, blocks }: Instrument<Sweep>,
  { results, sweep, signal, store, tell }: Omit<RunSession<Sweep>, "links">,
): LinkTests | null {
  if (results.cellLinksOf(sweep).every(({ link }) => link === null)) return null;
  const pending = linksToTest(results, sweep, counted, blocks);
  return openLinkTests({ results, sweep: sweep.id, pending, signal, store, tell });
}

/** The sweep's attempts, to their end or to the first signal. */
async function runUntilSignal<Sweep extends AnySweep>(
  { earlyEnd, labs, evidence }: ExecutionTerms,
  instrument: Instrument<Sweep>,
  session: Session<Sweep>,
) {
  const interruption = watchSignals();
  const { signal } = interruption;
  const { progress, sweep } = session;
  try {
    const waiting = waitingOf(earlyEnd, progress, sweep.id, signal);
    const run = {
      ...{ ...session, signal, ...(earlyEnd ? { earlyEnd } : {}) },
      ...{ labs: usableLabs(labs, instrument.sideBySide), evidence },
      tell: progress.tell.bind(progress),
      store: (write: () => void) => retryWhileBlocked(write, waiting),
    };
    await instrument.settle?.(run);
    const outcome = await instrument.run({ ...run, links: linkTestsOf(instrument, run) });
    return { outcome, signal: interruption.received() };
  } finally {
    // Once stopped there is nothing left that a repeated signal could cut short.
    if (interruption.received() === null) interruption.ignore();
  }
}

async function runToEnd<Sweep extends AnySweep>(
  terms: ExecutionTerms,
  instrument: Instrument<Sweep>,
  session: Session<Sweep>,
): Promise<void> {
  const { sweep, progress } = session;
  const { outcome, signal } = await runUntilSignal(terms, instrument, session);
  progress.end();
  const { state, done, all: loads, endReason } = outcome;
  if (state === "stopped")
    return reportStop(
      { sweep: sweep.id, done, loads, signal, asked: endReason },
      instrument.noun,
      terms.json,
      progress,
    );
  await conclude(terms, instrument, session, outcome);
}

/** The table and the report's path for people, the last event for programs. */
async function conclude<Sweep extends AnySweep>(
  terms: ExecutionTerms,
  instrument: Instrument<Sweep>,
  session: Session<Sweep>,
  outcome: RunOutcome,
): Promise<void> {
  const { progress } = session;
  const { event, lines, failure, further } = instrument.conclude(session, outcome);
  const { shard } = terms;
  const written = shard ? shard.path : await reportOn(terms, session);
  const { results, sweep } = session;
  const run = terms.budget === undefined ? null : (instrument.compared?.run(results, sweep.id) ?? null);
  const budgets = run && terms.budget !== undefined ? judgeBudgets(readBudgets(terms.budget), [run], run.nouns) : [];
  if (terms.json) progress.tell(event(written));
  else printShown([...lines, ...budgetLines(budgets), `${shard ? "shard" : "report"}: ${written}`]);
  if (failure !== null) throw failure;
  await further?.();
  refuseExceeded(budgets);
  refuseNotShown(budgets);
}

/** Its path. */
async function reportOn<Sweep extends AnySweep>(
  { home, report, earlyEnd }: ExecutionTerms,
  { results, sweep, progress }: Session<Sweep>,
): Promise<string> {
  const remedy = `sweep ${sweep.id} is finished, \`trilane report ${sweep.id}\` writes its report`;
  const write = async (): Promise<string> => writeReportFile(home, sweep, await report(results, sweep.id));
  return await held(write, waitingOf(earlyEnd, progress, sweep.id), remedy);
}
