// What the statistics ask of a load: which cell and block it belongs to, whether it counts, its page load time.
// The rows of cli/results/store fit as they are. No arithmetic.
import { factorsApart, factorText } from "../../base/factors.ts";
import { allLanes, factorsOf, labelParts, laneFacts, plainLanes, withoutFactors } from "../../base/lanes.ts";
import { timedOutAfter_ms } from "../../load/time_out.ts";

export type LoadStatus = "valid" | "invalid" | "failed";

export interface Sample {
  readonly page: string;
  /** The link's short form: the label under which loads are compared. */
  readonly link: string;
  readonly lane: string;
  /** Loads of one block ran next to each other, one per lane, so that a slow minute of the machine hits all lanes. */
  readonly block: number;
  readonly status: LoadStatus;
  /** Why a load is not valid. */
  readonly reasons: readonly string[];
  readonly plt_ms: number | null;
  /** The browser's; null or absent: not reported. */
  readonly browser_version?: string | null;
  readonly browser_sha256?: string | null;
  /** Shares of the recorded requests and bytes that it requested, 0 to 1; null or absent: not reported. */
  readonly coverage_requests?: number | null;
  readonly coverage_bytes?: number | null;
  /** What the machine may have added at most, up to where that is a calm machine's, and about how much it was (busy_machine.ts). */
  readonly disturbance_ms?: number | null;
  readonly tolerated_ms?: number | null;
  readonly disturbance_estimate_ms?: number | null;
}

/** A sample that may enter an average. */
export interface ValidSample extends Sample {
  readonly plt_ms: number;
}

export function isValid(sample: Sample): sample is ValidSample {
  // A ratio of times that are 0 or less says nothing.
  return sample.status === "valid" && sample.plt_ms !== null && sample.plt_ms > 0 && Number.isFinite(sample.plt_ms);
}

/**
 * A sample that enters averages: a valid one, or one that timed out, which takes longer than all that did not and is taken to
 * take just as long as it was given. What falls on it is a lower bound.
 */
export function counted(sample: Sample): ValidSample | null {
  if (isValid(sample)) return sample;
  const least_ms = sample.status === "failed" ? timedOutAfter_ms(sample.reasons) : null;
  return least_ms === null ? null : { ...sample, plt_ms: least_ms };
}

export function timedOut(sample: Sample): boolean {
  return !isValid(sample) && counted(sample) !== null;
}

/**
 * As `counted`, of loads of one page on one link: all that timed out take as long as the slowest of them all. In dilated time a
 * load that ended may take longer than it was given, once its computation is added back.
 */
export function countedTogether<T extends Sample>(samples: readonly T[]): (T & ValidSample)[] {
  const all = samples.flatMap((sample) => {
    const plt_ms = counted(sample)?.plt_ms;
    return plt_ms === undefined ? [] : [{ ...sample, plt_ms }];
  });
  const slowest_ms = all.reduce((most_ms, { plt_ms }) => Math.max(most_ms, plt_ms), 0);
  return all.map((sample) => (sample.status === "valid" ? sample : { ...sample, plt_ms: slowest_ms }));
}

/** Whether the upper one of the loads in the middle timed out: then the median is a lower bound. */
export function isMedianOut(loads: number, timedOut: number): boolean {
  return timedOut > 0 && Math.floor(loads / 2) >= loads - timedOut;
}

/** Lanes in the order in which people read them (lanes.ts), each before itself with other settings, one browser's after another's; then other names. */
export function sortLanes(lanes: Iterable<string>): string[] {
  const group = (lane: string): string => factorText(factorsOf(lane));
  const rank = (lane: string): number => {
    const parts = labelParts(lane);
    return parts ? allLanes.indexOf(parts.lane) : allLanes.length;
  };
  const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return [...new Set(lanes)].sort((a, b) => byText(group(a), group(b)) || rank(a) - rank(b) || byText(a, b));
}

/** The loads of each lane, the lanes in the order in which people read them. */
export function byLane<Load extends { readonly lane: string }>(
  loads: readonly Load[],
): { readonly lane: string; readonly loads: readonly Load[] }[] {
  const ofLanes = Map.groupBy(loads, ({ lane }) => lane);
  return sortLanes(ofLanes.keys()).map((lane) => ({ lane, loads: ofLanes.get(lane) ?? [] }));
}

/** A pair of lanes to compare: `over` is the baseline, "h3 over h2" is {lane: "h3", over: "h2"}. */
export interface LanePair {
  readonly lane: string;
  readonly over: string;
}

/** As many lanes have each pair shown; of more there would be too many to read. */
const maxLanesForAllPairs = 4;

function differInOneThing({ lane, over }: LanePair): boolean {
  const [parts, overParts] = [labelParts(lane), labelParts(over)];
  if (!parts || !overParts) return true;
  if (parts.lane === overParts.lane) return true;
  if (parts.settings !== overParts.settings) return false;
  const [a, b] = [laneFacts[parts.lane], laneFacts[overParts.lane]];
  const isPlain = (name: string) => plainLanes.some((plain) => plain === name);
  const arePlain = isPlain(parts.lane) && isPlain(overParts.lane);
  if (a.family === b.family) return isPlain(parts.lane) || isPlain(overParts.lane);
  if (a.repeat || b.repeat) return a.repeat && b.repeat;
  return arePlain || (a.family === "h3" && overParts.lane === "h2");
}

/** Lanes in one browser. */
function pairsWithin(sorted: readonly string[]): LanePair[] {
  const pairs = sorted.flatMap((lane, index) => sorted.slice(0, index).map((over) => ({ lane, over })));
  if (sorted.length <= maxLanesForAllPairs) return pairs;
  const alike = new Set(pairs.filter(differInOneThing).flatMap(({ lane, over }) => [lane, over]));
  return pairs.filter((pair) => differInOneThing(pair) || !alike.has(pair.lane) || !alike.has(pair.over));
}

/** Whether a pair is of one lane, in two browsers. */
export function isAcrossFactors({ lane, over }: LanePair): boolean {
  return factorsApart(factorsOf(lane), factorsOf(over)).length > 0;
}

/**
 * Every later lane over every earlier one: h2 over h1, h3 over h1, h3 over h2. Of more than four lanes only those that
 * differ in one thing: h3-0rtt over h3 and over h2-0rtt, but not over h1; h3:tuned over h3 and over h2:tuned, but not over h2. One
 * that differs so from none is compared with all. Lanes in several browsers: so within each browser; then each lane in one browser over
 * itself in another, h2@firefox over h2@chromium.
 */
export function lanePairs(lanes: Iterable<string>): LanePair[] {
  const sorted = sortLanes(lanes);
  const groups = [...Map.groupBy(sorted, (lane) => factorText(factorsOf(lane))).values()];
  const across = sorted.flatMap((lane, index) =>
    sorted.slice(0, index).flatMap((over) => {
      const isApart = factorsApart(factorsOf(lane), factorsOf(over)).length === 1;
      return isApart && withoutFactors(lane) === withoutFactors(over) ? [{ lane, over }] : [];
    }),
  );
  return [...groups.flatMap(pairsWithin), ...across];
}
