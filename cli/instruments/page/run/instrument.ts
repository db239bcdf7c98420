// Page loads as an instrument of the engine: which pages are made ready, how the sweep begins, how its loads run (cli/instruments/page/run/runner.ts) and what
// came of them. Parses no words and writes no plan.
import type { PlanPage } from "../../../../schemas/generated/sweep_plan.ts";
import { RunError } from "../../../base/errors.ts";
import { liveServer } from "../../../base/factors.ts";
import { cachedBeforeIn } from "../../../browser/device.ts";
import { execute } from "../../../engine/execute.ts";
import type { Conclusion, ExecutionTerms, Instrument, Session } from "../../../engine/instrument.ts";
import type { RunOutcome } from "../../../engine/measuring.ts";
import { liveFar } from "../../../link/live/live_lab.ts";
import { tryLab } from "../../../load/lab.ts";
import { type LiveFar, serverOf } from "../../../load/servers/servers.ts";
import { tryServers } from "../../../load/try_servers.ts";
import type { Recording } from "../../../recording/archive/archive.ts";
import { failedUrlsOf } from "../../../recording/archive/recorded_requests.ts";
import { isSynthetic } from "../../../recording/archive/recording_source.ts";
import { storedAnswer } from "../../../results/answer/stored_answer.ts";
import { modelledEnvironment, modelledPages } from "../../../results/store/modelled_pages.ts";
import { cacheEnvironment, deviceEnvironment } from "../../../results/store/page_devices.ts";
import type { Load, Sweep } from "../../../results/store/results.ts";
import { NoValidLoadError, type Shard } from "../../../sweep/cluster/shared_plan.ts";
import { refuseBrowsers } from "../../../sweep/plan/browser_option.ts";
import { refuseTooShort, refuseVideoContradictions } from "../../../sweep/plan/contradictions.ts";
import { cellGuess } from "../../../sweep/plan/estimate.ts";
import { pageName } from "../../../sweep/plan/page_patterns.ts";
import { pinnedPages } from "../../../sweep/plan/pinned_pages.ts";
import { placeOf } from "../../../sweep/plan/places.ts";
import { cellsOf, planDigest } from "../../../sweep/plan/plan.ts";
import type { Plan } from "../../../sweep/plan/plan_document.ts";
import { unusualDevice } from "../../../sweep/plan/recording_trial.ts";
import { videoLength_s } from "../../../sweep/plan/video_pages.ts";
import { comparedPages, pageNouns } from "../answer/compared.ts";
import { LooksSoFar } from "./answer_so_far.ts";
import { failureOf, outcomeLines, outcomeOf } from "./outcome.ts";
import { pageEvents } from "./page_events.ts";
import { counted, runPageLoads } from "./runner.ts";

export interface PageExecution extends ExecutionTerms {
  readonly plan: Plan;
  /** Not again if the plan's newest sweep is finished. */
  readonly once?: boolean;
  /** The whole command ends so long after the process began, with what it has; the answer is needed then, or it fails. Default: no limit. */
  readonly limit_s?: number;
  /** Prints what came of the finished sweep, in place of its table and verdict. */
  readonly conclude?: (sweep: number) => Promise<void>;
  /** Of commands that run studies' plans: how loads stand beside what was published. */
  readonly published?: (plan: string, loads: readonly Load[], seed: number) => readonly string[];
}

/**
 * Runs a plan of page loads. Sets the exit status if it was stopped. False: it was to run once, and is finished.
 * @throws RunError if no load was of use.
 */
export function executePages(execution: PageExecution): Promise<boolean> {
  return execute(execution, pageInstrument(execution));
}

/** Before the limit no load begins any more: the last one ends in this time, and the report is written. */
const reserve_ms = 45_000;

function pageInstrument(execution: PageExecution): Instrument<Sweep> {
  const { home, plan, source, fresh, shard, limit_s } = execution;
  const place = shard && shard.cell !== null ? placeOf(plan, shard.cell) : null;
  const planned = cellsOf(plan).filter(({ page, link }) => !place || (page === place.page && link === place.link));
  const made = {
    recordings: new Map() as ReadonlyMap<string, Recording>,
    pinned: new Map() as ReadonlyMap<string, number>,
    live: null as LiveFar | null,
  };
  // Loaded while the pages are made ready; the browser's own library is the slow part.
  const measuring = import("../../../load/load.ts");
  measuring.catch(() => undefined);
  return {
    noun: "loads",
    events: pageEvents,
    // Live servers are not ours to load, and several loads at once would share the way to them.
    sideBySide: plan.servers?.[liveServer] ? "never" : "as-calibrated",
    profiles: planned.map(({ link_profile }) => link_profile),
    blocks: plan.repetitions,
    prepare: async (held, progress) => {
      const pages = shard ? pagesOf(plan, planned) : plan.pages;
      const recordings = await held(() => source.preparePages(home, pages, (event) => progress.tell(event)));
      shard?.check(recordings);
      refuseVideoContradictions(plan, recordings);
      refuseTooShort(plan, cellsOf(plan), recordings);
      refuseBrowsers(plan);
      await tryLab();
      await tryServers(home, plan, recordings.values());
      const live = plan.servers?.[liveServer]?.live;
      if (live) made.live = await liveFar(live);
      made.recordings = recordings;
      // Their digests are in the cells.
      return new Map();
    },
    begin: (results, start) => {
      const { name, seed } = plan;
      const { recordings } = made;
      const environment = {
        ...start.environment,
        ...modelledEnvironment(recordings.values()),
        ...deviceEnvironment([...recordings].map(([page, recording]) => [page, unusualDevice(recording)])),
        ...cacheEnvironment([...recordings].map(([page, { notes }]) => [page, cachedBeforeIn(notes)])),
      };
      const cells = planned.map((cell) => ({ ...cell, recording_digest: recordings.get(cell.page)?.digest ?? "" }));
      const sweep = { name, plan, plan_digest: planDigest(plan), seed, ...start, environment, cells };
      return execution.once ? results.beginSweepOnce(sweep) : results.beginSweep(sweep, fresh);
    },
    counted,
    settle: async ({ results, sweep, signal, store, tell }) => {
      made.pinned = await pinnedPages({
        ...{ home, plan, results, sweep: sweep.id, recordings: made.recordings, signal, store, tell },
        // Live servers know today's date only.
        decides: shard === undefined && !plan.lanes.every((lane) => serverOf(plan, lane)?.definition.live),
        tryRecording: (await import("../../../load/pin_decision.ts")).tryRecording,
      });
    },
    run: async ({ progress: _, store: __, ...session }) => {
      const { results, sweep, tell } = session;
      const { recordings, pinned, live } = made;
      const filmed = plan.films || plan.metric === "si" ? await import("../../../load/filmstrip.ts") : null;
      // What is seen can only be measured from a film.
      const measure = filmed && plan.metric === "si" ? filmed.measureFilmed : (await measuring).measureLoad;
      const looks = plan.lanes.length > 1 && !shard ? new LooksSoFar({ results, sweep }) : null;
      return await runPageLoads({
        ...{ ...session, home, plan, measure, ...(live ? { live } : {}) },
        urlOf: (page) => recordings.get(page)?.url ?? "",
        failedUrlsOf: (page) => failedUrlsOf(recordings.get(page) ?? { notes: {} }),
        videoOf: (page) => videoLength_s(recordings.get(page)),
        pinnedOf: (page) => pinned.get(page) ?? null,
        isComplete: (page) => isSynthetic(recordings.get(page) ?? { source: "" }),
        ...(filmed && plan.films ? { film: filmed.filmLoad } : {}),
        guess_ms: cellGuess(plan, (page) => recordings.get(page), results),
        // The clock of performance.now() began with the process.
        ...(limit_s === undefined ? {} : { most_ms: () => limit_s * 1000 - reserve_ms - performance.now() }),
        tell: (event) => {
          tell(event);
          const answer = event.event === "load-finished" ? looks?.after(event) : null;
          if (answer) tell(answer);
        },
      });
    },
    conclude: (session, outcome) =>
      shard ? concludeShard(plan, shard, session, outcome) : concludeSweep(execution, session, outcome),
    compared: { nouns: pageNouns, places: planned, run: comparedPages },
  };
}

function pagesOf(plan: Plan, cells: readonly { readonly page: string }[]): PlanPage[] {
  const named = new Set(cells.map(({ page }) => page));
  return plan.pages.filter((page) => named.has(pageName(page)));
}

function concludeShard(
  plan: Plan,
  { cell, host, path }: Shard,
  { results, sweep }: Session<Sweep>,
  { all: loads, wall_ms }: RunOutcome,
): Conclusion {
  const stored = results.cellsOf(sweep.id);
  const { table, counts, cells } = outcomeOf(stored, results.loadsOf(sweep.id), plan, loads, {
    modelled: modelledPages(sweep),
  });
  const facts = { loads, ...counts, wall_s: wall_ms / 1000 };
  return {
    event: () => ({ event: "cell-finished", cell, host: host.name, shard: path, ...facts, cells }),
    lines: [...table, ""],
    failure:
      counts.valid > 0
        ? null
        : new NoValidLoadError(`no load in ${path} was valid: see why with \`trilane report ${path}\``),
  };
}

function concludeSweep(
  { plan, limit_s, conclude, published }: PageExecution,
  { results, sweep }: Session<Sweep>,
  { all: loads, wall_ms, cut }: RunOutcome,
): Conclusion {
  const [stored, attempts] = [results.cellsOf(sweep.id), results.loadsOf(sweep.id)];
  const answer = storedAnswer(results, { sweep, cells: stored, stored: attempts });
  const ended = outcomeOf(stored, attempts, plan, loads, {
    ...{ modelled: modelledPages(sweep), answer, cut },
    published: published?.(plan.name, attempts, plan.seed) ?? [],
  });
  const failure = failureOf({ sweep: sweep.id, plan, loads: attempts, answer, cut, limit_s });
  // A remedy is named once.
  const verdict = failure === null && ended.remedy !== null ? [...ended.verdict, ended.remedy] : ended.verdict;
  const { counts, cells } = ended;
  const facts = { loads, ...counts, wall_s: wall_ms / 1000 };
  return {
    event: (report) => ({
      ...{ event: "sweep-finished", sweep: sweep.id, ...facts, report },
      ...{ verdict: [...ended.answer, ...verdict], cells },
    }),
    lines: conclude ? [] : outcomeLines({ ...ended, verdict }),
    failure: failure === null ? null : new RunError(failure),
    ...(conclude ? { further: () => conclude(sweep.id) } : {}),
  };
}
