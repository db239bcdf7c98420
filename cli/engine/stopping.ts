// A plan's rule for when attempts are enough, and its limit of time, as the runner takes them: looked at where a block begins. What is enough is
// given: by cli/results/answer/paired_rule.ts, of pages by cli/results/verdict/load_rule.ts.

import { type Ruled, type RuledAttempt, RuledValues } from "../results/answer/block_values.ts";
import { RuleLook, type StoppingPlan } from "../results/answer/paired_rule.ts";
import type { RunnerCell, RunnerOptions } from "./measuring.ts";
import type { PlannedTask } from "./planned_task.ts";
import type { StoredTime } from "./time_spent.ts";

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

export interface Stopping<Cell extends RunnerCell, Attempt> {
  /** For the runner. */
  readonly terms: Pick<RunnerOptions<Cell>, "isEnough" | "timeLimit">;
  /** An attempt was stored. */
  readonly add: (task: PlannedTask<Cell>, made: Omit<Attempt, "cell" | "block">) => void;
}

/** `stored`: all attempts of earlier runs, in the order in which they ended. */
export function stoppingOf<Cell extends RunnerCell, Attempt extends RuledAttempt>(
  { until, time_limit_s }: StoppingPlan,
  ruled: Ruled<Attempt>,
  stored: readonly (Attempt & StoredTime)[],
): Stopping<Cell, Attempt> {
  const timeLimit = time_limit_s === undefined ? {} : { timeLimit: { most_s: time_limit_s, stored } };
  if (!until) return { terms: timeLimit, add: () => undefined };
  const places = new Map(ruled.sides.flatMap(({ cells, place }) => [...cells.values()].map((cell) => [cell, place])));
  const values = new RuledValues<Attempt>(ruled, stored);
  const settled = new SettledSides((place, block) => new RuleLook(values, block).settledCells(until, place));
  return {
    terms: {
      ...timeLimit,
      isEnough: ({ cell, planned }) => settled.isEnough(places.get(cell.id) ?? "", cell.id, planned.block),
    },
    add: ({ cell, planned: { block } }, made) => values.add({ ...made, cell: cell.id, block } as Attempt),
  };
}
