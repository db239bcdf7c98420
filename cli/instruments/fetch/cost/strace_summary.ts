// What `strace -c` writes at its end, as numbers: of each system call how often it was made, how often it failed, and the CPU time in
// the kernel. Pure.
import type { SystemCall } from "../../../../schemas/generated/fetch_cost.ts";

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
