// strace around the programs of a fetch, to count their system calls: the words that start it, what it wrote, as numbers, and whether it may
// trace anything here.
import { readFile } from "node:fs/promises";
import type { SystemCall } from "../../../../schemas/generated/fetch_cost.ts";
import { UserError } from "../../../base/errors.ts";
import { ProgramFailure, runProgram } from "../../../base/run_program.ts";

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

// What `strace -c` writes at its end, as numbers: of each system call how often it was made, how often it failed, and the CPU time in
// the kernel. Pure.

/** ` 76.90    0.012345          15       812        12 recvmsg`; the errors' column may be empty. */
const row = /^\s*[\d.]+\s+(\d+\.\d+)\s+\d+\s+(\d+)\s+(?:(\d+)\s+)?([A-Za-z_]\w*)$/;

/** Of a call that waits for a child strace takes the child's own time for the call's. */
const ofChildren = new Set(["wait4", "waitid"]);

/** Null: the text has no such table. The call with the most time first. */
export function straceSummary(text: string): SystemCall[] | null {
  const lines = text.split("\n");
  const head = lines.findIndex((line) => /^% time\s+seconds\s+usecs\/call\s+calls\s+errors\s+syscall\s*$/.test(line));
  if (head < 0) return null;
  const calls = lines.slice(head + 1).flatMap((line): SystemCall[] => {
    const [, seconds, calls, errors, name = ""] = row.exec(line.trimEnd()) ?? [];
    if (seconds === undefined || name === "total" || ofChildren.has(name) || Number(calls) === 0) return [];
    return [{ name, calls: Number(calls), errors: Number(errors ?? 0), seconds: Number(seconds) }];
  });
  return calls.sort((a, b) => b.seconds - a.seconds || b.calls - a.calls || (a.name < b.name ? -1 : 1));
}
