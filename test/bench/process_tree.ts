// What a command and all that it started hold at a moment, from /proc. Measures nothing over time.
import { readdirSync, readFileSync } from "node:fs";

export interface Held {
  readonly resident_bytes: number;
  readonly descriptors: number;
  readonly processes: number;
}

const page_bytes = 4096;

function of<Value>(read: () => Value, gone: Value): Value {
  try {
    return read();
  } catch {
    return gone; // it has ended meanwhile
  }
}

export function processTree(pid: number): readonly number[] {
  const threads = of(() => readdirSync(`/proc/${pid}/task`), []);
  const children = threads.flatMap((thread) =>
    of(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1"), "")
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );
  return [pid, ...children.flatMap(processTree)];
}

/** Memory that several share is counted for each. */
export function heldBy(pid: number): Held {
  const all = processTree(pid);
  const sum = (value: (pid: number) => number): number =>
    all.reduce((total, each) => total + of(() => value(each), 0), 0);
  return {
    resident_bytes: sum((each) => Number(readFileSync(`/proc/${each}/statm`, "latin1").split(" ")[1]) * page_bytes),
    descriptors: sum((each) => readdirSync(`/proc/${each}/fd`).length),
    processes: all.length,
  };
}

export interface ProgramMemory {
  /** The command itself first. */
  readonly programs: readonly {
    readonly name: string;
    readonly resident_bytes: number;
    readonly descriptors: number;
  }[];
  /** Of all, where memory that several share is divided among them. */
  readonly proportional_bytes: number;
  readonly descriptors: number;
}

/** What each of a command's programs holds, by its name. */
export function memoryOf(pid: number): ProgramMemory {
  const all = processTree(pid);
  const programs = all.flatMap((each) =>
    of(() => {
      const pages = Number(readFileSync(`/proc/${each}/statm`, "latin1").split(" ")[1]);
      const name = readFileSync(`/proc/${each}/comm`, "latin1").trim();
      return [{ name, resident_bytes: pages * page_bytes, descriptors: readdirSync(`/proc/${each}/fd`).length }];
    }, []),
  );
  const proportional_kB = (each: number): number =>
    Number(/^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${each}/smaps_rollup`, "latin1"))?.[1] ?? 0);
  return {
    programs,
    proportional_bytes: all.reduce((sum, each) => sum + 1024 * of(() => proportional_kB(each), 0), 0),
    descriptors: programs.reduce((sum, { descriptors }) => sum + descriptors, 0),
  };
}
