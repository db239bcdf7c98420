// What Trilane makes of a disturbed machine. `bound`: loads beside stops of shaper and browser and beside busy loops, against calm
// ones: is what they took longer within the bound that they state? `sweep`: a sweep on a machine with busy loops for 3 s of 9 and
// stops of 5 to 30 ms, against the same one on a quiet machine before it and once more after it.
// `--only sweep` and the others; `--runs N` repetitions. All of it takes some ten minutes with the usual ones. Let nothing else run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { median } from "../../cli/base/quantile.ts";
import { parseLink } from "../../cli/link/link.ts";
import { excess_ms } from "../../cli/load/disturbance.ts";
import { measureLoad } from "../../cli/load/load.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import type { SweepEvent } from "../../schemas/generated/sweep_event.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { type Disturbances, onAndOff, whileDisturbed } from "./disturber.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");
const examplePlan = join(import.meta.dirname, "..", "..", "cli", "sweep", "plans", "example.json");

const { seed } = onAndOff;
/** Several in each load. */
const stops = { least_ms: 5, most_ms: 30, pause_ms: 150 };
const forEver: Disturbances = { seed, loops: { on_ms: 0, off_ms: 0 }, stops: null };

/** Usual repetitions. */
const boundRuns = 4;
const sweepRuns = 2;

const lanes = ["h1", "h2", "h3"] as const;
/** Its queue holds all, so that nothing of a load is chance. */
const boundLink = parseLink("10mbit/50ms,queue=1000p");

/** Share of disturbed loads that took no longer than the calm median and their own bound. */
async function bound(home: string, runs: number, say: (line: string) => void): Promise<Measurement[]> {
  const recording = await withArchive(home, (archive) => ensureSynth(archive, "carlucci-medium"));
  const tolerance = { share: 1, ms: 60_000 };
  const load = async (lane: (typeof lanes)[number]): Promise<LoadFacts> =>
    (await measureLoad({ home, recording, lane, link: boundLink, timeout_ms: 60_000, tolerance })).log._trilane;
  const kinds: [string, Disturbances][] = [
    ["stops", { seed, loops: null, stops }],
    ["loops", forEver],
  ];
  const measurements: Measurement[] = [];
  const calm = new Map<string, LoadFacts[]>();
  for (const lane of lanes) {
    await load(lane);
    const loads: LoadFacts[] = [];
    for (let run = 0; run < runs; run++) loads.push(await load(lane));
    calm.set(lane, loads);
    measurements.push(
      measurement(
        `${lane}: calm, disturbance`,
        loads.map((facts) => (facts.disturbance ? excess_ms(facts.disturbance) : Number.NaN)),
        null,
      ),
    );
  }
  for (const [kind, disturbances] of kinds) {
    const within: number[] = [];
    const longer_ms: number[] = [];
    const bounds_ms: number[] = [];
    for (const lane of lanes) {
      const calm_ms = median((calm.get(lane) ?? []).map(({ metrics }) => metrics.plt_ms ?? Number.NaN));
      await whileDisturbed(disturbances, async () => {
        for (let run = 0; run < runs; run++) {
          const { metrics, disturbance } = await load(lane);
          if (metrics.plt_ms === null || !disturbance) continue;
          const added_ms = metrics.plt_ms - calm_ms;
          longer_ms.push(added_ms);
          bounds_ms.push(excess_ms(disturbance));
          within.push(added_ms <= excess_ms(disturbance) + disturbance.tolerated_ms ? 100 : 0);
        }
      });
    }
    const share = within.reduce((sum, each) => sum + each, 0) / within.length;
    say(`${kind}: ${share.toFixed(0)} % of ${within.length} loads took no longer than the calm median and their bound`);
    measurements.push(
      measurement(`${kind}: PLT longer`, longer_ms, null),
      measurement(`${kind}: bound`, bounds_ms, null),
      measurement(`${kind}: loads within their bound and the tolerance`, [share], 95, {
        unit: "%",
        bar_is: "at least",
      }),
    );
  }
  return measurements;
}

interface Outcome {
  readonly wall_s: number;
  readonly planned: number;
  readonly valid: number;
  readonly attempts: number;
  /** By page, link and lane. */
  readonly medians_ms: ReadonlyMap<string, number>;
}

async function sweep(home: string, plan: object, longest_ms: number, words: readonly string[] = []): Promise<Outcome> {
  const file = join(home, "plan.json");
  writeFileSync(file, JSON.stringify(plan));
  const began_ms = performance.now();
  const since_s = (): number => (performance.now() - began_ms) / 1000;
  const child = spawn(trilane, ["sweep", file, "--new", "--json", "--home", home, ...words], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const timer = setTimeout(() => child.kill("SIGINT"), longest_ms);
  const plts_ms = new Map<string, number[]>();
  let [planned, valid, attempts] = [0, 0, 0];
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as SweepEvent;
    if (event.event === "sweep-started") planned = event.loads;
    if (event.event !== "load-finished") continue;
    attempts++;
    if (event.status !== "valid" || event.plt_ms === null) continue;
    valid++;
    const cell = `${event.page} ${event.link} ${event.lane}`;
    plts_ms.set(cell, [...(plts_ms.get(cell) ?? []), event.plt_ms]);
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  clearTimeout(timer);
  const medians_ms = new Map([...plts_ms].map(([cell, times]) => [cell, median(times)]));
  return { wall_s: since_s(), planned, valid, attempts, medians_ms };
}

/** By cell, in percent of the quiet median; NaN where a sweep has no valid load. */
function apartFrom(quiet: Outcome, other: Outcome): ReadonlyMap<string, number> {
  const percentOff = ([cell, quiet_ms]: [string, number]): [string, number] => [
    cell,
    ((other.medians_ms.get(cell) ?? Number.NaN) / quiet_ms - 1) * 100,
  ];
  return new Map([...quiet.medians_ms].map(percentOff));
}

const sizes = (percents: ReadonlyMap<string, number>): number[] => [...percents.values()].map(Math.abs);

const signed = (percent: number): string => `${percent >= 0 ? "+" : ""}${percent.toFixed(1)} %`;

async function sweeps(home: string, runs: number, say: (line: string) => void): Promise<Measurement[]> {
  const plan = { ...(JSON.parse(readFileSync(examplePlan, "utf8")) as object), $schema: undefined, repetitions: runs };
  const sweepOf = async (name: string, longest_ms: number, words: readonly string[] = []): Promise<Outcome> => {
    const outcome = await sweep(home, { ...plan, name }, longest_ms, words);
    const { valid, planned, attempts, wall_s } = outcome;
    say(`${name}: ${valid} of ${planned} valid, ${attempts} attempts, ${wall_s.toFixed(0)} s`);
    return outcome;
  };
  const quiet = await sweepOf("quiet", 1.8e6);
  // By itself a sweep repeats for as long again as it was to take; here there is twice that time.
  const words = ["--retry-for", String(Math.round(2 * quiet.wall_s))];
  const disturbed = await whileDisturbed(onAndOff, () => sweepOf("disturbed", 5.4e6, words));
  // How far medians of so few runs are apart by themselves.
  const again = await sweepOf("quiet-again", 1.8e6);
  const apart = apartFrom(quiet, disturbed);
  const apartByChance = apartFrom(quiet, again);
  for (const [cell, quiet_ms] of quiet.medians_ms) {
    const [off, offByChance] = [apart, apartByChance].map((of) => signed(of.get(cell) ?? Number.NaN));
    say(`  ${cell}: ${quiet_ms.toFixed(0)} ms quiet, ${off} disturbed, ${offByChance} quiet again`);
  }
  const shareValid = ({ valid, planned }: Outcome): number[] => [(valid / planned) * 100];
  const atLeastAll = { unit: "%", bar_is: "at least" } as const;
  return [
    measurement("quiet: planned loads valid", shareValid(quiet), 100, atLeastAll),
    measurement("disturbed: planned loads valid", shareValid(disturbed), 100, atLeastAll),
    measurement("disturbed: time over the quiet one", [disturbed.wall_s / quiet.wall_s], 3, { unit: "ratio" }),
    measurement("quiet again: medians apart from the quiet ones", sizes(apartByChance), null, { unit: "%" }),
    measurement("disturbed: medians apart from their quiet ones", sizes(apart), null, { unit: "%" }),
    measurement("disturbed: the median farthest from its quiet one", [Math.max(...sizes(apart))], 2, { unit: "%" }),
  ];
}

export const bench: Bench = async (say, only, { runs }) => {
  const parts: Readonly<Record<string, (home: string) => Promise<Measurement[]>>> = {
    bound: (home) => bound(home, runs ?? boundRuns, say),
    sweep: (home) => sweeps(home, runs ?? sweepRuns, say),
  };
  const asked = Object.entries(parts).filter(([name]) => only === "" || only === name);
  if (asked.length === 0) throw new Error(`--only takes one of ${Object.keys(parts).join(", ")}`);
  const measurements: Measurement[] = [];
  for (const [, part] of asked) {
    const home = tempFolder("trilane-bench-");
    measurements.push(...(await part(home)));
  }
  return measurements;
};
