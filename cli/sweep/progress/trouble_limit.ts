// Which of the lines about loads that are not valid are shown: there may be thousands, and the line with the progress counts them.
// Writes nothing.
const most = 10;
const interval_ms = 60_000;

export class TroubleLimit {
  #count = 0;
  #shown_ms = Number.NEGATIVE_INFINITY;

  /** Of all lines so far, shown or not. */
  get count(): number {
    return this.#count;
  }

  /** Whether the next line is shown: each of the first ones, then one a minute. */
  admits(now_ms: number, showsAll = false): boolean {
    this.#count++;
    if (!showsAll && this.#count > most && now_ms - this.#shown_ms < interval_ms) return false;
    this.#shown_ms = now_ms;
    return true;
  }
}
