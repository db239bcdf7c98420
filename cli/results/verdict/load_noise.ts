// How the loads of two lanes scatter, for studies that are simulated before they are run: from loads of an earlier sweep or a pilot,
// or from a spread that is given. Shapes are those of the loads (one lane may be of two kinds), pooled over pages and links
// because few runs of one cell show none; how wide is each cell's own, drawn towards the others' while its runs are few, and as wide as
// four of five such pilots would have it at most.
// Times are taken as logarithms throughout. Simulates no study: detectable_effect.ts does.
import { countThrough, median } from "../../base/quantile.ts";
import type { RandomSource } from "../../base/random.ts";
import { normalDraw } from "../stats/normal_tail.ts";
import { type TwoKinds, twoKinds } from "../stats/two_kinds.ts";
import { type ComponentName, effectComponents } from "./effect_components.ts";
import { type PairedCell, pairedCells } from "./paired_cells.ts";
import type { LanePair, Sample } from "./sample.ts";

/** Of both lanes' loads: a deviation from the median, or how large deviations are. */
export interface Both {
  readonly lane: number;
  readonly over: number;
}

export interface KnownCell {
  readonly page: string;
  readonly link: string;
  /** Median of `over`, in ms. */
  readonly base_ms: number;
  /** Root mean squares of log(PLT / median), with the allowance. */
  readonly spread: Both;
}

/** Standard deviations of the effect, as logarithms. */
export type EffectSpread = Readonly<Partial<Record<Exclude<ComponentName, "residual" | "occasion">, number>>>;

type Draw = (random: RandomSource) => Both;

export interface LoadNoise {
  readonly pair: LanePair;
  /** One study's noise: deviations of a block's loads from their median, of root mean square about 1. */
  readonly study: (random: RandomSource) => Draw;
  readonly cells: readonly KnownCell[];
  /** The median over cells. */
  readonly typical: Both;
  /** How many times wider than was found, because few runs may have hidden it. */
  readonly allowance: number;
  readonly effects: EffectSpread;
  /** The fewest loads of a lane in a cell that it is from; null: from none. */
  readonly runs: number | null;
  /** The lane of which most loads were seen to be of two kinds, where they were on enough pages and links; null: of none. */
  readonly kinds: LaneKinds | null;
}

interface LaneKinds {
  readonly lane: string;
  /** Of the slower kind, of all loads on the pages and links where there were two. */
  readonly slower: number;
  readonly loads: number;
}

/** Loads with this standard deviation of log(PLT), in both lanes, that share nothing. */
export function givenNoise(spread: number, pair: LanePair): LoadNoise {
  return {
    pair,
    study: () => (random) => ({ lane: normalDraw(random), over: normalDraw(random) }),
    cells: [],
    typical: { lane: spread, over: spread },
    allowance: 1,
    effects: {},
    runs: null,
    kinds: null,
  };
}

/** Fewer loads of a lane say nothing of how they scatter. */
const fewestRuns = 2;
/** So many loads' worth of what all cells have goes into each cell's spread. */
const borrowed = 4;
/** Of fewer blocks in a cell, or pairs, no shape is taken: deviations from a median of three have a shape of their own. */
export const fewestOfShape = 8;
/** z of the chance at which pilots may have hidden more. */
const hidden = -0.8416;

/** A spread's upper limit over its estimate, which four of five do not pass (Browne 1995); chi-square by Wilson and Hilferty. */
export function allowanceFor(freedom: number): number {
  return (1 - 2 / (9 * freedom) + hidden * Math.sqrt(2 / (9 * freedom))) ** -1.5;
}

interface Deviations {
  readonly page: string;
  readonly link: string;
  readonly base_ms: number;
  /** Of each block with both loads. */
  readonly blocks: readonly Both[];
  readonly variance: Both;
}

/** Null where a lane has too few loads, or the lanes requested different parts of the page; loads that timed out are lower bounds. */
function deviationsOf({ page, link, lane, over, gap, timedOut }: PairedCell): Deviations | null {
  if (gap) return null;
  const logs = [...lane.keys()].flatMap((block) => {
    const both = { lane: Math.log(lane[block] as number), over: Math.log(over[block] as number) };
    const isOut = timedOut?.lane.has(block) || timedOut?.over.has(block);
    return Number.isFinite(both.lane + both.over) && !isOut ? [both] : [];
  });
  if (logs.length < fewestRuns) return null;
  const centre = { lane: median(logs.map((of) => of.lane)), over: median(logs.map((of) => of.over)) };
  const blocks = logs.map((of) => ({ lane: of.lane - centre.lane, over: of.over - centre.over }));
  const variance = (side: keyof Both): number =>
    blocks.reduce((sum, of) => sum + of[side] ** 2, 0) / (blocks.length - 1);
  const base_ms = Math.exp(centre.over);
  return { page, link, base_ms, blocks, variance: { lane: variance("lane"), over: variance("over") } };
}

const freedomOf = (cells: readonly Deviations[]): number =>
  cells.reduce((sum, { blocks }) => sum + blocks.length - 1, 0);

/** A cell's spread from its own variance and that of all cells. */
function cellSpread(cells: readonly Deviations[], side: keyof Both): (of: Deviations) => number {
  const freedom = freedomOf(cells);
  const all = cells.reduce((sum, of) => sum + of.variance[side] * (of.blocks.length - 1), 0) / freedom;
  return ({ blocks, variance }) => {
    const own = blocks.length - 1;
    return Math.sqrt((own * variance[side] + borrowed * all) / (own + borrowed));
  };
}

/** Numbers of root mean square 1 about their median; null for loads that were all alike. */
function standardised(values: readonly number[]): number[] | null {
  const centre = median(values);
  const size = Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / values.length);
  return size > 0 ? values.map((value) => (value - centre) / size) : null;
}

/** The least value up to which lies half of the weight. */
function weightedMedian(values: readonly number[], weights: readonly number[], half: number): number {
  const order = [...values.keys()].sort((a, b) => (values[a] as number) - (values[b] as number));
  let sum = 0;
  const at = order.find((place) => {
    sum += weights[place] as number;
    return sum >= half;
  });
  return values[at ?? (order.at(-1) as number)] as number;
}

/**
 * Blocks as they were, each a little blurred, so that few of them do not make ties that loads have not. How many loads are of which
 * kind is known as well as so many blocks tell it: each study has them in other shares (the Bayesian bootstrap, Rubin 1981). Where
 * nearly half of a lane's are slow, this decides where its median lies.
 */
function shapesOf(shapes: readonly Both[]): LoadNoise["study"] {
  const lane = standardised(shapes.map((of) => of.lane));
  const over = standardised(shapes.map((of) => of.over));
  const blur = 0.5 * shapes.length ** -0.2;
  const shrink = 1 / Math.sqrt(1 + blur ** 2);
  return (ofStudy) => {
    const weights = shapes.map(() => -Math.log(1 - ofStudy()));
    const ends: number[] = [];
    const all = weights.reduce((sum, weight) => {
      ends.push(sum + weight);
      return sum + weight;
    }, 0);
    const centred = (values: readonly number[] | null): number[] | null => {
      if (values === null) return null;
      const centre = weightedMedian(values, weights, all / 2);
      return values.map((value) => value - centre);
    };
    const [ofLane, ofOver] = [centred(lane), centred(over)];
    const at = (values: readonly number[] | null, place: number, random: RandomSource): number =>
      values ? ((values[place] as number) + blur * normalDraw(random)) * shrink : normalDraw(random);
    return (random) => {
      const drawn = random() * all;
      const place = Math.min(countThrough(ends, drawn), ends.length - 1);
      return { lane: at(ofLane, place, random), over: at(ofOver, place, random) };
    };
  };
}

/** Two normal ones that move together as much as these do. */
function normalsLike(shapes: readonly Both[]): Draw {
  const sum = (of: (each: Both) => number): number => shapes.reduce((all, each) => all + of(each), 0);
  const size = Math.sqrt(sum(({ lane }) => lane ** 2) * sum(({ over }) => over ** 2));
  // Chance makes few blocks agree: what they share is not counted on before it is shown.
  const correlation =
    size > 0 ? Math.max(0, sum(({ lane, over }) => lane * over) / size - 1 / Math.sqrt(shapes.length)) : 0;
  return (random) => {
    const shared = normalDraw(random);
    const own = normalDraw(random);
    return { lane: shared, over: correlation * shared + Math.sqrt(1 - correlation ** 2) * own };
  };
}

function effectSpread(samples: readonly Sample[], pair: LanePair): EffectSpread {
  const components = effectComponents(samples, pair)?.components ?? [];
  const of = (name: ComponentName): number =>
    (components.find((component) => component.name === name)?.sd_percent ?? 0) / 100;
  return { page: of("page"), link: of("link"), "page on link": of("page on link") };
}

/** Chance finds two kinds in a few of a hundred pages on links: in so many of them, at least, there are two. */
const seenInShare = 0.2;

function kindsOf(cells: readonly Deviations[], pair: LanePair): LaneKinds | null {
  const seen = (["lane", "over"] as const).flatMap((side): LaneKinds[] => {
    const found = cells.flatMap(({ blocks }) => twoKinds(blocks.map((of) => of[side])) ?? []);
    if (found.length === 0 || found.length < seenInShare * cells.length) return [];
    const sum = (of: (each: TwoKinds) => number): number => found.reduce((total, each) => total + of(each), 0);
    return [{ lane: pair[side], slower: sum(({ higher }) => higher), loads: sum(({ all }) => all) }];
  });
  const [most = null] = seen.sort((a, b) => b.loads - a.loads);
  return most;
}

/** From loads of an earlier sweep. Null where no page on a link has two loads of both lanes that can be compared. */
export function noiseOf(samples: readonly Sample[], pair: LanePair): LoadNoise | null {
  const found = pairedCells(samples, pair).flatMap((cell) => deviationsOf(cell) ?? []);
  if (found.length === 0) return null;
  const own = { lane: cellSpread(found, "lane"), over: cellSpread(found, "over") };
  const spreads = found.map((of): Both => ({ lane: own.lane(of), over: own.over(of) }));
  const shapes = found.map(({ blocks }, index) => {
    const { lane, over } = spreads[index] as Both;
    return blocks.map((of) => ({ lane: lane > 0 ? of.lane / lane : 0, over: over > 0 ? of.over / over : 0 }));
  });
  const ofMany = shapes.filter((blocks) => blocks.length >= fewestOfShape).flat();
  const allowance = allowanceFor(freedomOf(found));
  const widened = ({ lane, over }: Both): Both => ({ lane: lane * allowance, over: over * allowance });
  return {
    pair,
    study: ofMany.length > 0 ? shapesOf(ofMany) : () => normalsLike(shapes.flat()),
    cells: found.map(({ page, link, base_ms }, index) => ({
      page,
      link,
      base_ms,
      spread: widened(spreads[index] as Both),
    })),
    typical: widened({ lane: median(spreads.map(({ lane }) => lane)), over: median(spreads.map(({ over }) => over)) }),
    allowance,
    effects: effectSpread(samples, pair),
    runs: Math.min(...found.map(({ blocks }) => blocks.length)),
    kinds: kindsOf(found, pair),
  };
}

/** Of both lanes together: what two alike lanes would have. */
export const spreadOf = ({ lane, over }: Both): number => Math.sqrt((lane ** 2 + over ** 2) / 2);
