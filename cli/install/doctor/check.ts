// One check of the doctor: what is looked for, what was found, what to do. Throwing is how a look fails.
import { spawnSync } from "node:child_process";
import { passDebugLines } from "../../base/debug.ts";
import { RunError, UserError } from "../../base/errors.ts";

export type Outcome = "ok" | "warning" | "missing";

/** One requirement, tried: `found` says what there is, `remedy` what to do where it is not enough. */
export interface Check {
  name: string;
  outcome: Outcome;
  found: string;
  remedy: string | null;
}

/** The names of checks that something can mend (fixes.ts). */
export const checkNames = {
  tun: "TUN devices",
  lab: "a lab (namespaces, shaper)",
  scheduling: "real-time scheduling",
  wakeUps: "quick wake-ups",
  cubic: "TCP CUBIC",
} as const;

export const ok = (name: string, found: string): Check => ({ name, outcome: "ok", found, remedy: null });

/** Runs a program and gives the first line it printed on the stream; throws RunError with what it said. */
export function firstLine(path: string, words: string[]): string {
  const ran = spawnSync(path, words, { encoding: "utf8", timeout: 20_000 });
  if (ran.error) throw new RunError(ran.error.message);
  const stderr = passDebugLines(ran.stderr);
  if (ran.status !== 0) throw new RunError(stderr.trim().split("\n").at(-1) || `exit status ${ran.status}`);
  return ran.stdout.trim().split("\n")[0] ?? "";
}

export function attempt(name: string, remedy: string, look: () => string, outcome: Outcome = "missing"): Check {
  try {
    return ok(name, look());
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return { name, outcome, found, remedy: error instanceof UserError ? null : remedy };
  }
}
