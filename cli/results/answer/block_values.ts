// What a rule for when attempts are enough looks at: of each side that is compared its value in each block, as attempts come, and the pairs of two
// sides. Values are taken in the order in which attempts ended, so that what was settled stays settled if a deferred attempt comes late and
// if the sweep is resumed. An attempt is taken in once, however often the rule looks.
import { mean } from "../../base/quantile.ts";
import type { LoadStatus } from "../store/results.ts";
import type { Pair } from "./contrast.ts";

/** What the rule needs of an attempt; the rest is its instrument's. */
export interface RuledAttempt {
  readonly cell: number;
  readonly block: number;
  readonly status: LoadStatus;
}

/** What has a value of its own in each block. */
export interface RuledSide<Attempt extends RuledAttempt> {
  readonly name: string;
  /** As exports and people name it: `first_byte_ms`, `first byte`. */
  readonly quantity: { readonly name: string; readonly title: string };
  /** null: the network as it is. */
  readonly link: string | null;
  /** Within which sides are compared, and known together: a link. */
  readonly place: string;
  /** Cells by what they are of. Those of several objects have one value in a block: the geometric mean. */
  readonly cells: ReadonlyMap<string, number>;
  /** How attempts end that complete their block, with a value or without: any other is tried again. */
  readonly counted: readonly LoadStatus[];
  /** Of a valid attempt; null: it has none. */
  readonly valueOf: (attempt: Attempt) => number | null;
}

export interface RuledComparison<Attempt extends RuledAttempt> {
  readonly one: RuledSide<Attempt>;
  readonly other: RuledSide<Attempt>;
}

export interface Ruled<Attempt extends RuledAttempt> {
  /** Whose medians are asked for. */
  readonly sides: readonly RuledSide<Attempt>[];
  readonly comparisons: readonly RuledComparison<Attempt>[];
}

/** Of one block, once each of the side's cells has an attempt that counts. */
interface BlockValues {
  readonly values: ReadonlyMap<string, number>;
  /** Number of the attempt that completed it. */
  readonly at: number;
}

const geometricMean = (values: readonly number[]): number =>
  values.length === 1 ? (values[0] as number) : Math.exp(mean(values.map(Math.log)));

/** Of one side. */
class SideValues<Attempt extends RuledAttempt> {
  readonly #side: RuledSide<Attempt>;
  readonly #unitOf: ReadonlyMap<number, string>;
  readonly #open = new Map<number, Map<string, number | null>>();
  readonly #complete = new Map<number, BlockValues>();
  /** Cells that were tried, of blocks in which not all were. */
  readonly #trying = new Map<number, Set<number>>();
  readonly #tried = new Set<number>();

  constructor(side: RuledSide<Attempt>) {
    this.#side = side;
    this.#unitOf = new Map([...side.cells].map(([unit, cell]) => [cell, unit]));
  }

  add(attempt: Attempt, at: number): void {
    this.#try(attempt);
    const { cells, counted, valueOf: valueIn } = this.#side;
    const { cell, block, status } = attempt;
    const unit = this.#unitOf.get(cell);
    if (unit === undefined || !counted.includes(status) || this.#complete.has(block)) return;
    const values = this.#open.get(block) ?? new Map<string, number | null>();
    this.#open.set(block, values.set(unit, status === "valid" ? valueIn(attempt) : null));
    if (values.size < cells.size) return;
    this.#open.delete(block);
    const known = [...values].flatMap(([of, value]) => (value !== null && value > 0 ? [[of, value] as const] : []));
    this.#complete.set(block, { values: new Map(known), at });
  }

  #try({ cell, block, status }: Attempt): void {
    if (status === "invalid" || this.#tried.has(block)) return;
    const cells = (this.#trying.get(block) ?? new Set()).add(cell);
    this.#trying.set(block, cells);
    if (cells.size < this.#side.cells.size) return;
    this.#trying.delete(block);
    this.#tried.add(block);
  }

  /** In the order in which they were complete. */
  blocks(before: number): [number, BlockValues][] {
    return [...this.#complete].filter(([block]) => block < before);
  }

  of(block: number): BlockValues | null {
    return this.#complete.get(block) ?? null;
  }

  /** Blocks in which each cell was tried. */
  tried(before: number): Set<number> {
    return new Set([...this.#tried].filter((block) => block < before));
  }
}

/** Of all sides. `before`: only of earlier blocks. */
export class RuledValues<Attempt extends RuledAttempt> {
  readonly ruled: Ruled<Attempt>;
  readonly #bySide: ReadonlyMap<RuledSide<Attempt>, SideValues<Attempt>>;
  readonly #byCell: ReadonlyMap<number, readonly SideValues<Attempt>[]>;
  #added = 0;

  /** `attempts`: in the order in which they ended. */
  constructor(ruled: Ruled<Attempt>, attempts: readonly Attempt[] = []) {
    this.ruled = ruled;
    const sides = new Set([...ruled.sides, ...ruled.comparisons.flatMap(({ one, other }) => [one, other])]);
    this.#bySide = new Map([...sides].map((side) => [side, new SideValues(side)]));
    const ofCells = [...this.#bySide].flatMap(([{ cells }, values]) =>
      [...cells.values()].map((cell) => ({ cell, values })),
    );
    this.#byCell = new Map(
      [...Map.groupBy(ofCells, ({ cell }) => cell)].map(([cell, of]) => [cell, of.map(({ values }) => values)]),
    );
    for (const attempt of attempts) this.add(attempt);
  }

  add(attempt: Attempt): void {
    const at = this.#added++;
    for (const values of this.#byCell.get(attempt.cell) ?? []) values.add(attempt, at);
  }

  #of(side: RuledSide<Attempt>): SideValues<Attempt> {
    const values = this.#bySide.get(side);
    if (!values) throw new RangeError(`${side.name}: is no side of this rule`);
    return values;
  }

  /** One pair for each block that both sides have, over what has a value on both, in the order in which they were complete. */
  pairsOf({ one, other }: RuledComparison<Attempt>, before = Number.POSITIVE_INFINITY): Pair[] {
    const others = this.#of(other);
    const pairs = this.#of(one)
      .blocks(before)
      .flatMap(([block, { values, at }]) => {
        const beside = others.of(block);
        const shared = [...values.keys()].filter((unit) => beside?.values.has(unit));
        if (!beside || shared.length === 0) return [];
        const of = (side: ReadonlyMap<string, number>): number =>
          geometricMean(shared.map((unit) => side.get(unit) as number));
        return [{ one: of(values), other: of(beside.values), at: Math.max(at, beside.at) }];
      });
    return pairs.toSorted((a, b) => a.at - b.at);
  }

  /** One value for each block that has any. */
  valuesOf(side: RuledSide<Attempt>, before = Number.POSITIVE_INFINITY): number[] {
    return this.#of(side)
      .blocks(before)
      .flatMap(([, { values }]) => (values.size === 0 ? [] : [geometricMean([...values.values()])]));
  }

  /** Number of blocks in which each cell of these sides was tried. */
  triedBlocks(sides: readonly RuledSide<Attempt>[], before = Number.POSITIVE_INFINITY): number {
    const tried = sides.map((side) => this.#of(side).tried(before));
    return [...(tried[0] ?? [])].filter((block) => tried.every((of) => of.has(block))).length;
  }
}

/** Of one comparison alone. */
export const pairsOf = <Attempt extends RuledAttempt>(
  comparison: RuledComparison<Attempt>,
  attempts: readonly Attempt[],
): Pair[] => new RuledValues({ sides: [], comparisons: [comparison] }, attempts).pairsOf(comparison);
