// What a sweep costs beyond its page load times, as a person runs it: `overhead` (120 loads, one lab, 3 to 5 minutes) and `labs`
// (loads an hour with as many labs as this machine is found to bear, under 4 minutes). Bars are the product's. After its load event each
// page is watched until it has been quiet for half a second (LCP, CLS and TBT): that belongs to the measurement, and no bar is on it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { median } from "../../cli/base/quantile.ts";
import { quiet_ms } from "../../cli/load/quiet_page.ts";
import type { LoadFinished, SweepEvent } from "../../schemas/generated/sweep_event.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");

const lanes = ["h1", "h2", "h3"];
const overheadPlan = {
  name: "bench-sweep",
  pages: ["object-10kB", "carlucci-small", "carlucci-medium", "cse534-mixed"].map((synth) => ({ synth })),
  lanes,
  links: ["10mbit/50ms", "100mbit/10ms"],
  repetitions: 5,
};
const slowPlan = {
  name: "bench-sweep-slow",
  pages: ["object-100kB", "carlucci-small"].map((synth) => ({ synth })),
  lanes,
  links: ["1mbit/50ms"],
  repetitions: 4,
};
// Fewer rounds than by default make it harder to show that labs do not disturb each other, not easier.
const calibration = ["calibrate", "--rounds", "7", "--most", "3"];

interface Finished extends LoadFinished {
  /** When it was told, after the sweep began. */
  readonly at_ms: number;
}

async function trilaneRun(home: string, words: readonly string[], tell: (line: string) => void): Promise<void> {
  const child = spawn(trilane, [...words, "--json", "--home", home], { stdio: ["ignore", "pipe", "inherit"] });
  createInterface({ input: child.stdout }).on("line", tell);
  const [status] = await once(child, "close");
  if (status !== 0) throw new Error(`trilane ${words.join(" ")}: exit status ${status}`);
}

async function sweep(home: string, plan: object, words: readonly string[] = []): Promise<Finished[]> {
  const file = join(home, "plan.json");
  writeFileSync(file, JSON.stringify(plan));
  let began_ms = 0;
  const finished: Finished[] = [];
  await trilaneRun(home, ["sweep", file, ...words], (line) => {
    const event = JSON.parse(line) as SweepEvent;
    if (event.event === "sweep-started") began_ms = performance.now();
    if (event.event === "link-tested") finished.push({ at_ms: performance.now() - began_ms } as Finished);
    if (event.event === "load-finished") finished.push({ ...event, at_ms: performance.now() - began_ms });
  });
  return finished;
}

const isLoad = ({ event }: Finished): boolean => event === "load-finished";

async function overhead(home: string): Promise<Measurement[]> {
  const all = await sweep(home, overheadPlan);
  const loads = all.filter(isLoad);
  // From one load's end, or the link's test before it, to its own.
  const took_ms = all.map((load, index) => load.at_ms - (all[index - 1]?.at_ms ?? 0));
  const beyond_ms = all.flatMap((load, index) =>
    isLoad(load) && load.plt_ms !== null ? [(took_ms[index] ?? 0) - load.plt_ms] : [],
  );
  const inLab_ms = loads.flatMap(({ plt_ms, wall_ms }) => (plt_ms === null ? [] : [wall_ms - plt_ms]));
  const plt_ms = loads.reduce((sum, load) => sum + (load.plt_ms ?? 0), 0);
  return [
    measurement("a load beyond its PLT", beyond_ms, null),
    measurement(
      `beyond its PLT and ${quiet_ms} ms of quiet`,
      beyond_ms.map((time_ms) => time_ms - quiet_ms),
      650,
    ),
    measurement("of a load's time beyond its PLT: before it is stored", inLab_ms, null),
    measurement(
      "all beyond the PLTs, link tests included, per load",
      [((all.at(-1)?.at_ms ?? 0) - plt_ms) / loads.length],
      null,
    ),
    measurement("loads that were not valid", [loads.filter(({ status }) => status !== "valid").length], null, {
      unit: "times",
    }),
  ];
}

async function labs(home: string, say: (line: string) => void): Promise<Measurement[]> {
  let found = 1;
  await trilaneRun(home, calibration, (line) => {
    say(line);
    found = (JSON.parse(line) as { labs: number }).labs;
  });
  const perHour = async (words: readonly string[], plan: object) => {
    const all = await sweep(home, plan, words);
    const loads = all.filter(isLoad);
    const valid = loads.filter(({ status }) => status === "valid");
    const plt_ms = median(valid.flatMap((load) => load.plt_ms ?? []));
    // Recordings are made before; the link's test comes once in a sweep, and would weigh more here than in one of hours.
    const took_ms = (loads.at(-1)?.at_ms ?? 0) - (all.findLast((event) => !isLoad(event))?.at_ms ?? 0);
    return { perHour: (valid.length / took_ms) * 3.6e6, plt_ms };
  };
  const serial = await perHour(["--labs", "1"], slowPlan);
  const beside = await perHour(["--labs", "auto"], { ...slowPlan, name: `${slowPlan.name}-labs` });
  const speed = (name: string, value: number) => measurement(name, [value], null, { unit: "loads/h" });
  return [
    measurement("labs that the machine bears", [found], null, { unit: "times" }),
    speed("valid loads, one lab, 1 Mbit/s", serial.perHour),
    speed("valid loads, as many labs", beside.perHour),
    measurement("as many labs over one", [beside.perHour / serial.perHour], 1.6, { unit: "ratio", bar_is: "at least" }),
    measurement("median PLT beside others over alone", [beside.plt_ms / serial.plt_ms], null, { unit: "ratio" }),
  ];
}

export const bench: Bench = async (say, only) => {
  const home = tempFolder("trilane-bench-");
  return [...(only === "labs" ? [] : await overhead(home)), ...(only === "overhead" ? [] : await labs(home, say))];
};
