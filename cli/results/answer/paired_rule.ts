// When the attempts of a sweep are enough (`until` of its plan): one rule over pairs of values for every instrument that says what it compares
// (Ruled). Differences are decided by the test that accounts for looking after each block (stats/sequential.ts). Pure. Of page loads, which
// time out and are held up by a busy machine, the rule is verdict/load_stopping_rule.ts's, by the same statistics.
import type { PlanUntil } from "../../../schemas/generated/sweep_plan.ts";
import {
  areAllPrecise,
  decide,
  fewestPrecise,
  firstLook,
  type LogPair,
  lastLook,
  type Outcome,
} from "../stats/sequential.ts";
import type { RuledAttempt, RuledComparison, RuledSide, RuledValues } from "./block_values.ts";
import type { Pair } from "./contrast.ts";

/** What a plan says of when its attempts are enough. */
export interface StoppingPlan {
  readonly until?: PlanUntil;
  readonly time_limit_s?: number;
}

export const logPairsOf = (pairs: readonly Pair[]): LogPair[] =>
  pairs.map(({ one, other }) => ({ lane: Math.log(one), over: Math.log(other) }));

export const cellsOf = <Attempt extends RuledAttempt>(sides: readonly RuledSide<Attempt>[]): number[] =>
  sides.flatMap(({ cells }) => [...cells.values()]);

/** What the attempts of the blocks before one show. */
export class RuleLook<Attempt extends RuledAttempt> {
  readonly #values: RuledValues<Attempt>;
  readonly #before: number;

  constructor(values: RuledValues<Attempt>, before = Number.POSITIVE_INFINITY) {
    this.#values = values;
    this.#before = before;
  }

  outcomeOf(comparison: RuledComparison<Attempt>, percent: number): Outcome {
    return decide(logPairsOf(this.#values.pairsOf(comparison, this.#before)), percent);
  }

  /** No look will come, as of a lane that a host does not have. A late value, of a deferred attempt, opens it again. */
  hasNoPairs(comparison: RuledComparison<Attempt>): boolean {
    const { one, other } = comparison;
    return (
      this.#values.triedBlocks([one, other], this.#before) >= firstLook &&
      this.#values.pairsOf(comparison, this.#before).length === 0
    );
  }

  hasNoValues(side: RuledSide<Attempt>): boolean {
    return (
      this.#values.triedBlocks([side], this.#before) >= fewestPrecise &&
      this.#values.valuesOf(side, this.#before).length === 0
    );
  }

  /** Of the sides of one place, without those that have no value. */
  arePrecise(sides: readonly RuledSide<Attempt>[], percent: number): boolean {
    const series = sides
      .filter((side) => !this.hasNoValues(side))
      .map((side) => this.#values.valuesOf(side, this.#before));
    return areAllPrecise(series, percent);
  }

  #isOpen(comparison: RuledComparison<Attempt>, percent: number): boolean {
    const { decision, givenUp, blocks } = this.outcomeOf(comparison, percent);
    return decision === "undecided" && !givenUp && blocks < lastLook && !this.hasNoPairs(comparison);
  }

  /** The cells of one place that need no further attempts: all that they are compared with is decided or given up, or all medians are precise. */
  settledCells(until: PlanUntil, place: string): ReadonlySet<number> {
    const { sides, comparisons } = this.#values.ruled;
    const here = sides.filter((side) => side.place === place);
    const all = new Set(cellsOf(here));
    if ("interval_percent" in until) {
      if (this.arePrecise(here, until.interval_percent)) return all;
      const needed = new Set(cellsOf(here.filter((side) => !this.hasNoValues(side))));
      return new Set([...all].filter((cell) => !needed.has(cell)));
    }
    const own = comparisons.filter(({ one }) => one.place === place);
    const open = own.filter((each) => this.#isOpen(each, until.decided_percent));
    if (open.length === 0) return all;
    // What is compared with nothing runs as long as anything else does.
    const compared = cellsOf(own.flatMap(({ one, other }) => [one, other]));
    const needed = new Set(cellsOf(open.flatMap(({ one, other }) => [one, other])));
    return new Set(compared.filter((cell) => !needed.has(cell)));
  }
}
