// Traces of cellular networks that a plan names by their network: drawn once from the models below, or measured ones that the
// user has. Knows no plan.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createTempSibling } from "../../base/create_temp_sibling.ts";
import { UserError } from "../../base/errors.ts";
import { opportunityLines } from "../opportunities.ts";
import { type CellularModel, drawTrace } from "./model.ts";
import type { TraceSource } from "./trace_source.ts";

// Models of real networks by name. Means are the published ones; spread, memory and outages are rounded from traces that
// were recorded on these operators' networks (Winstein et al., NSDI 2013; windows of 1 s, times of 1 s and more without
// an opportunity), which have other means.

interface Preset {
  readonly name: string;
  readonly summary: string;
  readonly down: CellularModel;
  readonly up: CellularModel;
}

const verizon = { spread: 0.6, memory_ms: 5_000, outageEvery_ms: 120_000, outageLength_ms: 1_200 };

export const presets: readonly Preset[] = [
  {
    name: "verizon-lte",
    summary: "19.1 Mbit/s down, 9.1 up; rate forgotten after 5 s, an outage every 2 minutes",
    down: { mean_bps: 19.1e6, ...verizon },
    up: { mean_bps: 9.1e6, ...verizon, spread: 0.5 },
  },
  {
    name: "att-lte",
    summary: "6.7 Mbit/s down, 1.1 up; rate forgotten after 10 to 20 s, an outage every minute, long ones up",
    down: { mean_bps: 6.7e6, spread: 0.55, memory_ms: 20_000, outageEvery_ms: 40_000, outageLength_ms: 1_000 },
    up: { mean_bps: 1.1e6, spread: 0.4, memory_ms: 10_000, outageEvery_ms: 60_000, outageLength_ms: 5_000 },
  },
];

function presetOf(network: string): Preset {
  const preset = presets.find(({ name }) => name === network);
  if (preset) return preset;
  throw new UserError(`no network ${JSON.stringify(network)}: there are ${presets.map(({ name }) => name).join(", ")}`);
}

/** Whole or not at all: another process may look for it. */
function putTrace(path: string, model: CellularModel, length_ms: number, seed: number): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { aside, keep } = createTempSibling(path);
  try {
    writeFileSync(aside, [...opportunityLines(drawTrace(model, length_ms, seed))].join(""));
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  } finally {
    keep();
  }
}

/** The two directions of a network are two links: each has its own walk. */
export const directionSeeds = (seed: number): { readonly down: number; readonly up: number } => ({
  down: seed * 2,
  up: seed * 2 + 1,
});

/** Drawn into the data folder where they are not there yet. */
export function syntheticTraces(home: string): TraceSource {
  return (network, { length_s, seed }) => {
    const preset = presetOf(network);
    const folder = join(home, "traces", `seed-${seed}-${length_s}s`);
    const seeds = directionSeeds(seed);
    const ofSide = (side: "down" | "up"): string => {
      const path = join(folder, `${network}.${side}`);
      putTrace(path, preset[side], length_s * 1000, seeds[side]);
      return path;
    };
    return { down: ofSide("down"), up: ofSide("up") };
  };
}

/** The network that a trace's file is of: `Verizon-LTE-short.down` is of verizon-lte. Null: of none that is known. */
function networkOf(file: string): string | null {
  return presets.find(({ name }) => file.toLowerCase().startsWith(name))?.name ?? null;
}

/** A user's own, in Mahimahi's format: of each network one pair NETWORK*.down and NETWORK*.up. UserError where there is not one. */
export function measuredTraces(folder: string): TraceSource {
  const within = resolve(folder);
  return (network) => {
    presetOf(network);
    let names: string[];
    try {
      names = readdirSync(within);
    } catch (error) {
      throw new UserError(
        `--trace ${folder}: cannot be read (${(error as NodeJS.ErrnoException).code}): name a folder`,
      );
    }
    const stems = names.flatMap((name) =>
      name.endsWith(".down") && networkOf(name) === network ? name.slice(0, -5) : [],
    );
    const pairs = stems.filter((stem) => names.includes(`${stem}.up`));
    const [stem] = pairs;
    if (stem === undefined || pairs.length > 1) {
      const found = pairs.length === 0 ? "no pair" : `${pairs.length} pairs (${pairs.join(", ")})`;
      throw new UserError(
        `--trace ${folder}: ${found} of files ${network}*.down and ${network}*.up: put one there, as Verizon-LTE-short.down and .up`,
      );
    }
    return { down: join(within, `${stem}.down`), up: join(within, `${stem}.up`) };
  };
}

/** A link's label with the names of networks in place of those of their files, so that measured and drawn traces are one link. */
export function withNetworks(label: string): string {
  return label.replaceAll(
    /(trace_(?:down|up)=)([^,]*)\.(down|up)(?=,|$)/g,
    (whole, key: string, file: string, side: string) => {
      const network = networkOf(file.split("/").at(-1) ?? file);
      return network === null ? whole : `${key}${network}.${side}`;
    },
  );
}
