// One attempt at a fetch: runs trilane-fetch, in a lab made for it or on the network as it is, and judges what it printed. Stores nothing,
// tries nothing again; its processes and files are gone when this settles.
import { join } from "node:path";
import type { FetchCost } from "../../../../schemas/generated/fetch_cost.ts";
import type { FetchRecord } from "../../../../schemas/generated/fetch_record.ts";
import { throwIfFull, withRunFolder } from "../../../browser/scratch.ts";
import type { AttemptTerms, EndedAttempt } from "../../../engine/measuring.ts";
import type { LinkProfile } from "../../../link/link.ts";
import {
  keepDocument,
  keepFiles,
  openEvidence,
  openEvidenceFolder,
  refuseCutEvidence,
} from "../../../load/evidence.ts";
import { labCommand, labFailure, runLab } from "../../../load/lab.ts";
import { readReplayReport, readShaperReport } from "../../../load/reports.ts";
import { prepareServer, readServer } from "../../../load/server_run.ts";
import type { LoadServer } from "../../../load/servers/servers.ts";
import { type ClientRequest, clientWords } from "./client_words.ts";
import { fetchCost, type Traces } from "./fetch_cost.ts";
import { straceThreadsWords, straceWords } from "./strace.ts";
import { disturbedReasons } from "./validity.ts";

interface FetchLab {
  readonly home: string;
  /** The recording's name; null: `far` leads to live servers. */
  readonly recording: string | null;
  readonly far: readonly string[];
  /** In front of the recording, with its digest; null: trilane-replay itself serves. */
  readonly server: { readonly server: LoadServer; readonly digest: string } | null;
  /** With the fetch's own seed. */
  readonly link: LinkProfile;
}

export interface FetchAttemptRequest extends ClientRequest, AttemptTerms {
  /** null: on the network as it is. */
  readonly lab: FetchLab | null;
  /** Whether strace counts system calls, which slows the fetch. */
  readonly countsCalls: boolean;
}

export interface FetchAttempt extends EndedAttempt {
  /** null: the client left none. */
  readonly record: FetchRecord | null;
  /** null: nothing but what the record has was measured. */
  readonly cost: FetchCost | null;
}

/** Beyond what an object may take: a process, a lab, the HTTPS records. */
const patience_ms = 30_000;

/** What the reports of a lab take. */
const reports_bytes = 5e6;

/** As ours print it: its name says that it is one, and tests hold it to the schema. */
function recordIn(printed: string): FetchRecord | null {
  for (const line of printed.split("\n")) {
    if (!line.startsWith("{")) continue;
    try {
      const record = JSON.parse(line) as FetchRecord;
      if (record.schema === "trilane/fetch-record/1") return record;
    } catch {
      // Cut off: the client was killed.
    }
  }
  return null;
}

/** The object's own failure, in one line. */
function errorReasons({ error }: FetchRecord): string[] {
  return error === null ? [] : [`${error.stage}: ${error.reason}`];
}

type Outcome = Pick<FetchAttempt, "status" | "reasons" | "record">;

function judged(record: FetchRecord, disturbed: readonly string[]): Outcome {
  if (disturbed.length > 0) return { status: "invalid", reasons: disturbed, record };
  const reasons = errorReasons(record);
  return { status: reasons.length === 0 ? "valid" : "failed", reasons, record };
}

const wallSince = (begun_ms: number): number => Math.round(performance.now() - begun_ms);

async function run(
  commandLine: readonly string[],
  { plan, signal, cpus }: FetchAttemptRequest,
  environment: NodeJS.ProcessEnv = {},
) {
  const limit_ms = plan.timeout_s * 1000 + patience_ms;
  let printed = "";
  const end = await runLab(commandLine, {
    ...{ timeout_ms: limit_ms, signal, cpus, environment: { ...process.env, ...environment } },
    printed: (text) => {
      printed += text;
    },
  });
  signal.throwIfAborted();
  return { end, limit_ms, record: recordIn(printed) };
}

async function attemptLive(request: FetchAttemptRequest, traces: Traces | null): Promise<FetchAttempt> {
  const begun_ms = performance.now();
  const trace = traces ? straceThreadsWords(traces.client) : [];
  const { end, limit_ms, record } = await run([...trace, ...clientWords(request, null)], request);
  const wall_ms = wallSince(begun_ms);
  const cost = await fetchCost({ record, replay: null, traces, packets_down: null });
  if (record) return { ...judged(record, []), wall_ms, cost };
  return { status: "failed", reasons: [labFailure(end, "the client", limit_ms)], wall_ms, record, cost };
}

interface LabPlace {
  readonly folder: string;
  readonly traces: (Traces & { readonly server: string }) | null;
}

async function attemptInLab(
  request: FetchAttemptRequest,
  { home, recording, far: farSide, link, server }: FetchLab,
  { folder, traces }: LabPlace,
): Promise<FetchAttempt> {
  const begun_ms = performance.now();
  const reports = { replay: join(folder, "replay.json"), shaper: join(folder, "shaper.json") };
  // All that a lane may want of its servers, alike for all lanes.
  const own = ["--early-data", "--ipv6-twins"];
  const evidence = request.evidence === undefined ? null : await openEvidence(request.evidence, folder);
  const kept = evidence?.replayOptions ?? [];
  const served =
    server &&
    recording !== null &&
    (await prepareServer(server.server, {
      home,
      recording: { name: recording, digest: server.digest },
      scratch: folder,
      ...(traces ? { around: straceThreadsWords(traces.server) } : {}),
    }));
  const placed = served
    ? { replayOptions: [...served.replayOptions, ...kept], server: served.words }
    : { replayOptions: [...own, ...kept] };
  const shaperOptions = evidence ? [...evidence.capture, "--flow-counters", evidence.counters] : [];
  const lab = labCommand({ home, recording, far: farSide, link, reports, shaperOptions, ...placed });
  const [far, near] = traces ? [straceWords(traces.server), straceThreadsWords(traces.client)] : [[], []];
  const words = [
    ...(served ? [] : far),
    ...lab.replay,
    ...lab.shaper,
    ...near,
    ...clientWords(request, evidence?.qlogs ?? null),
  ];
  const { end, limit_ms, record } = await run(words, request, evidence?.environment);
  if (evidence) {
    await keepFiles(evidence.folder, Object.values(reports));
    await refuseCutEvidence(evidence);
  }
  const shaper = await readShaperReport(reports.shaper);
  const wall_ms = wallSince(begun_ms);
  const left = served && (await readServer(served, null));
  const replay = served || recording === null ? null : await readReplayReport(reports.replay);
  const cost = await fetchCost({ record, replay, traces, packets_down: shaper?.down.packets_in ?? null });
  if (left && left.reasons.length > 0) return { status: "failed", reasons: left.reasons, wall_ms, record, cost };
  // Of times that do not count nothing can be disturbed.
  if (record && shaper) {
    const disturbed = traces ? [] : disturbedReasons(record, shaper, request.plan);
    return { ...judged(record, disturbed), wall_ms, cost };
  }
  throwIfFull({ folder });
  const why = record ? "the link left no report" : labFailure(end, "the client", limit_ms);
  return { status: "failed", reasons: [why], wall_ms, record, cost };
}

/**
 * Resolves also for a fetch that failed. Throws what would fail every fetch: words that the client does not take, no lab to be had, a
 * full disk (NoRoomError); and the signal's reason.
 */
export async function attemptFetch(request: FetchAttemptRequest): Promise<FetchAttempt> {
  request.signal.throwIfAborted();
  const { evidence } = request;
  if (evidence !== undefined) await openEvidenceFolder(evidence);
  const made = await attempted(request);
  if (evidence !== undefined) await keepDocument(evidence, "fetch.json", made);
  return made;
}

async function attempted(request: FetchAttemptRequest): Promise<FetchAttempt> {
  const { lab, countsCalls } = request;
  if (lab === null && !countsCalls) return await attemptLive(request, null);
  return await withRunFolder("fetch", reports_bytes, async (folder) => {
    const traces = countsCalls
      ? { client: join(folder, "client.strace"), server: join(folder, "server.strace") }
      : null;
    const made =
      lab === null
        ? await attemptLive(request, traces && { ...traces, server: null })
        : await attemptInLab(request, lab, { folder, traces });
    if (request.evidence !== undefined && traces) await keepFiles(request.evidence, Object.values(traces));
    return made;
  });
}
