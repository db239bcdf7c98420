// Comparisons whose truth is known: two sides whose medians differ by a given change on each page, with noise of two shapes, loads that
// time out or fail and, where each side has sweeps of its own, with what occasions add. How often `trilane compare` would exit with 1.
// Seeded; judges nothing.

import type { Lane } from "../../../../cli/base/lanes.ts";
import { median } from "../../../../cli/base/quantile.ts";
import { type RandomSource, randomSource } from "../../../../cli/base/random.ts";
import { parseLink } from "../../../../cli/link/link.ts";
import { timeOut } from "../../../../cli/load/time_out.ts";
import { compareRuns } from "../../../../cli/results/compare/compare.ts";
import { regressionOf } from "../../../../cli/results/compare/comparison.ts";
import type { Run } from "../../../../cli/results/compare/interleaved.ts";
import type { Cell, Load } from "../../../../cli/results/store/results.ts";
import { type Noise, normal } from "../stats/simulated_study.ts";

const spread = 0.03;
const narrow: Noise = (random) => spread * normal(random);

/** A share of the loads is `longer` (a logarithm) than the others. */
const ofTwoKinds =
  (share: number, longer: number): Noise =>
  (random) =>
    0.01 * normal(random) + (random() < share ? longer : 0);

const tenth = Math.log(1.1);

/** Noise of the two sides; the medians are taken off where loads are drawn. */
export const shapes = {
  "alike, normal": { a: narrow, b: narrow },
  // Of some 100 ms, in whole ms (loadOf).
  "alike, rounded to ties": { a: narrow, b: narrow },
  "1:8 spread": { a: (random: RandomSource) => (spread / 8) * normal(random), b: narrow },
  "8:1 spread": { a: narrow, b: (random: RandomSource) => (spread / 8) * normal(random) },
  "after: 10 % of loads 10 % slower": { a: ofTwoKinds(0, 0), b: ofTwoKinds(0.1, tenth) },
  "after: 30 % of loads 10 % slower": { a: ofTwoKinds(0, 0), b: ofTwoKinds(0.3, tenth) },
  "after: 45 % of loads 10 % slower": { a: ofTwoKinds(0, 0), b: ofTwoKinds(0.45, tenth) },
  "before: 30 % of loads 10 % faster": { a: ofTwoKinds(0.3, -tenth), b: ofTwoKinds(0, 0) },
  "after: skewed": { a: narrow, b: (random: RandomSource) => spread * (Math.exp(normal(random)) - 1) },
} as const satisfies Record<string, { readonly a: Noise; readonly b: Noise }>;

export type Shape = keyof typeof shapes;

/** `occasions`: three sweeps of each side. */
export type SimulatedDesign = "interleaved" | "occasions" | "one each";

export interface Simulation {
  readonly shape: Shape;
  readonly design: SimulatedDesign;
  /** Of every page's median, per cent. */
  readonly change_percent: number;
  readonly threshold_percent: number;
  /** Loads of each page on each occasion of a side. */
  readonly runs: number;
  readonly pages: number;
  readonly studies: number;
  /** Standard deviation of what an occasion adds to all its loads, and of what it adds to one page's, as logarithms. Default 0.02, 0.005. */
  readonly occasion?: { readonly all: number; readonly page: number };
  /** What the minutes of a block add to all its loads. Default 0.01. */
  readonly block?: number;
  /** Shares of either side's loads; less than half of those that do not fail time out. Default: none. */
  readonly lost?: Lost;
}

export interface Lost {
  readonly timedOut: number;
  readonly failed: number;
}

const noneLost: Lost = { timedOut: 0, failed: 0 };

const lanes: readonly Lane[] = ["h2"];
const link = "3mbit/50ms";
const usualOccasion = { all: 0.02, page: 0.005 };

const draws = 100_001;
const medians = new Map<string, number>();

/**
 * Of what is drawn, with what its block adds: noise that all loads of a block share moves the median of loads of two kinds, and so do
 * loads that time out, which are slower than all others.
 */
function medianOf(shape: Shape, side: "a" | "b", block: number, { timedOut, failed }: Lost): number {
  const out = timedOut / (1 - failed);
  const key = `${shape} ${side} ${block}${out > 0 ? ` ${out}` : ""}`;
  const random = randomSource(1, key);
  const drawn = (): number => shapes[shape][side](random) + block * normal(random);
  const found =
    medians.get(key) ??
    median(Array.from({ length: draws }, () => (out > 0 && random() < out ? Number.POSITIVE_INFINITY : drawn())));
  medians.set(key, found);
  return found;
}

interface Occasion {
  /** By page. */
  readonly adds: readonly number[];
  /** By block. */
  readonly minutes: readonly number[];
}

function cellsOf(pages: number): Cell[] {
  const link_profile = parseLink(link);
  return Array.from({ length: pages }, (_, page) =>
    lanes.map((lane, index) => ({
      ...{ id: page * lanes.length + index + 1, sweep: 1, page: `page ${page}`, recording_digest: "one" },
      ...{ lane, link, link_profile },
    })),
  ).flat();
}

/** Why a load has no time. */
type Loss = "timedOut" | "failed";
const reasonOf: Readonly<Record<Loss, string>> = { timedOut: timeOut(60_000), failed: "the page's process ended" };

function lossOf({ timedOut, failed }: Lost, random: RandomSource): Loss | null {
  if (timedOut + failed === 0) return null;
  const at = random();
  if (at < timedOut) return "timedOut";
  return at < timedOut + failed ? "failed" : null;
}

/** Only what a comparison reads. */
function loadOf(cell: Cell, block: number, log: number, isRounded: boolean, loss: Loss | null): Load {
  const outcome = loss === null ? { status: "valid", reasons: [] } : { status: "failed", reasons: [reasonOf[loss]] };
  const facts = { id: cell.id * 1000 + block, cell: cell.id, block, ...outcome };
  const time_ms = isRounded ? Math.round(100 * Math.exp(log)) : 500 * Math.exp(log);
  const plt_ms = loss === null ? time_ms : null;
  const load = { ...facts, page: cell.page, link: cell.link, lane: cell.lane, plt_ms };
  return load as unknown as Load;
}

/** Whether one study exits with 1. */
function isExit(simulation: Simulation, cells: readonly Cell[], random: RandomSource): boolean {
  const { shape, design, change_percent, threshold_percent, runs, pages } = simulation;
  const isRounded = shape === "alike, rounded to ties";
  const { occasion = usualOccasion, block = 0.01, lost = noneLost } = simulation;
  const newOccasion = (): Occasion => {
    const all = occasion.all * normal(random);
    return {
      adds: Array.from({ length: pages }, () => all + occasion.page * normal(random)),
      minutes: Array.from({ length: runs }, () => block * normal(random)),
    };
  };
  const runOn = ({ adds, minutes }: Occasion, side: "a" | "b"): Run => {
    const centre = (side === "b" ? Math.log1p(change_percent / 100) : 0) - medianOf(shape, side, block, lost);
    const logAt = (cell: number, minute: number): number =>
      centre + (adds[cell] ?? 0) + minute + shapes[shape][side](random);
    const loads = cells.flatMap((cell, index) =>
      minutes.map((minute, at) => loadOf(cell, at, logAt(index, minute), isRounded, lossOf(lost, random))),
    );
    return { cells, loads };
  };
  const sweeps = design === "occasions" ? 3 : 1;
  const before = Array.from({ length: sweeps }, newOccasion);
  const after = design === "interleaved" ? before : Array.from({ length: sweeps }, newOccasion);
  const terms = { threshold_percent, isInterleaved: design === "interleaved", hasIntervals: false };
  const [a, b] = [before.map((each) => runOn(each, "a")), after.map((each) => runOn(each, "b"))];
  return regressionOf(compareRuns(a, b, terms)) === "shown";
}

/** Share of so many studies that exit with 1. */
export function exits(simulation: Simulation): number {
  const { shape, design, change_percent, runs, pages, studies } = simulation;
  const random = randomSource(14, `${shape}, ${design}, ${change_percent} %, ${runs} runs, ${pages} pages`);
  const cells = cellsOf(pages);
  let shown = 0;
  for (let study = 0; study < studies; study++) if (isExit(simulation, cells, random)) shown++;
  return shown / studies;
}

const names = Object.keys(shapes) as Shape[];
const threshold_percent = 5;

interface WrongExits {
  readonly name: string;
  /** Of each shape of noise, or of what both sides lose. */
  readonly shares: readonly { readonly name: string; readonly share: number }[];
}

const sweepsOf = { interleaved: "interleaved", occasions: "three sweeps each" } as const;

const losses: Readonly<Record<string, Lost>> = {
  "20 % time out": { timedOut: 0.2, failed: 0 },
  "40 % time out": { timedOut: 0.4, failed: 0 },
  "20 % time out, 20 % fail": { timedOut: 0.2, failed: 0.2 },
};

/** Loads of both sides that are lost alike, over 36 pages of one shape. */
function wrongExitsWithLosses(studies: number): WrongExits[] {
  return (["interleaved", "occasions"] as const).flatMap((design) =>
    [3, 5, 10].map((runs) => ({
      name: `compare, ${sweepsOf[design]}, ${runs} runs, both sides lose loads: exits with 1`,
      shares: Object.entries(losses).map(([name, lost]) => {
        const simulation = { shape: "alike, normal", design, change_percent: 0, threshold_percent, runs } as const;
        return { name, share: exits({ ...simulation, pages: 36, studies, lost }) };
      }),
    })),
  );
}

/** For the bench: shares of wrong exits by shape, over six pages, at no change and at a change as large as the threshold. */
function wrongExitsByShape(studies: number): WrongExits[] {
  return (["interleaved", "occasions"] as const).flatMap((design) =>
    [3, 5, 10, 20].flatMap((runs) =>
      [0, threshold_percent].map((change_percent) => ({
        name: `compare, ${sweepsOf[design]}, ${runs} runs, truly ${change_percent} % slower: exits with 1`,
        shares: names.map((shape) => ({
          name: shape,
          share: exits({ shape, design, change_percent, threshold_percent, runs, pages: 6, studies }),
        })),
      })),
    ),
  );
}

export const wrongExits = (studies: number): WrongExits[] => [
  ...wrongExitsByShape(studies),
  ...wrongExitsWithLosses(studies),
];
