// Runs a program to its end for what it prints, again where something else killed it (the kernel for want of memory, a
// person): that says nothing of the program. Knows no program, and makes no message of a failure.
import { type ExecFileException, execFile } from "node:child_process";
import { passDebugLines } from "./debug.ts";

interface RunProgramOptions {
  readonly timeout_ms?: number;
  readonly mostOutput_bytes?: number;
  readonly signal?: AbortSignal | undefined;
}

/** How a program failed. */
export class ProgramFailure extends Error {
  override readonly name = "ProgramFailure";
  /** Its exit status; null: it did not start, or was killed. */
  readonly status: number | null;
  /** Without debug lines. */
  readonly stderr: string;
  /** By a signal that was not ours. */
  readonly wasKilled: boolean;
  constructor(error: ExecFileException, stderr: string) {
    super(error.message.split("\n")[0] ?? "failed");
    this.status = typeof error.code === "number" ? error.code : null;
    this.stderr = stderr;
    // A program that ran the killed one says so as shells do.
    this.wasKilled = this.status === 128 + 9 || (error.signal === "SIGKILL" && error.killed !== true);
  }

  /** What it said last. */
  get lastLine(): string {
    return this.stderr.trim().split("\n").at(-1) ?? "";
  }
}

const mostRuns = 4;

function runOnce(program: string, words: readonly string[], options: RunProgramOptions): Promise<string> {
  const { timeout_ms = 0, mostOutput_bytes = 1e6, signal } = options;
  return new Promise((resolve, reject) => {
    const limits = { timeout: timeout_ms, maxBuffer: mostOutput_bytes, ...(signal ? { signal } : {}) };
    execFile(program, words, limits, (error, stdout, said) => {
      const stderr = passDebugLines(said);
      if (!error) resolve(stdout);
      else reject(signal?.aborted ? signal.reason : new ProgramFailure(error, stderr));
    });
  });
}

/** What it printed. ProgramFailure where it failed, or was killed each time; the signal's reason where that came. */
export async function runProgram(
  program: string,
  words: readonly string[],
  options: RunProgramOptions = {},
): Promise<string> {
  for (let runs = 1; ; runs++) {
    try {
      return await runOnce(program, words, options);
    } catch (error) {
      if (!(error instanceof ProgramFailure && error.wasKilled) || runs === mostRuns) throw error;
    }
  }
}
