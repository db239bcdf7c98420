// The CPU time of the main threads of a browser's pages so far, by /proc: what its pages can have computed at most. Reads.
import { readdirSync, readFileSync } from "node:fs";

function text(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // it ended, or the system does not tell
  }
}

function tasks(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Of the processes that descend from `root`. 0 where the system does not tell. */
export function pageThreadTime_ms(root: number): number {
  let ran_ns = 0;
  const left = [root];
  for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
    for (const task of tasks(pid))
      left.push(...text(`/proc/${pid}/task/${task}/children`).split(" ").filter(Boolean).map(Number));
    if (text(`/proc/${pid}/cmdline`).includes("--type=renderer"))
      ran_ns += Number(text(`/proc/${pid}/task/${pid}/schedstat`).split(" ")[0] ?? 0);
  }
  return ran_ns / 1e6;
}
