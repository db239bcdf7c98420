// One attempt at a fetch: trilane-fetch run for it, in a lab made for it or on the network as it is, and what it printed judged. Stores
// nothing, tries nothing again; its processes and files are gone when this settles.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { FetchRecord } from "../../../schemas/generated/fetch_record.ts";
import { RunError, UserError } from "../../base/errors.ts";
import { makeProcessFolder, sweepProcessFolders } from "../../base/process_folder.ts";
import { type Exit, killedBy } from "../../base/process_group.ts";
import { removeUntilGone, scratchParent, throwIfFull } from "../../browser/scratch.ts";
import type { LinkProfile } from "../../link/link.ts";
import { labCommand } from "../../load/lab.ts";
import { type LabEnd, runLab } from "../../load/lab_process.ts";
import { readShaperReport } from "../../load/reports.ts";
import type { LoadStatus } from "../../results/store/results.ts";
import { type ClientRequest, clientWords } from "./client_words.ts";
import { disturbedReasons } from "./validity.ts";

export interface FetchLab {
  readonly home: string;
  /** The recording's name. */
  readonly recording: string;
  /** With the fetch's own seed. */
  readonly link: LinkProfile;
}

export interface FetchAttemptRequest extends ClientRequest {
  /** null: on the network as it is. */
  readonly lab: FetchLab | null;
  /** Aborted: the fetch is dropped. */
  readonly signal: AbortSignal;
}

export interface FetchAttempt {
  readonly status: LoadStatus;
  /** Empty for a valid one. */
  readonly reasons: readonly string[];
  readonly wall_ms: number;
  /** null: the client left none. */
  readonly record: FetchRecord | null;
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

function saidLast({ stderr }: Exit): string | null {
  const line = stderr.trim().split("\n").at(-1) ?? "";
  return line === "" ? null : line.replace(/^trilane-[a-z]+: /, "");
}

/** Of a client that left no record. UserError and RunError for what would fail every fetch. */
function failureOf({ exit, timedOut }: LabEnd, limit_ms: number): string {
  if (timedOut) return `the client had not ended after ${(limit_ms / 1000).toFixed(0)} s`;
  const killed = killedBy(exit);
  if (killed !== null) return `the client was killed (${killed})`;
  const said = saidLast(exit) ?? `the client ended with status ${exit.code} and printed no record`;
  if (exit.code === 2) throw new UserError(said);
  if (exit.code === null && exit.signal === null) throw new RunError(said);
  return said;
}

/** The object's own failure, in one line. */
function errorReasons({ error }: FetchRecord): string[] {
  return error === null ? [] : [`${error.stage}: ${error.reason}`];
}

function judged(record: FetchRecord, disturbed: readonly string[], wall_ms: number): FetchAttempt {
  if (disturbed.length > 0) return { status: "invalid", reasons: disturbed, wall_ms, record };
  const reasons = errorReasons(record);
  return { status: reasons.length === 0 ? "valid" : "failed", reasons, wall_ms, record };
}

const wallSince = (begun_ms: number): number => Math.round(performance.now() - begun_ms);

async function run(commandLine: readonly string[], request: FetchAttemptRequest) {
  const limit_ms = request.plan.timeout_s * 1000 + patience_ms;
  let printed = "";
  const end = await runLab(commandLine, {
    timeout_ms: limit_ms,
    signal: request.signal,
    printed: (text) => {
      printed += text;
    },
  });
  request.signal.throwIfAborted();
  return { end, limit_ms, record: recordIn(printed) };
}

async function attemptLive(request: FetchAttemptRequest): Promise<FetchAttempt> {
  const begun_ms = performance.now();
  const { end, limit_ms, record } = await run(clientWords(request), request);
  const wall_ms = wallSince(begun_ms);
  if (record) return judged(record, [], wall_ms);
  return { status: "failed", reasons: [failureOf(end, limit_ms)], wall_ms, record };
}

async function attemptInLab(request: FetchAttemptRequest, { home, recording, link }: FetchLab): Promise<FetchAttempt> {
  const begun_ms = performance.now();
  const parent = scratchParent(reports_bytes);
  await sweepProcessFolders(parent, "fetch");
  // Not awaited: between the folder and its removal at exit there is no moment for an exit.
  const folder = makeProcessFolder(parent, "fetch");
  const removeAtExit = (): void => removeUntilGone(folder);
  process.once("exit", removeAtExit);
  try {
    const reports = { replay: join(folder, "replay.json"), shaper: join(folder, "shaper.json") };
    // All that a lane may want of its servers, alike for all lanes.
    const replayOptions = ["--early-data", "--ipv6-twins"];
    const lab = labCommand({ home, recording, link, reports, replayOptions });
    const { end, limit_ms, record } = await run([...lab.replay, ...lab.shaper, ...clientWords(request)], request);
    const shaper = await readShaperReport(reports.shaper);
    const wall_ms = wallSince(begun_ms);
    if (record && shaper) return judged(record, disturbedReasons(record, shaper, request.plan.tolerance), wall_ms);
    throwIfFull({ folder });
    const why = record ? "the link left no report" : failureOf(end, limit_ms);
    return { status: "failed", reasons: [why], wall_ms, record };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    process.off("exit", removeAtExit);
  }
}

/**
 * Resolves also for a fetch that failed. Throws what would fail every fetch: words that the client does not take, no lab to be had, a
 * full disk (NoRoomError); and the signal's reason.
 */
export async function attemptFetch(request: FetchAttemptRequest): Promise<FetchAttempt> {
  request.signal.throwIfAborted();
  return request.lab === null ? await attemptLive(request) : await attemptInLab(request, request.lab);
}
