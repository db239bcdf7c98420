// For tests of time: what this machine's disturbance makes of them. Such a test notes how its measurements were disturbed. One that
// passes has passed; one that fails on undisturbed measurements has failed; one of which an assertion fails on disturbed ones waits
// for a calm machine and runs again, for a limited time in all, and where calm does not come it is skipped as "inconclusive:
// disturbed", which test/run.sh counts apart and names. Any other error is a failure. A tolerance is never loosened.
//
// A test may hold itself up, and note that as disturbance: after two further runs while nothing but itself used the machine, it has
// failed.
//
// A machine that computes much slower after it slept adds to each round trip, however calm it is: what fails there is inconclusive, too.
//
// TRILANE_TEST_WAITS names a file in which all files of one run add up what they waited.
import { AssertionError } from "node:assert";
import { appendFileSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { readMachine, type Unrest, unrestBetween } from "../cli/load/pressure.ts";
import { ownTime_ms } from "./own_time.ts";
import { slowdownBySleep, slownessOf } from "./slept.ts";

/** Of one test, and of all of a run. CI gives the whole 90 minutes, of which the tests themselves take less than 45. */
const testWaits_ms = 90_000;
const allWaits_ms = 720_000;
/** Of its file, from its start: run_files.ts ends it at 480 s, and the tests that are left are to be tried once at least. */
const fileWaits_ms = 270_000;
const window_ms = 500;
const calm = { used: 0.15, stolen: 0.005, stalled: 0.2 };
/** So often it is run again while the machine is calm but for itself. */
const calmReruns = 2;

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

/** Begins to watch the machine; what it returns says whether nothing else disturbed it meanwhile. */
export function watchOthers(): () => boolean {
  const began_ms = performance.now();
  const before = readMachine();
  const ownBefore_ms = ownTime_ms();
  return () => {
    const time_ms = performance.now() - began_ms;
    // That tasks waited says nothing here: the test's own do.
    const { used, stolen } = unrestBetween(before, readMachine(), time_ms);
    // Where the system does not tell, nobody can say that it was the test.
    if (used === null) return false;
    return (
      used - (ownTime_ms() - ownBefore_ms) / (time_ms * cpus().length) <= calm.used && (stolen ?? 0) <= calm.stolen
    );
  };
}

/** Until the machine is calm. Throws Inconclusive where the time to wait is over. */
async function untilCalm(left_ms: number, why: string): Promise<number> {
  const most_ms = Math.min(left_ms, fileWaits_ms - performance.now(), allWaits_ms - waited_ms());
  for (let waited = 0; ; waited += window_ms) {
    const before = readMachine();
    await delay(window_ms);
    addWait(window_ms);
    const unrest = unrestBetween(before, readMachine(), window_ms);
    const isCalm = (["used", "stolen", "stalled"] as const).every((key) => (unrest[key] ?? 0) <= calm[key]);
    if (waited >= most_ms) throw new Inconclusive(`${why} (${unrestWords(unrest)})`);
    if (isCalm) return waited + window_ms;
  }
}

/** What a test measures with. */
export interface Calm {
  /** Notes that a measurement was disturbed: should the test fail, that may be why. */
  disturbed(how: string): void;
}

/** What is asked of the machine; tests put another in its place. */
export interface Surroundings {
  readonly watchOthers: () => () => boolean;
  /** How long it took until it was calm. */
  readonly untilCalm: (left_ms: number, why: string) => Promise<number>;
  readonly slowdownBySleep: () => Promise<number>;
}

/** A test of time: passes, fails, or is inconclusive. `work` is run anew where it failed disturbed. */
export function timedTest(
  name: string,
  work: (calm: Calm, context: TestContext) => Promise<void>,
  machine: Surroundings = { watchOthers, untilCalm, slowdownBySleep },
): void {
  // test/run.sh runs such a file twice: beside others without these tests, and alone for nothing else.
  if (process.env.TRILANE_TIMED === "later") return;
  void test(`${name} (timed)`, async (context) => {
    let calmTries = 0;
    for (let left_ms = testWaits_ms, isRerun = false; ; isRerun = true) {
      const began_ms = performance.now();
      const wasCalm = machine.watchOthers();
      let disturbance: string | null = null;
      const calm: Calm = {
        disturbed(how) {
          disturbance ??= how;
        },
      };
      try {
        return await work(calm, context);
      } catch (error) {
        if (!(error instanceof AssertionError)) throw error;
        const isCalm = wasCalm();
        if (isRerun && isCalm) calmTries++;
        if (disturbance === null || calmTries >= calmReruns) {
          const slowdown = await machine.slowdownBySleep();
          const why = slownessOf(slowdown);
          if (why === null) throw error;
          return context.skip(`inconclusive: disturbed: ${why}; failed by ${error.message.split("\n")[0]}`);
        }
        const took_ms = performance.now() - began_ms;
        addWait(took_ms);
        // A long test is to have its tries, too.
        if (!isCalm) left_ms -= took_ms;
        try {
          left_ms -= await machine.untilCalm(left_ms, `${disturbance}; failed by ${error.message.split("\n")[0]}`);
        } catch (inconclusive) {
          if (!(inconclusive instanceof Inconclusive)) throw inconclusive;
          return context.skip(`inconclusive: disturbed: ${inconclusive.message}`);
        }
      }
    }
  });
}
