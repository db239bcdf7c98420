// A program that was started in a process group of its own: how it ended, and how the group is ended. Starts nothing.
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { listenToStderr } from "./debug.ts";

/** How the started program ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Its last lines on standard error. */
  readonly stderr: string;
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));
const keptStderr_bytes = 16_384;

/** Settles when the program has ended. Its standard error, where that is a pipe, is read to its end. */
export function exitOf(child: ChildProcess): Promise<Exit> {
  const stderr = child.stderr ? listenToStderr(child.stderr, keptStderr_bytes) : () => "";
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, signal: null, stderr: error.message }));
    // `close`, not `exit`: standard error is complete. A killed lab's orphans cannot hold it open, they die with it.
    child.once("close", (code, signal) => resolve({ code, signal, stderr: stderr() }));
  });
}

export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It ended in this moment.
  }
}

/** Settles with true as soon as `promise` does, with false after `patience_ms`. */
export async function settles(promise: Promise<unknown>, patience_ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), patience_ms);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  const first = await Promise.race([settled, late]);
  clearTimeout(timer);
  return first;
}

/** The lab's programs end as shells do when what they ran was killed. */
export function killedBy({ code, signal }: Exit): string | null {
  return signal ?? (code !== null && code > 128 ? (signalNames.get(code - 128) ?? null) : null);
}
