// Which stored fetches are timed, and which have their system calls counted: those of the repetitions that a plan has beyond its own. What
// the machine disturbed is in neither. Pure.

import type { Fetched } from "../metrics/fetched.ts";
import type { StoredFetch } from "../store/fetch_runs.ts";

export interface FetchesByPurpose {
  readonly timed: readonly Fetched[];
  readonly counted: readonly Fetched[];
}

/** Whether a repetition is for counting system calls, which slows what it counts. */
export const isCounted = ({ block }: Pick<StoredFetch, "block">, repetitions: number): boolean => block >= repetitions;

/** In the order of the plan's cells, not in the random one in which they were fetched: links stand alike in all tables and sentences. */
export function fetchesByPurpose(fetches: readonly StoredFetch[], repetitions: number): FetchesByPurpose {
  const inPlanOrder = fetches.toSorted((a, b) => a.cell - b.cell);
  const known = inPlanOrder.flatMap(({ object, link, lane, tls, ip, block, status, record, cost }): Fetched[] =>
    status === "invalid" || record === null ? [] : [{ object, link, lane, tls, ip, block, record, cost }],
  );
  return {
    timed: known.filter((each) => !isCounted(each, repetitions)),
    counted: known.filter((each) => isCounted(each, repetitions)),
  };
}

/** Of all attempts those that times are of, also those that do not count. */
export function timedAttempts<Attempt extends Pick<StoredFetch, "block">>(
  fetches: readonly Attempt[],
  repetitions: number,
): Attempt[] {
  return fetches.filter((fetch) => !isCounted(fetch, repetitions));
}
