// A sweep whose processes are killed with -9 at random moments until so many kills were made, and which then runs to its
// end: what is stored, what still runs, what lies about. The runner is started again whenever it has died. Judges nothing.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { randomSource } from "../../cli/base/random.ts";
import { familyOf, labFolders, living, type Process, start } from "../product.ts";
import { type Interruptible, isEnded, type Stored, storedIn } from "./interruptible.ts";

export interface KilledSweep {
  readonly home: string;
  readonly instrument: Interruptible;
  readonly kills: number;
  readonly repetitions: number;
  /** Decides whom a kill meets and when. */
  readonly seed: number;
  /** Between two kills, at most. */
  readonly pause_ms: number;
  readonly say?: (line: string) => void;
}

export interface KilledSweepOutcome extends Stored {
  /** Of each victim: `runner`, a part of the instrument's attempt, or `all`, which is what a power cut does to processes. */
  readonly kills: Readonly<Record<string, number>>;
  /** How often the command line was run. */
  readonly runs: number;
  /** Processes of any of the runs that still live, and folders of theirs that are still there. */
  readonly left: readonly string[];
  /** What the runs that were not killed said and ended with, if it was not 0. */
  readonly failures: readonly string[];
}

/** Runs the command line until the sweep is finished, `kills` processes having been killed on the way. */
export async function killedSweep(options: KilledSweep): Promise<KilledSweepOutcome> {
  const { home, instrument, repetitions, seed, pause_ms, say = () => undefined } = options;
  const planFile = join(home, "plan.json");
  writeFileSync(planFile, JSON.stringify(instrument.plan(repetitions)));
  const random = randomSource(seed, "kills");
  const victims = ["runner", ...Object.keys(instrument.parts), "all"];
  const counts: Record<string, number> = Object.fromEntries(victims.map((victim) => [victim, 0]));
  const made = (): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
  const seen = new Map<string, Process>();
  const runners = new Set<number>();
  const failures: string[] = [];
  const chosen = (victim: string, family: readonly Process[], runner: number): readonly Process[] => {
    if (victim === "all") return family;
    const part = instrument.parts[victim];
    return family.filter(({ pid, commandLine }) => (part ? part.test(commandLine) : pid === runner));
  };
  const isFinished = (): boolean => storedIn(home, instrument).sweeps[0]?.finished_at != null;

  do {
    const { child, pid: runner, events, ended } = start(home, ["sweep", planFile, "--json"]);
    runners.add(runner);
    const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
    const stored = (): number => events.filter(isEnded).length;
    while (!isOver() && made() < options.kills) {
      // Every second kill comes after an attempt was stored: on a slow machine one alone would meet them all.
      for (const before = stored(); made() % 2 === 1 && stored() === before && !isOver(); ) await delay(5);
      await delay(random() * pause_ms);
      // Each is met as often as the others, so it is awaited if there is none in this moment.
      const victim = victims[made() % victims.length] ?? "all";
      let met: readonly Process[] = [];
      while (!isOver() && met.length === 0) {
        const family = familyOf(runner);
        for (const process of family) seen.set(`${process.pid} ${process.start_ticks}`, process);
        met = chosen(victim, family, runner);
        // A look at all processes takes some ms of a CPU.
        if (met.length === 0) await delay(20);
      }
      if (isOver() || met.length === 0) break;
      for (const { pid } of met) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It ended by itself, or with another one.
        }
      }
      counts[victim] = (counts[victim] ?? 0) + 1;
      if (made() % 10 === 0) say(`${made()} kills, ${runners.size} runs`);
      if (victim === "runner" || victim === "all") break;
    }
    const { status, signal, stderr } = await ended;
    if (status !== 0 && signal !== "SIGKILL") failures.push(`exit status ${status}: ${stderr.trim()}`);
  } while (!isFinished() && failures.length <= options.kills);

  const alive = (await living([...seen.values()])).map(
    ({ pid, commandLine }) => `process ${pid}: ${commandLine.slice(0, 100)}`,
  );
  const left = [...alive, ...[...runners].flatMap(labFolders)];
  return { ...storedIn(home, instrument), kills: counts, runs: runners.size, left, failures };
}
