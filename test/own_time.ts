// The CPU time of this process and of what it started that has ended.
import { readFileSync } from "node:fs";

// Of proc_stat(5), in the unit of /proc/stat.
const tick_ms = 10;

export function ownTime_ms(): number {
  const [, words = ""] = /\) (.*)$/s.exec(readFileSync("/proc/self/stat", "latin1")) ?? [];
  const fields = words.split(" ").map(Number);
  return [11, 12, 13, 14].reduce((sum, place) => sum + (fields[place] ?? 0), 0) * tick_ms;
}
