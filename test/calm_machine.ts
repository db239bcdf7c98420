// For tests of time: what this machine's disturbance makes of them. Such a test measures how much it was disturbed, waits for a
// calm machine and tries again, for a limited time in all; where calm does not come it is skipped as "inconclusive: disturbed",
// which test/run.sh counts apart and names. A tolerance is never loosened, and what was measured undisturbed passes or fails.
//
// TRILANE_TEST_WAITS names a file in which all files of one run add up what they waited.
import { appendFileSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { readMachine, type Unrest, unrestBetween } from "../cli/measure/pressure.ts";

/** Of one test, and of all of a run. CI gives the whole 90 minutes, of which the tests themselves take less than 45. */
const testWaits_ms = 90_000;
const allWaits_ms = 720_000;
const window_ms = 500;
const calm = { used: 0.15, stolen: 0.005, stalled: 0.2 };

/** The machine was disturbed whenever the test was tried. */
export class Inconclusive extends Error {
  override readonly name = "Inconclusive";
}

const waitsFile = process.env.TRILANE_TEST_WAITS;
let ownWaits_ms = 0;

function waited_ms(): number {
  if (waitsFile === undefined) return ownWaits_ms;
  const lines = readFileSync(waitsFile, { encoding: "utf8", flag: "a+" }).split("\n");
  return lines.reduce((sum, line) => sum + Number(line), 0);
}

function addWait(time_ms: number): void {
  ownWaits_ms += time_ms;
  if (waitsFile !== undefined) appendFileSync(waitsFile, `${Math.round(time_ms)}\n`);
}

function unrestWords({ used, stolen, stalled }: Unrest): string {
  const percent = (share: number | null): string => (share === null ? "unknown" : `${(share * 100).toFixed(1)} %`);
  return `${cpus().length} CPUs ${percent(used)} used, ${percent(stolen)} stolen, tasks waited ${percent(stalled)} of the time`;
}

/** Until the machine is calm. Throws Inconclusive where the time to wait is over. */
async function untilCalm(left_ms: number, why: string): Promise<number> {
  const most_ms = Math.min(left_ms, allWaits_ms - waited_ms());
  for (let waited = 0; ; waited += window_ms) {
    const before = readMachine();
    await delay(window_ms);
    addWait(window_ms);
    const unrest = unrestBetween(before, readMachine(), window_ms);
    const isCalm = (["used", "stolen", "stalled"] as const).every((key) => (unrest[key] ?? 0) <= calm[key]);
    if (isCalm) return waited + window_ms;
    if (waited >= most_ms) throw new Inconclusive(`${why} (${unrestWords(unrest)})`);
  }
}

/** One attempt at a measurement: its value, or how the machine disturbed it. */
export type Attempt<T> = { readonly value: T } | { readonly disturbed: string };

/** What a test measures with. */
export interface Calm {
  /** Measures until nothing disturbed the measurement. */
  measure<T>(attempt: () => Promise<Attempt<T>>): Promise<T>;
}

function calmFor(most_ms: number): Calm {
  let left_ms = most_ms;
  return {
    async measure(attempt) {
      for (;;) {
        const began_ms = performance.now();
        const tried = await attempt();
        if ("value" in tried) return tried.value;
        left_ms -= performance.now() - began_ms;
        addWait(performance.now() - began_ms);
        left_ms -= await untilCalm(left_ms, tried.disturbed);
      }
    },
  };
}

/** A test of time: passes, fails, or is inconclusive. */
export function timedTest(name: string, work: (calm: Calm, context: TestContext) => Promise<void>): void {
  void test(name, async (context) => {
    try {
      await work(calmFor(testWaits_ms), context);
    } catch (error) {
      if (!(error instanceof Inconclusive)) throw error;
      context.skip(`inconclusive: disturbed: ${error.message}`);
    }
  });
}
