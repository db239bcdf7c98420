// What of a sweep's loads is still to be done: each planned load with what earlier runs made of it, and what they share that run next to one
// another. Runs nothing.

import { type PlannedTask, plannedTasks } from "../../../engine/planned_task.ts";
import type { Cell, Results, Sweep } from "../../../results/store/results.ts";
import { leadFirst, orderLoads } from "../../../sweep/plan/load_order.ts";
import { blocksPerRound, sharedPlace } from "../../../sweep/plan/neighbours.ts";
import type { Plan } from "../../../sweep/plan/plan_document.ts";

export type Task = PlannedTask<Cell>;

/** The page and link, most often (neighbours.ts). */
export const placeOf = (plan: Plan, cell: Cell): string => JSON.stringify(sharedPlace(plan, cell));

/** In the planned order. */
export function tasksOf(results: Results, sweep: Sweep, plan: Plan): Task[] {
  const cells = results.cellsOf(sweep.id);
  const ofPlace = (cell: Cell): string => placeOf(plan, cell);
  const rounds = orderLoads(cells, ofPlace, plan.repetitions, plan.seed, blocksPerRound(plan));
  const order = leadFirst(rounds, cells, ofPlace, plan.lead_blocks ?? 0);
  return plannedTasks(order, cells, plan.retries, results.loadsOf(sweep.id));
}
