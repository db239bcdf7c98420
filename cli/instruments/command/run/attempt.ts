// One run of a command: trilane-command runs it, behind a link made for it or on the network as it is, and what it left is judged. Stores
// nothing, tries nothing again; its processes and files are gone when this settles.
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CommandProcess, CommandRecord, CommandTraffic } from "../../../../schemas/generated/command_record.ts";
import type { FlowCounters } from "../../../../schemas/generated/flow_counters.ts";
import { programPath } from "../../../base/programs.ts";
import { throwIfFull, withRunFolder } from "../../../browser/scratch.ts";
import type { AttemptTerms, EndedAttempt } from "../../../engine/measuring.ts";
import type { LinkProfile } from "../../../link/link.ts";
import { disturbedRun } from "../../../load/disturbance.ts";
import {
  keepDocument,
  keepFiles,
  openEvidence,
  openEvidenceFolder,
  refuseCutEvidence,
} from "../../../load/evidence.ts";
import { labCommand, labFailure, runLab } from "../../../load/lab.ts";
import type { Reach } from "../../../load/reach/reach.ts";
import { readShaperReport } from "../../../load/reports.ts";
import type { LoadStatus } from "../../../results/store/results.ts";
import { printedNumbers, writtenNumbers } from "../metrics/numbers.ts";
import type { CommandPlan } from "../plan/plan.ts";

interface CommandLab {
  readonly home: string;
  /** null: nothing is served. */
  readonly recording: string | null;
  readonly reached: Pick<Reach, "far" | "shaperOptions">;
  readonly environment: NodeJS.ProcessEnv;
  /** How the recording is served. */
  readonly replayOptions: readonly string[];
  /** With the run's own seed. */
  readonly link: LinkProfile;
}

export interface CommandRequest extends AttemptTerms {
  readonly plan: Pick<CommandPlan, "timeout_s" | "tolerance" | "numbers" | "numbers_file">;
  readonly words: readonly string[];
  /** null: on the network as it is. */
  readonly lab: CommandLab | null;
}

export interface CommandAttempt extends EndedAttempt {
  /** null: it left none. */
  readonly record: CommandRecord | null;
}

/** Beyond what the command may take: a lab, and the end of what it started. */
const patience_ms = 15_000;
/** What the reports of a lab, and the output, take. */
const reports_bytes = 6e6;
const keptEnd = 4096;
const keptLine = 300;

/** As ours write them: tests hold them to the schema. */
async function documentIn<Document>(path: string): Promise<Document | null> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Document;
  } catch {
    // It was killed before it could.
    return null;
  }
}

async function textIn(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return null;
  }
}

/** What DNS asks is no connection of the command's. */
function trafficOf({ down, up, flows }: FlowCounters): CommandTraffic {
  const connections = flows.filter(
    ({ protocol, far }) => protocol === "tcp" || (protocol === "udp" && far.port !== 53),
  );
  return {
    down_bytes: down.received_bytes,
    up_bytes: up.sent_bytes,
    down_packets: down.received_packets,
    up_packets: up.sent_packets,
    connections: connections.length,
  };
}

/** `: its last line`. */
function lastLine(output: string): string {
  const line = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return line === "" ? "" : `: ${line.slice(-keptLine)}`;
}

/** The command's own failure. */
function faultOf({ exit_status, signal, timed_out }: CommandProcess, output: string, timeout_s: number): string | null {
  if (timed_out) return `not done after ${timeout_s} s${lastLine(output)}`;
  if (signal !== null) return `killed by ${signal}${lastLine(output)}`;
  return exit_status === 0 ? null : `exit status ${exit_status}${lastLine(output)}`;
}

async function attemptIn(folder: string, request: CommandRequest): Promise<CommandAttempt> {
  const { plan, words, lab, signal, cpus } = request;
  const begun_ms = performance.now();
  const file = (name: string): string => join(folder, name);
  const limit_ms = Math.ceil(plan.timeout_s * 1000);
  const own = [
    ...[programPath("trilane-command"), "--record", file("process.json"), "--output", file("output")],
    ...["--timeout-ms", String(limit_ms), "--", ...words],
  ];
  const reports = { replay: file("replay.json"), shaper: file("shaper.json") };
  const evidence = lab && request.evidence !== undefined ? await openEvidence(request.evidence, folder) : null;
  const replayOptions = [...(lab?.replayOptions ?? []), ...(evidence?.replayOptions ?? [])];
  const counters = file("flow-counters.json");
  const shaperOptions = [
    "--flow-counters",
    counters,
    ...(lab?.reached.shaperOptions ?? []),
    ...(evidence?.capture ?? []),
  ];
  const { replay, shaper } = lab
    ? labCommand({ ...lab, far: lab.reached.far, reports, replayOptions, shaperOptions })
    : { replay: [], shaper: [] };
  if (plan.numbers_file !== undefined) await rm(plan.numbers_file, { force: true });
  const end = await runLab([...replay, ...shaper, ...own], {
    ...{ timeout_ms: limit_ms + patience_ms, signal, cpus },
    ...(lab ? { environment: { ...lab.environment, ...evidence?.environment } } : {}),
  });
  signal.throwIfAborted();
  const left = [file("process.json"), file("output"), counters, ...Object.values(reports)];
  if (request.evidence !== undefined) await keepFiles(request.evidence, left);
  if (evidence) await refuseCutEvidence(evidence);
  const ran = await documentIn<CommandProcess>(file("process.json"));
  if (ran === null) {
    throwIfFull({ folder });
    const why = labFailure(end, "what runs the command", limit_ms + patience_ms);
    return { status: "failed", reasons: [why], wall_ms: Math.round(performance.now() - begun_ms), record: null };
  }
  const output = (await textIn(file("output"))) ?? "";
  const counted = lab ? await documentIn<FlowCounters>(counters) : null;
  const written = plan.numbers_file === undefined ? [] : writtenNumbers(plan.numbers_file);
  const record: CommandRecord = {
    schema: "trilane/command-record/1",
    process: ran,
    link: counted && trafficOf(counted),
    numbers: [...printedNumbers(output, plan.numbers, ran.output_cut), ...written],
    output_end: output.slice(-keptEnd),
  };
  const fault = faultOf(ran, output, plan.timeout_s);
  const shaped = lab && (await readShaperReport(reports.shaper));
  const disturbed = lab && (shaped ? disturbedRun(shaped, ran, plan.tolerance) : "the link left no report");
  const status: LoadStatus = fault !== null ? "failed" : disturbed !== null ? "invalid" : "valid";
  const reasons = [fault ?? disturbed].filter((reason) => reason !== null);
  return { status, reasons, wall_ms: Math.round(performance.now() - begun_ms), record };
}

/**
 * Resolves also for a run that failed. Throws what would fail every run: no such program, no lab to be had, a full disk (NoRoomError); and
 * the signal's reason.
 */
export async function attemptCommand(request: CommandRequest): Promise<CommandAttempt> {
  const { signal, evidence } = request;
  signal.throwIfAborted();
  if (evidence !== undefined) await openEvidenceFolder(evidence);
  const made = await withRunFolder("command", reports_bytes, (folder) => attemptIn(folder, request));
  if (evidence !== undefined) await keepDocument(evidence, "command.json", made);
  return made;
}
