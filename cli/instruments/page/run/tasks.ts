// What of a sweep's loads is still to be done: each planned load with what earlier runs made of it, and which run one after
// another. Runs nothing.

import type { LinkProfile } from "../../../../schemas/generated/link_profile.ts";
import { type PlannedTask, plannedTasks } from "../../../engine/planned_task.ts";
import type { Cell, Results, Sweep } from "../../../results/store/results.ts";
import { leadFirst, orderLoads } from "../../../sweep/plan/load_order.ts";
import { blocksPerRound, roundOf, sharedPlace } from "../../../sweep/plan/neighbours.ts";
import type { Plan } from "../../../sweep/plan/plan_document.ts";

export type Task = PlannedTask<Cell>;

const placeOf = (plan: Plan, cell: Cell): string => JSON.stringify(sharedPlace(plan, cell));

/** In the planned order. */
export function tasksOf(results: Results, sweep: Sweep, plan: Plan): Task[] {
  const cells = results.cellsOf(sweep.id);
  const ofPlace = (cell: Cell): string => placeOf(plan, cell);
  const rounds = orderLoads(cells, ofPlace, plan.repetitions, plan.seed, blocksPerRound(plan));
  const order = leadFirst(rounds, cells, ofPlace, plan.lead_blocks ?? 0);
  return plannedTasks(order, cells, plan.retries, results.loadsOf(sweep.id));
}

/** The loads that run one after another, in one lab: most often the lanes of a page on a link in one block (neighbours.ts). */
export type Unit = readonly [Task, ...Task[]];

/** In the planned order; `mayShare`, where loads run side by side: within a block the links that may come first. */
export function unitsOf(left: readonly Task[], plan: Plan, mayShare: ((link: LinkProfile) => boolean) | null): Unit[] {
  const roundOfTask = ({ planned }: Task): number => roundOf(plan, planned.block);
  const units = [
    ...Map.groupBy(left, (task) => `${roundOfTask(task)} ${placeOf(plan, task.cell)}`).values(),
  ] as unknown as Unit[];
  if (mayShare === null) return units;
  const isAlone = (unit: Unit): number => Number(!linksOf(unit).every((cell) => mayShare(cell.link_profile)));
  return units.toSorted((a, b) => roundOfTask(a[0]) - roundOfTask(b[0]) || isAlone(a) - isAlone(b));
}

/** One cell of each link that the unit's loads run over. */
function linksOf(unit: Unit): Cell[] {
  return [...new Map(unit.map(({ cell }) => [cell.link, cell])).values()];
}
