// How long the loads of a sweep have taken, over all its runs: the time in which at least one ran, so that loads side by side
// count once. What lies between loads (self-tests of links, pauses, waiting for room) does not count.
import type { Load } from "../results/store/results.ts";

export type StoredTime = Pick<Load, "started_at" | "wall_ms">;

/** Time that at least one of the loads took; the clock of their starts may have jumped. */
function covered_ms(loads: readonly StoredTime[]): number {
  const spans = loads.map(({ started_at, wall_ms }) => ({ from_ms: Date.parse(started_at), wall_ms }));
  let sum_ms = 0;
  let end_ms = Number.NEGATIVE_INFINITY;
  for (const { from_ms, wall_ms } of spans.sort((a, b) => a.from_ms - b.from_ms)) {
    sum_ms += Math.max(0, from_ms + wall_ms - Math.max(from_ms, end_ms));
    end_ms = Math.max(end_ms, from_ms + wall_ms);
  }
  return sum_ms;
}

export class TimeSpent {
  readonly #now_ms: () => number;
  #spent_ms: number;
  #running = 0;
  #since_ms = 0;

  /** `before`: what earlier runs stored. */
  constructor(before: readonly StoredTime[], now_ms: () => number) {
    this.#spent_ms = covered_ms(before);
    this.#now_ms = now_ms;
  }

  /** A load runs until `work` is over. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running++ === 0) this.#since_ms = this.#now_ms();
    try {
      return await work();
    } finally {
      if (--this.#running === 0) this.#spent_ms += this.#now_ms() - this.#since_ms;
    }
  }

  get spent_ms(): number {
    return this.#spent_ms + (this.#running > 0 ? this.#now_ms() - this.#since_ms : 0);
  }
}
