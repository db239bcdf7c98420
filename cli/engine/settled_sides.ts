// Which sides of what is compared need no more attempts, while a sweep runs: looked at where a block begins. Of pages as of all else; what is
// enough is given. Apart from stopping.ts, so that pages need nothing of the others' rule.

/** Which sides of a running sweep have attempts enough. */
export class SettledSides<Side> {
  readonly #settledBefore: (place: string, block: number) => ReadonlySet<Side>;
  /** Sides by place, and the last block before which it was looked at. */
  readonly #settled = new Map<string, { readonly block: number; readonly sides: ReadonlySet<Side> }>();

  /** `settledBefore`: the sides of a place that need no further attempts after those of the blocks before one. */
  constructor(settledBefore: (place: string, block: number) => ReadonlySet<Side>) {
    this.#settledBefore = settledBefore;
  }

  /** Whether a side has attempts enough by the blocks before `block`, so that it need not run in it. */
  isEnough(place: string, side: Side, block: number): boolean {
    let settled = this.#settled.get(place);
    // Within a block every side has its turn, whatever the first ones say; an attempt of an earlier one was deferred.
    if (settled === undefined || block > settled.block) {
      settled = { block, sides: this.#settledBefore(place, block) };
      this.#settled.set(place, settled);
    }
    return settled.sides.has(side);
  }
}
