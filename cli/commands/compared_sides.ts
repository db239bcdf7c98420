// The two sides that `trilane compare` is of: which sweeps its words name, of one kind, and by which metric. Judges nothing.
import { existsSync } from "node:fs";
import { UserError } from "../base/errors.ts";
import type { ComparedNouns, ComparedSweep, InterleavedSides, Run, SideNames } from "../results/compare/interleaved.ts";
import { chooseAnySweep, openNamed } from "../results/export/choose.ts";
import type { AnySweep, Results } from "../results/store/results.ts";
import {
  comparedMetric,
  hasNoTime,
  type MetricChoice,
  samplesOf,
  usualMetric,
} from "../results/verdict/compared_metric.ts";

interface Occasion extends ComparedSweep {
  readonly sweep: AnySweep;
  /** As it was named. */
  readonly word: string;
}

/** `3`, `old.db#3`, or several of these with commas between them. */
async function occasionsOf(word: string, { home, comparedSweep }: Where): Promise<Occasion[]> {
  const words = existsSync(word) ? [word] : word.split(",");
  const occasions: Occasion[] = [];
  for (const each of words) {
    const word = each.trim();
    const { results: opened, named } = openNamed(word, home);
    using results = opened;
    const sweep = chooseAnySweep(results, named);
    occasions.push({ sweep, word, ...(await comparedSweep(results, sweep)) });
  }
  return occasions;
}

/** Both sides are of one kind, and not all kinds have several metrics. */
function refuseOtherKinds(named: MetricChoice | undefined, occasions: readonly Occasion[]): void {
  const [{ sweep: a, nouns } = {}] = occasions;
  const other = occasions.find(({ sweep }) => sweep.kind !== a?.kind)?.sweep;
  if (a && other)
    throw new UserError(`sweep ${a.id} is of ${a.kind}, sweep ${other.id} of ${other.kind}: compare two of one kind`);
  if (nouns && nouns.metric !== null && named !== undefined)
    throw new UserError(`--metric: ${nouns.of} have one metric, their ${nouns.metric}: leave it out`);
}

/** What is named, or else what all of the sweeps ran for. */
function metricFor(named: MetricChoice | undefined, occasions: readonly Occasion[]): MetricChoice {
  const [first, ...others] = new Set(occasions.map(({ metric }) => metric));
  return named ?? (others.length === 0 ? first : undefined) ?? usualMetric;
}

/** By the metric. A load without it did not fail: it is in no comparison. */
const byMetric =
  (metric: MetricChoice) =>
  (occasion: Occasion): Occasion => ({
    ...occasion,
    loads: samplesOf(occasion.loads, metric).filter((load) => !hasNoTime(load, metric)),
  });

/** Sweeps of earlier versions may have been dilated; what that left undilated would be taken for a change. */
function refuseOtherDilation(occasions: readonly Occasion[]): void {
  const dilation = ({ dilate = 1 }: Occasion): number => dilate;
  const [a] = occasions;
  const other = a && occasions.find((occasion) => dilation(occasion) !== dilation(a));
  if (!other) return;
  const words = (of: Occasion): string =>
    dilation(of) === 1 ? "in undilated time" : `in time dilated ${dilation(of)} times`;
  throw new UserError(
    `sweep ${a.sweep.id} ran ${words(a)}, sweep ${other.sweep.id} ${words(other)}: run the dilated one again, undilated`,
  );
}

export interface Sides {
  /** What its parts are called. */
  readonly nouns: ComparedNouns;
  readonly metric: MetricChoice;
  /** The metric in words. */
  readonly metricNoun: string;
  readonly hasRequests: boolean;
  readonly a: readonly Run[];
  readonly b: readonly Run[];
  readonly sweeps: { readonly a: readonly AnySweep[]; readonly b: readonly AnySweep[] };
  /** The first of each side, as it was named. */
  readonly words: { readonly a: string; readonly b: string };
  /** Of sweeps that alternated two versions. */
  readonly names?: SideNames;
  readonly of?: InterleavedSides["of"];
}

/** The two versions of each sweep. */
function versionsOf(occasions: readonly Occasion[]): Pick<Sides, "a" | "b" | "sweeps" | "names" | "of"> {
  const found = occasions.map(({ sweep, sidesOf, ...run }) => {
    const sides = sidesOf?.(run);
    if (sides) return sides;
    throw new UserError(
      `sweep ${sweep.id} did not alternate two versions: name the sweep to compare it with, or run \`trilane compare --interleaved\``,
    );
  });
  const sweeps = occasions.map(({ sweep }) => sweep);
  const [first] = found;
  return {
    ...{ a: found.map(({ a }) => a), b: found.map(({ b }) => b), sweeps: { a: sweeps, b: sweeps } },
    ...(first ? { names: first.names, of: first.of } : {}),
  };
}

/** Where sweeps are, and how they are compared (cli/instruments/all.ts). */
export interface Where {
  readonly home: string;
  readonly comparedSweep: (results: Results, sweep: AnySweep) => Promise<ComparedSweep>;
}

interface NamedSides {
  a: string;
  b: string | undefined;
  metric: MetricChoice | undefined;
}

/** UserError if they cannot be compared. */
export async function sidesOf({ a, b, metric: named }: NamedSides, where: Where): Promise<Sides> {
  const stored = { before: await occasionsOf(a, where), after: b === undefined ? [] : await occasionsOf(b, where) };
  const all = [...stored.before, ...stored.after];
  refuseOtherKinds(named, all);
  refuseOtherDilation(all);
  const metric = metricFor(named, all);
  const [before, after] = [stored.before.map(byMetric(metric)), stored.after.map(byMetric(metric))];
  const [{ word, nouns, hasRequests = false }] = before as [Occasion, ...Occasion[]];
  const words = { a: word, b: after[0]?.word ?? word };
  const facts = { metric, metricNoun: nouns.metric ?? comparedMetric(metric).noun, words, nouns, hasRequests };
  if (b === undefined) return { ...facts, ...versionsOf(before) };
  const sweepsOf = (side: readonly Occasion[]): AnySweep[] => side.map(({ sweep }) => sweep);
  return { ...facts, a: before, b: after, sweeps: { a: sweepsOf(before), b: sweepsOf(after) } };
}
