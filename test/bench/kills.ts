import { interruptibles, tasksWrong } from "../e2e/interruptible.ts";
import { type KilledSweepOutcome, killedSweep } from "../e2e/killed_sweep.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const { pages } = interruptibles;
const kills = 100;
const repetitions = 80;
const pause_ms = 1200;

const times = (name: string, count: number, bar: number | null = null, bar_is: Measurement["bar_is"] = "at most") =>
  measurement(name, [count], bar, { unit: "times", bar_is });

function measurements({ kills: made, sweeps, rows, ...outcome }: KilledSweepOutcome): Measurement[] {
  const planned = repetitions * pages.each;
  return [
    ...Object.entries(made).map(([victim, count]) => times(`killed: ${victim}`, count)),
    times(
      "killed in all",
      Object.values(made).reduce((sum, count) => sum + count, 0),
      kills,
      "at least",
    ),
    times("the command was run", outcome.runs),
    times("planned loads", planned),
    times("planned loads not stored valid exactly once", tasksWrong(rows, planned).length, 0),
    times("attempts stored that were not valid", rows.filter(({ status }) => status !== "valid").length),
    times("sweeps in the database beside the one", sweeps.length - 1, 0),
    times("sweeps that are not finished", sweeps.filter(({ finished_at }) => finished_at === null).length, 0),
    times("complaints of integrity_check and foreign_key_check", outcome.integrity === "ok" ? 0 : 1, 0),
    times("processes and folders left behind", outcome.left.length, 0),
    times("runs that ended by themselves with an error", outcome.failures.length, 0),
  ];
}

export const bench: Bench = async (say) => {
  const home = tempFolder("trilane-kills-");
  const seed = Date.now() % 1_000_000;
  say(`seed ${seed}`);
  const outcome = await killedSweep({ home, instrument: pages, kills, repetitions, seed, pause_ms, say });
  for (const line of [...outcome.left, ...outcome.failures, ...tasksWrong(outcome.rows, repetitions * pages.each)])
    say(line);
  return measurements(outcome);
};
