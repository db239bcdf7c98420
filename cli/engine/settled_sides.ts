// Which sides of a running sweep have attempts enough, looked at where a block begins: keeps the attempts that there are. What is enough is given:
// by cli/results/answer/stopping.ts, of pages by cli/results/verdict/stopping_rule.ts. Runs nothing.

export interface StoppingTerms<Attempt, Side> {
  /** Within which sides are compared. */
  readonly placeOf: (attempt: Attempt) => string;
  /** The sides of a place that need no further attempts after these of its attempts. */
  readonly settled: (attempts: readonly Attempt[], place: string) => ReadonlySet<Side>;
}

export class StoppingRule<Attempt extends { readonly block: number }, Side> {
  readonly #terms: StoppingTerms<Attempt, Side>;
  readonly #attempts = new Map<string, Attempt[]>();
  /** Sides by place, and the last block before which it was looked at. */
  readonly #settled = new Map<string, { readonly block: number; readonly sides: ReadonlySet<Side> }>();

  constructor(terms: StoppingTerms<Attempt, Side>, stored: readonly Attempt[]) {
    this.#terms = terms;
    for (const attempt of stored) this.add(attempt);
  }

  add(attempt: Attempt): void {
    const place = this.#terms.placeOf(attempt);
    const attempts = this.#attempts.get(place);
    if (attempts) attempts.push(attempt);
    else this.#attempts.set(place, [attempt]);
  }

  /** Whether a side has attempts enough by the blocks before `block`, so that it need not run in it. */
  isEnough(place: string, side: Side, block: number): boolean {
    let settled = this.#settled.get(place);
    // Within a block every side has its turn, whatever the first ones say; an attempt of an earlier one was deferred.
    if (settled === undefined || block > settled.block) {
      const before = (this.#attempts.get(place) ?? []).filter((attempt) => attempt.block < block);
      settled = { block, sides: this.#terms.settled(before, place) };
      this.#settled.set(place, settled);
    }
    return settled.sides.has(side);
  }
}
