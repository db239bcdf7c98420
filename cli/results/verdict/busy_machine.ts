// Loads of a busy machine: what other programs added to them, as far as it can be known, taken off; and how far the rest may be off.
//
// Each load has an estimate e of how long its page waited for CPUs (cli/load/disturbance.ts). Its time is taken to be calm + b e. How much
// of e there is in it, b, is taken from the loads: slopes of all pairs of loads of one lane on one page and link (Theil 1950, Sen
// 1968), of all lanes together, and the interval of Kendall's test of them. But e hardly varies where a machine is as busy all the
// time, and nine loads say little; so b is anywhere in that interval and from 0 to 1. Half of what is left is taken off, which is never
// farther from the truth than the other half, and that half is what a lane's median may be off, or the slope's standard error if that is
// more. Lanes suffer differently (HTTP/1.1 has more threads to wake), so each lane may be off for itself, and a comparison by both together: its interval is longer by that on
// each side, and its test asks whether the lanes differ by more. Among the rules that were tried (no correction, the slope alone, half with both
// in quadrature, lower quartiles) it is the one whose intervals hold for every disturbance that was tried, however lanes share it
// (test/cli/results/stats/simulated_busy.ts, `npm run bench -- coverage --only busy`).
//
// Loads that were disturbed less than is tolerated are those of a calm machine, and stay as they are. Pure.
import type { Interval } from "../../base/interval.ts";
import { count } from "../../base/numbers.ts";
import { mean, median } from "../../base/quantile.ts";
import { normalQuantile } from "../stats/normal_tail.ts";
import { counted, countedTogether, type Sample, type ValidSample } from "./sample.ts";

type Disturbed = Pick<Sample, "status" | "disturbance_ms" | "tolerated_ms" | "disturbance_estimate_ms">;

/** One that timed out was not slowed down by what a CPU is waited for. */
const isBusy = ({ status, disturbance_ms, tolerated_ms }: Disturbed): boolean =>
  status === "valid" && (disturbance_ms ?? 0) > (tolerated_ms ?? 0);

/** About how long the page waited for CPUs that others used; 0: as on a calm machine. */
export const waited_ms = (sample: Disturbed): number => (isBusy(sample) ? (sample.disturbance_estimate_ms ?? 0) : 0);

/** Of a page on a link: how much of the estimates there is in its loads. */
interface Slope {
  /** Of all pairs of loads of one lane the middle one; null: there is none whose estimates differ. */
  readonly estimate: number | null;
  /** 95 %. From -infinity to infinity: nothing is known. */
  readonly interval: Interval;
  /** Of it what is taken to be possible, 0 to 1, or the end of it that is nearest. */
  readonly possible: Interval;
}

interface Point {
  readonly lane: string;
  readonly x: number;
  readonly y: number;
}

/** In every lane alike: only loads of one lane are compared. */
function slopesOf(points: readonly Point[]): { readonly slopes: number[]; readonly variance: number } {
  const slopes: number[] = [];
  let variance = 0;
  for (const of of Map.groupBy(points, ({ lane }) => lane).values()) {
    const n = of.length;
    variance += (n * (n - 1) * (2 * n + 5)) / 18;
    of.forEach((one, index) => {
      for (const other of of.slice(0, index)) if (one.x !== other.x) slopes.push((one.y - other.y) / (one.x - other.x));
    });
  }
  return { slopes: slopes.sort((a, b) => a - b), variance };
}

const unknownSlope = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

function slopeOf(points: readonly Point[]): Slope {
  const { slopes, variance } = slopesOf(points);
  const reach = normalQuantile(0.025) * Math.sqrt(variance);
  const [from, to] = [Math.floor((slopes.length - reach) / 2) - 1, Math.ceil((slopes.length + reach) / 2)];
  const interval = { low: slopes[from] ?? Number.NEGATIVE_INFINITY, high: slopes[to] ?? Number.POSITIVE_INFINITY };
  const known = from < 0 || to >= slopes.length ? unknownSlope : interval;
  const possible = { low: clamp(known.low, 0, 1), high: clamp(known.high, 0, 1) };
  return { estimate: slopes.length > 0 ? median(slopes) : null, interval: known, possible };
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** How much of its estimates a lane's median may be off: half of what is possible, and no less than the slope's own standard error. */
function offShare({ interval, possible }: Slope): number {
  const error = (interval.high - interval.low) / 4;
  return Math.min(0.5, Math.max((possible.high - possible.low) / 2, error));
}

export interface Calmed<T> {
  /** With what was taken off. */
  readonly loads: readonly T[];
  /** By lane, in ms: how far its median may be off on either side. Lanes that are not there are off by nothing. */
  readonly off_ms: ReadonlyMap<string, number>;
  /** Null: the machine was calm. */
  readonly slope: Slope | null;
}

/** A median's interval, as much longer as the median may be off; no time is below 0. */
export const widened = (interval: Interval | null, off_ms = 0): Interval | null =>
  interval && { low: Math.min(interval.low, Math.max(0, interval.low - off_ms)), high: interval.high + off_ms };

const nothingOff: ReadonlyMap<string, number> = new Map();

/** Loads of one page on one link as on a calm machine. */
export function calmed<T extends ValidSample>(loads: readonly T[]): Calmed<T> {
  const points = loads.map((load) => ({ lane: load.lane, x: waited_ms(load), y: load.plt_ms }));
  if (points.every(({ x }) => x === 0)) return { loads, off_ms: nothingOff, slope: null };
  const slope = slopeOf(points.filter((_, index) => loads[index]?.status === "valid"));
  const { low, high } = slope.possible;
  const share = (low + high) / 2;
  const lanes = Map.groupBy(points, ({ lane }) => lane);
  const off_ms = new Map([...lanes].map(([lane, of]) => [lane, offShare(slope) * mean(of.map(({ x }) => x))]));
  const taken = loads.map((load, index) => {
    const left_ms = load.plt_ms - share * (points[index]?.x ?? 0);
    // An estimate is no longer than its load; a time of 0 would have no ratio.
    return left_ms > 0 ? { ...load, plt_ms: left_ms } : load;
  });
  return { loads: taken, off_ms, slope };
}

/** Of a page on a link that had loads of a busy machine. */
export interface BusyPlace {
  readonly page: string;
  readonly link: string;
  /** So many of the loads that count were disturbed by more than is tolerated; of some of them it may not be known for how long. */
  readonly busy: number;
  readonly unknown: number;
  readonly all: number;
  /** Of the busy ones, about: the median. Null: of none it is known. */
  readonly estimate_ms: number | null;
  readonly slope: Slope | null;
  /** Of the lane's median that is farthest off. */
  readonly off_ms: number;
}

/** None on a calm machine. */
export function busyPlaces(samples: readonly Sample[]): BusyPlace[] {
  return [...Map.groupBy(samples, ({ page, link }) => JSON.stringify([page, link])).values()].flatMap((of) => {
    const loads = countedTogether(of);
    const busy = loads.filter(isBusy);
    const [first] = busy;
    if (!first) return [];
    const { slope, off_ms } = calmed(loads);
    const known_ms = busy.flatMap(({ disturbance_estimate_ms }) => disturbance_estimate_ms ?? []);
    return {
      ...{ page: first.page, link: first.link, busy: busy.length, all: loads.length, slope },
      unknown: busy.length - known_ms.length,
      estimate_ms: known_ms.length > 0 ? median(known_ms) : null,
      off_ms: Math.max(0, ...off_ms.values()),
    };
  });
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const inMs = (values: readonly number[], about = ""): string => {
  const [least, greatest] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(0));
  if (greatest === "0") return "less than 1 ms";
  return least === greatest ? `${about}${least} ms` : `${about}${least} to ${greatest} ms`;
};

/** For people, once beside a verdict; null on a calm machine. */
export function busyNote(samples: readonly Sample[]): string | null {
  const places = busyPlaces(samples);
  if (places.length === 0) return null;
  const [busy, unknown] = [sumOf(places.map((place) => place.busy)), sumOf(places.map((place) => place.unknown))];
  const loads = `${busy} of ${count(samples.filter((sample) => counted(sample) !== null).length, "load")}`;
  const known = places.flatMap(({ estimate_ms, off_ms }) => (estimate_ms === null ? [] : [{ estimate_ms, off_ms }]));
  if (known.length === 0)
    return `On a busy machine: other programs may have held up ${loads}, and it is not known for how long.`;
  const waited = inMs(
    known.map(({ estimate_ms }) => estimate_ms),
    "about ",
  );
  const off = inMs(known.map(({ off_ms }) => off_ms));
  const rest = unknown > 0 ? ` Of ${count(unknown, "load")} it is not known.` : "";
  return `On a busy machine: ${loads} waited for CPUs that other programs used, ${waited} each. The likely delay is subtracted; medians may still be off by ${off}, and intervals are wider by that.${rest}`;
}
