// strace around the programs of a fetch, to count their system calls: the words that start it, what it wrote, and whether it may trace
// anything here. What its table says is cli/instruments/fetch/cost's to read.
import { readFile } from "node:fs/promises";
import type { SystemCall } from "../../../../schemas/generated/fetch_cost.ts";
import { UserError } from "../../../base/errors.ts";
import { ProgramFailure, runProgram } from "../../../base/run_program.ts";
import { straceSummary } from "../cost/strace_summary.ts";

const program = "strace";
const remedy = "or leave --syscalls out";

/** What a command line begins with whose program's calls are to be counted; not of the programs that it starts. */
export const straceWords = (file: string): string[] => [program, "-c", "-o", file, "--"];

/** As above, with all of its threads. */
export const straceThreadsWords = (file: string): string[] => [program, "-c", "-f", "-o", file, "--"];

/** Null: it left no table, as where it was killed. */
export async function readStrace(file: string): Promise<SystemCall[] | null> {
  try {
    return straceSummary(await readFile(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** UserError where there is no strace, or the system lets it trace nothing. */
export async function tryStrace(): Promise<void> {
  try {
    await runProgram(program, ["-c", "-o", "/dev/null", "--", "true"], { timeout_ms: 10_000 });
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    if (/ENOENT/.test(error.message)) throw new UserError(`--syscalls: strace is not installed: install it, ${remedy}`);
    const why = error.lastLine.replace(/^strace: /, "") || error.message;
    throw new UserError(`--syscalls: strace may trace nothing here (${why}): allow it, ${remedy}`);
  }
}
