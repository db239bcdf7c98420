// Fetched objects as an instrument of the engine: which cells a plan has, what one fetch is to be, and what came of all of them. How a
// fetch is made is attempt.ts's, in which order the engine's.
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { RunError, UserError } from "../../../base/errors.ts";
import { wrapped } from "../../../base/wrapped_text.ts";
import type { ExecutionTerms, Instrument } from "../../../engine/instrument.ts";
import { begunSweep } from "../../../engine/session.ts";
import { liveFar } from "../../../link/live/live_lab.ts";
import { tryLab } from "../../../load/lab.ts";
import { installed, type LoadServer, serverOf } from "../../../load/servers/servers.ts";
import { tryServers } from "../../../load/try_servers.ts";
import type { Recording } from "../../../recording/archive/archive.ts";
import { stoppingSentences } from "../../../results/answer/rule_outcome.ts";
import { countStatuses } from "../../../results/store/attempt_rows.ts";
import { shardFacts } from "../../../sweep/cluster/shared_plan.ts";
import { counted } from "../answer/comparison.ts";
import { callSentences, costSentences } from "../answer/cost_sentence.ts";
import { fetchNotes } from "../answer/notes.ts";
import { fetchesByPurpose, isCounted, summarizeFetches, timedAttempts } from "../answer/summary.ts";
import { fetchStopping, fetchVerdict } from "../answer/verdict.ts";
import { fetchSeed, guessFetch_ms, type KnownSizes } from "../plan/fetch_order.ts";
import { blocksOf, type FetchPlan, fetchPlanDigest } from "../plan/plan.ts";
import { fetchCellsAt } from "../plan/shares.ts";
import { addedFetches, type FetchCell, fetchesOf, storedFetchCellsOf } from "../store/fetch_runs.ts";
import type { FetchSweep } from "../store/stored_plan.ts";
import { attemptFetch } from "./attempt.ts";
import { tryClient } from "./client_words.ts";
import { HostManners } from "./host_manners.ts";
import { fetchTable } from "./outcome.ts";
import { type FetchRunnerOptions, fetchEvents, fetchTasks, runFetchSweep } from "./runner.ts";
import { tryStrace } from "./strace.ts";

export interface FetchExecution extends ExecutionTerms {
  readonly plan: FetchPlan;
  /** The page's; null: over the network as it is. */
  readonly recording: Recording | null;
  readonly sizes: KnownSizes;
}

export function fetchInstrument(execution: FetchExecution): Instrument<FetchSweep> {
  const { home, plan, recording, sizes, shard } = execution;
  const fetchCells = fetchCellsAt(plan, shard);
  /** Versions and builds of the plan's servers, for the report. */
  const served: Record<string, string> = {};
  let far: readonly string[] = [];
  return {
    noun: "fetches",
    // Several fetches at once would share the way to live servers.
    sideBySide: plan.outside ? "never" : "as-calibrated",
    events: fetchEvents,
    profiles: [...new Set(fetchCells.flatMap(({ link_profile }) => link_profile ?? []))],
    blocks: blocksOf(plan),
    prepare: async () => {
      if (plan.ca !== undefined) refuseUnreadable(plan.ca);
      await tryClient(plan, recording !== null);
      if (plan.links) await tryLab();
      if (plan.outside) far = await liveServers(plan);
      if (recording) await tryServers(home, plan, [recording]);
      const servers = recording ? plan.lanes.flatMap((lane) => serverOf(plan, lane) ?? []) : [];
      for (const server of servers) served[`server_${server.name}`] = await serverInWords(server);
      if (plan.syscalls > 0) await tryStrace();
      return new Map(recording ? [[recording.name, recording]] : []);
    },
    begin: (results, begun) => {
      const start = { ...begun, environment: { ...begun.environment, ...served } };
      const { name, seed } = plan;
      const recording_digest = recording?.digest ?? null;
      const plan_digest = fetchPlanDigest(plan, recording_digest);
      const noted = { plan_digest, recording_digest, seed, ...start, fetchCells };
      return begunSweep(results, addedFetches({ name, plan, ...noted }), execution);
    },
    counted,
    run: ({ progress: _, ...session }) => {
      const { results, sweep, signal } = session;
      const manners = new HostManners({ plan, signal });
      for (const { record } of fetchesOf(results, sweep.id)) if (record) manners.completed(record);
      const requestOf = requestsOf(execution, far);
      return runFetchSweep({
        ...{ ...session, manners, requestOf, attempt: attemptFetch },
        tasks: fetchTasks(results, sweep, plan),
        guess_ms: (cell) => guessFetch_ms(plan, cell, sizes),
      });
    },
    conclude: ({ results, sweep }, { all: fetches, wall_ms }) => {
      const { repetitions } = sweep.plan;
      const all = fetchesOf(results, sweep.id);
      const own = timedAttempts(all, repetitions);
      const { timed, counted } = fetchesByPurpose(all, repetitions);
      const stored = storedFetchCellsOf(results, sweep.id);
      const cells = summarizeFetches(stored, own);
      const verdict = shard
        ? []
        : [...fetchVerdict(stored, own, sweep.plan), ...stoppingSentences(fetchStopping(sweep, stored, all, true))];
      const notes = [...costSentences(timed), ...callSentences(counted), ...fetchNotes(own)];
      const counts = countStatuses(all);
      const facts = { fetches, ...counts, wall_s: wall_ms / 1000 };
      const sentences = [...verdict, ...notes].flatMap((sentence) => wrapped(sentence));
      return {
        event: (report) =>
          shard
            ? { event: "fetch-cell-finished", ...shardFacts(shard), ...facts, notes, cells }
            : { event: "fetches-finished", sweep: sweep.id, ...facts, report, verdict, notes, cells },
        lines: [...fetchTable(cells), "", ...sentences, ...(sentences.length > 0 ? [""] : [])],
        failure:
          counts.valid > 0
            ? null
            : new RunError(`no object of sweep ${sweep.id} came: ${all.at(-1)?.reasons[0] ?? "no reason was given"}`),
      };
    },
  };
}

/** What leads to live servers. UserError if their address is private and may not be reached, or a program is missing. */
async function liveServers({ connect, allow_local_network = false }: FetchPlan): Promise<readonly string[]> {
  const address = connect?.replace(/^\[(.*)\](?::\d+)?$|^(\d[\d.]*)(?::\d+)?$/, "$1$2");
  const addresses = address === undefined ? [] : [{ address }];
  return (await liveFar({ addresses, allow_local_network }, `--connect ${connect}`)).far;
}

async function serverInWords(server: LoadServer): Promise<string> {
  const program = await installed(server);
  if (program === null) return server.definition.command ?? "";
  return [program.version, program.build, server.definition.configuration].filter((word) => word != null).join("; ");
}

function refuseUnreadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch {
    throw new UserError(`${path}: no file of certificates that can be read: name one in PEM with --trust`);
  }
}

function requestsOf(
  { home, plan, recording }: FetchExecution,
  far: readonly string[],
): FetchRunnerOptions["requestOf"] {
  // A lab's servers have this home's certificates.
  const ca = recording ? join(home, "ca", "ca.pem") : (plan.ca ?? null);
  const serverFor = (lane: FetchCell["lane"]) => {
    const server = recording && serverOf(plan, lane);
    return server && { server, digest: recording.digest };
  };
  const labOf = ({ object, lane, link, link_profile }: FetchCell, block: number) =>
    link_profile
      ? {
          home,
          far,
          recording: recording?.name ?? null,
          server: serverFor(lane),
          link: { ...link_profile, seed: fetchSeed(plan, { object, link, link_profile }, block) },
        }
      : null;
  return (cell, block) => {
    const { object, lane, tls, ip } = cell;
    const countsCalls = isCounted({ block }, plan.repetitions);
    return { plan, object, lane, tls, ip, ca, lab: labOf(cell, block), countsCalls };
  };
}
