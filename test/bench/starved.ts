// From which pressure on a page takes longer: loads beside none to many processes that never rest, in turns, with what their
// threads waited for a CPU meanwhile. What cli/measure/starved.ts tolerates was set by it. `--only images` or `--only object`.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withArchive } from "../../cli/archive/client.ts";
import { parseLink } from "../../cli/link/link.ts";
import { measureLoad } from "../../cli/measure/load.ts";
import { median } from "../../cli/stats/quantile.ts";
import { ensureSynth } from "../../cli/synth/ensure.ts";
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { inWords } from "./extension_pairs.ts";

interface Trial {
  readonly page: string;
  /** Its queue holds all, so that nothing of a load is chance. */
  readonly link: string;
  /** How many processes run beside a load. The first is what the others are compared with. */
  readonly beside: readonly number[];
  readonly rounds: number;
}

const trials: Readonly<Record<string, Trial>> = {
  images: { page: "carlucci-medium", link: "10mbit/50ms,queue=1000p", beside: [0, 1, 2, 3, 4, 6, 8], rounds: 9 },
  object: { page: "object-1MB", link: "1mbit/50ms,queue=1000p", beside: [0, 2, 4, 8], rounds: 5 },
};

/** Of what the browser waited over what it ran. */
const bounds = [0, 1, 2, 3, 4, 5, 6, 8];

type Load = LoadFacts & { readonly plt_ms: number };

/** Of CPU time: should nobody end a loop. */
const longest_s = 60;

/** Loads beside so many busy loops, each in a session of its own: the kernel shares CPUs fairly among sessions (autogroup). */
async function loadBeside(count: number, load: () => Promise<LoadFacts>): Promise<Load> {
  const loops: ChildProcess[] = Array.from({ length: count }, () =>
    spawn("sh", ["-c", `ulimit -t ${longest_s}; while :; do :; done`], { stdio: "ignore", detached: true }),
  );
  try {
    const facts = await load();
    const { plt_ms } = facts.metrics;
    if (plt_ms === null) throw new Error(`a load beside ${count} loops has no PLT: ${facts.reasons.join("; ")}`);
    return { ...facts, plt_ms };
  } finally {
    for (const loop of loops) loop.kill("SIGKILL");
  }
}

function measurementsOf(name: string, loads: readonly Load[], differences: readonly number[]): Measurement[] {
  const of = (value: (load: Load) => number): number[] => loads.map(value);
  const waited = (part: "browser_ms" | "server_ms" | "shaper_ms") =>
    of(({ pressure }) => pressure?.waited[part] ?? Number.NaN);
  return [
    measurement(`${name}: PLT longer`, differences, null, { unit: "%" }),
    measurement(`${name}: browser waited of what it ran`, of(timesRun), null, { unit: "times" }),
    measurement(`${name}: browser waited`, waited("browser_ms"), null),
    measurement(`${name}: server waited`, waited("server_ms"), null),
    measurement(`${name}: shaper waited`, waited("shaper_ms"), null),
    measurement(
      `${name}: some task waited (PSI)`,
      of(({ pressure, plt_ms }) => ((pressure?.stalled_ms ?? Number.NaN) / plt_ms) * 100),
      null,
      { unit: "%" },
    ),
    measurement(
      `${name}: invalid`,
      of(({ status }) => (status === "valid" ? 0 : 100)),
      null,
      { unit: "%" },
    ),
  ];
}

const timesRun = ({ pressure, cpu }: Load): number =>
  (pressure?.waited.browser_ms ?? Number.NaN) / (cpu?.load.browser_ms ?? Number.NaN);

/** How waits go with PLTs, whatever ran beside: loads by how much of what it ran the browser waited. */
function byWait(page: string, loads: readonly Load[], alone_ms: number): Measurement[] {
  const groups = Map.groupBy(loads, (load) => bounds.findLast((bound) => timesRun(load) >= bound) ?? 0);
  return [...groups]
    .toSorted(([a], [b]) => a - b)
    .map(([bound, group]) => {
      const longer = group.map(({ plt_ms }) => (plt_ms / alone_ms - 1) * 100);
      const name = `${page}: PLT longer where the browser waited ${bound} times what it ran or more`;
      return measurement(name, longer, null, { unit: "%" });
    });
}

async function run(
  home: string,
  { page, link, beside, rounds }: Trial,
  say: (line: string) => void,
): Promise<Measurement[]> {
  const recording = await withArchive(home, (archive) => ensureSynth(archive, page));
  const options = { home, recording, lane: "h2", link: parseLink(link), timeout_ms: 60_000 } as const;
  const load = async (): Promise<LoadFacts> => (await measureLoad(options)).log._trilane;
  const loads = new Map<number, Load[]>(beside.map((count) => [count, []]));
  say(`${page} on ${link}: ${rounds} rounds beside ${beside.join(", ")} busy loops`);
  // The first load finds everything cold.
  await load();
  for (let round = 0; round < rounds; round++) {
    // Up and down in turns: what changes with time is in all alike.
    for (const count of round % 2 === 0 ? beside : beside.toReversed())
      loads.get(count)?.push(await loadBeside(count, load));
  }
  const alone = loads.get(beside[0] as number) as Load[];
  const alone_ms = median(alone.map(({ plt_ms }) => plt_ms));
  const measured = [...loads].flatMap(([count, loaded]) => {
    const longer = loaded.map(({ plt_ms }, round) => (plt_ms / (alone[round] as Load).plt_ms - 1) * 100);
    say(`${page} beside ${count} loops: PLT longer by ${inWords(longer)}`);
    return measurementsOf(`${page}, ${count} loops`, loaded, longer);
  });
  return [...measured, ...byWait(page, [...loads.values()].flat(), alone_ms)];
}

export const bench: Bench = async (say, only) => {
  const asked = Object.entries(trials).filter(([name]) => only === "" || only === name);
  if (asked.length === 0) throw new Error(`--only takes one of ${Object.keys(trials).join(", ")}`);
  const home = await mkdtemp(join(tmpdir(), "trilane-bench-"));
  try {
    const measurements: Measurement[] = [];
    for (const [, trial] of asked) measurements.push(...(await run(home, trial, say)));
    return measurements;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};
