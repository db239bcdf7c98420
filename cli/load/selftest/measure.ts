// Runs a link's phases through a real lab: trilane-probe at both ends of trilane-shaper. Gives what became of every packet;
// compares nothing.
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import { RunError, UserError } from "../../base/errors.ts";
import { makeProcessFolder, sweepProcessFolders } from "../../base/process_folder.ts";
import { programPath } from "../../base/programs.ts";
import { removedAtEnd } from "../../base/removed_at_end.ts";
import { ProgramFailure, runProgram } from "../../base/run_program.ts";
import { formatLink, withoutMoves } from "../../link/link.ts";
import { peak_bps, readOpportunities } from "../../link/opportunities.ts";
import { labCommand } from "../lab.ts";
import { readShaperReport, type ShaperReport } from "../reports.ts";
import {
  type Direction,
  directions,
  type Effort,
  expected_ms,
  type PeakRates,
  type Phase,
  phasesFor,
  phaseWords,
} from "./phases.ts";

/** What a phase's packets came to. Times in ns from the first packet's sending; packets by their numbers from 0. */
export interface PhaseRecord {
  readonly direction: Direction;
  readonly kind: Phase["kind"];
  readonly size_bytes: number;
  /** On the clock of the shaper's report. */
  readonly start_ns: number;
  /** Packets that arrived and that the probe had no room for. */
  readonly overrun: number;
  /** By number. */
  readonly sent_ns: readonly number[];
  /** In the order of arrival. */
  readonly numbers: readonly number[];
  readonly arrived_ns: readonly number[];
}

type TraceTimes = Readonly<Partial<Record<Direction, Uint32Array>>>;

export interface LinkRecord {
  readonly phases: readonly PhaseRecord[];
  /** The opportunities of directions that follow a trace, in ms. */
  readonly traces: TraceTimes;
  readonly shaper: ShaperReport | null;
  readonly wall_ms: number;
}

const startAndEnd_ms = 30_000;
const longestTest_ms = 600_000;
const mostOutput_bytes = 512e6;

async function run(command: readonly string[], timeout_ms: number, signal: AbortSignal | undefined): Promise<string> {
  const [program = "", ...words] = command;
  try {
    return await runProgram(program, words, { timeout_ms, mostOutput_bytes, signal });
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    const message = error.lastLine.replace(/^trilane-(shaper|probe): /, "") || error.message;
    throw error.status === 2 ? new UserError(message) : new RunError(`self-test: ${message}`);
  }
}

function readTraces(link: LinkProfile): TraceTimes {
  const traces: Partial<Record<Direction, Uint32Array>> = {};
  for (const direction of directions) {
    const { trace } = link[direction];
    if (trace) traces[direction] = readOpportunities(trace.file);
  }
  return traces;
}

function peaksOf(traces: TraceTimes): PeakRates {
  return Object.fromEntries(Object.entries(traces).map(([direction, times]) => [direction, peak_bps(times, 100)]));
}

/** Measures a link. UserError and RunError where no lab can be made; the signal's reason where it came. */
export async function measureLink(link: LinkProfile, effort: Effort, signal?: AbortSignal): Promise<LinkRecord> {
  const started_ms = performance.now();
  const traces = readTraces(link);
  const phases = phasesFor(link, effort, peaksOf(traces));
  const wall_ms = expected_ms(phases);
  if (wall_ms > longestTest_ms)
    throw new UserError(
      `self-test: ${formatLink(link)} would be measured for ${Math.ceil(wall_ms / 60_000)} minutes: take a higher rate, or a shorter delay`,
    );
  await sweepProcessFolders(tmpdir(), "selftest");
  const folder = makeProcessFolder(tmpdir(), "selftest");
  const keep = removedAtEnd(folder);
  try {
    const report = join(folder, "shaper.json");
    // A move would take away what is being measured.
    const still = withoutMoves(link);
    const lab = labCommand({ home: folder, recording: null, link: still, reports: { replay: "", shaper: report } });
    const probe = programPath("trilane-probe");
    const command = [probe, "far", ...lab.shaper, probe, "near", ...phases.map(phaseWords)];
    const printed = await run(command, Math.ceil(wall_ms + startAndEnd_ms), signal);
    // Written by a program of the same build.
    const records = printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as PhaseRecord);
    return { phases: records, traces, shaper: await readShaperReport(report), wall_ms: performance.now() - started_ms };
  } finally {
    await rm(folder, { recursive: true, force: true });
    keep();
  }
}
