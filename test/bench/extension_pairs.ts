// Loads of one page in two ways, in turns, and by how much the one takes longer: pair by pair, so that what changes on the
// machine meanwhile is in both. Measures nothing itself.
import { type Lane, plainLanes } from "../../cli/base/lanes.ts";
import { shift } from "../../cli/results/stats/hodges_lehmann.ts";
import { type Measurement, measurement } from "./bench.ts";
import type { Loaded } from "./extension_lab.ts";

/** Those that `--only` names: all where it is empty. */
export function lanesAsked(only: string): readonly Lane[] {
  const lanes = plainLanes.filter((lane) => only === "" || only === lane);
  if (lanes.length === 0) throw new Error(`--only takes one of ${plainLanes.join(", ")}`);
  return lanes;
}

export interface LoadPair {
  readonly one: Loaded;
  readonly other: Loaded;
}

/** Neither is always the one that comes second. The first pair, which finds everything cold, is left out. */
export async function loadPairs(
  count: number,
  one: () => Promise<Loaded>,
  other: () => Promise<Loaded>,
): Promise<LoadPair[]> {
  const pairs: LoadPair[] = [];
  for (let run = 0; run <= count; run++) {
    const first = run % 2 === 0 ? await one() : await other();
    const second = run % 2 === 0 ? await other() : await one();
    if (run > 0) pairs.push(run % 2 === 0 ? { one: first, other: second } : { one: second, other: first });
  }
  return pairs;
}

/** By how many per cent the one's PLT is the longer, of each pair. */
export const percentLonger = (pairs: readonly LoadPair[]): number[] =>
  pairs.map(({ one, other }) => (one.plt_ms / other.plt_ms - 1) * 100);

/** Of each of the two ways, by its name. */
export const pltMeasurements = (
  lane: Lane,
  pairs: readonly LoadPair[],
  names: Readonly<Record<keyof LoadPair, string>>,
): Measurement[] =>
  (["one", "other"] as const).map((way) => {
    const plts_ms = pairs.map((pair) => pair[way].plt_ms);
    return measurement(`${lane}: PLT, ${names[way]}`, plts_ms, null);
  });

/** "2.1 % (95 %: 1.0 to 3.3), 12 pairs" */
export function inWords(differences: readonly number[]): string {
  const found = shift(differences);
  const interval = found?.interval;
  const between = interval ? ` (95 %: ${interval.low.toFixed(1)} to ${interval.high.toFixed(1)})` : "";
  return `${found?.estimate.toFixed(1)} %${between}, ${differences.length} pairs`;
}
