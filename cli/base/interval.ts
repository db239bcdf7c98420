// What an interval is and how sure it is, whichever way it is found. No arithmetic.

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Of an interval in a document; null: there is none, or nothing is known of that end. */
export const knownEnd = (end: number | undefined): number | null =>
  end !== undefined && Number.isFinite(end) ? end : null;

/** For a row of data; nulls: there is none. */
export const endsOf = (interval: Interval | null | undefined): readonly [low: number | null, high: number | null] => [
  interval?.low ?? null,
  interval?.high ?? null,
];

export const confidence = 0.95;

/** With fewer independent units than this no 95 % interval of a median exists: the range of n values holds it 1 - 2^(1-n) of the time. */
export const minimumUnits = 5;

/** Runs of each lane unless a number is given: one lost load, or three, cost no interval, and the interval is one that a reader can use. */
export const usualRuns = 9;
