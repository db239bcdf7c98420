// A plan's rule for when attempts are enough, and its limit of time, as the runner takes them. What is enough is cli/results/answer/paired_rule.ts's;
// of pages, which do not come here, cli/results/verdict/load_stopping_rule.ts's.

import { type Ruled, type RuledAttempt, RuledValues } from "../results/answer/block_values.ts";
import { RuleLook, type StoppingPlan } from "../results/answer/paired_rule.ts";
import type { RunnerCell, RunnerOptions } from "./measuring.ts";
import type { PlannedTask } from "./planned_task.ts";
import { SettledSides } from "./settled_sides.ts";
import type { StoredTime } from "./time_spent.ts";

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
