// Which CPUs each of several labs has for itself. Pure but for reading what this process may run on; binds nothing.
import { readFileSync } from "node:fs";

/** The browser's main thread and its others, beside the server and the shaper, need two. */
const leastPerLab = 2;

/** As Linux writes sets of CPUs: `0-3,8`. */
export function parseCpuList(text: string): number[] {
  return text
    .trim()
    .split(",")
    .flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}

export function allowedCpus(): number[] {
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
  return list === undefined ? [] : parseCpuList(list);
}

/** Sets of neighbouring CPUs, as large as each other; null where there are too few for so many labs. */
export function labCpus(cpus: readonly number[], labs: number): number[][] | null {
  const each = Math.floor(cpus.length / labs);
  if (labs < 2 || each < leastPerLab) return null;
  return Array.from({ length: labs }, (_, lab) => cpus.slice(lab * each, (lab + 1) * each));
}

/** For the terms of a study. */
export function labsWords(labs: number, cpus: readonly number[]): string {
  if (labs === 1) return "one after another";
  const sets = labCpus(cpus, labs);
  const how = sets
    ? `each bound to ${sets[0]?.length} CPUs of its own`
    : `not bound to CPUs: ${cpus.length} are too few`;
  return `up to ${labs} side by side on slow links, ${how}`;
}

/** util-linux's taskset runs what follows with that set of CPUs, which its children inherit. */
export const boundTo = (cpus: readonly number[] | undefined): string[] =>
  cpus ? ["taskset", "-c", cpus.join(",")] : [];
