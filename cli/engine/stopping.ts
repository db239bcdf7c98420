// A plan's rule for when attempts are enough, and its limit of time, as the runner takes them. The rule is cli/results/answer/stopping.ts's.

import { type Ruled, type RuledAttempt, type StoppingPlan, settledCells } from "../results/answer/stopping.ts";
import type { RunnerCell, RunnerOptions } from "./measuring.ts";
import type { PlannedTask } from "./planned_task.ts";
import { StoppingRule } from "./settled_sides.ts";
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
  const placeOf = (cell: number): string => places.get(cell) ?? "";
  const rule = new StoppingRule<Attempt, number>(
    {
      placeOf: ({ cell }) => placeOf(cell),
      settled: (attempts, place) => settledCells(ruled, attempts, until, place),
    },
    stored,
  );
  return {
    terms: { ...timeLimit, isEnough: ({ cell, planned }) => rule.isEnough(placeOf(cell.id), cell.id, planned.block) },
    add: ({ cell, planned: { block } }, made) => rule.add({ ...made, cell: cell.id, block } as Attempt),
  };
}
