// What of a plan's fetches is still to be done, with what earlier runs of the sweep made of each. Runs nothing.

import type { FetchSweep, Results } from "../../../results/store/results.ts";
import { PlannedTask } from "../../../sweep/planned_task.ts";
import { orderFetches } from "../plan/fetch_order.ts";
import type { FetchPlan } from "../plan/plan.ts";
import { type FetchCell, fetchesOf, storedFetchCellsOf } from "../store/fetch_runs.ts";

export type FetchTask = PlannedTask<FetchCell>;

/** An object that does not come is a result, and no server is asked for it twice. */
const retries = 0;

/** In the planned order. */
export function fetchTasks(results: Results, sweep: FetchSweep, plan: FetchPlan): FetchTask[] {
  const cells = storedFetchCellsOf(results, sweep.id);
  const tasks = orderFetches(plan, cells).map(
    (planned) => new PlannedTask(planned, cells[planned.cell] as FetchCell, retries),
  );
  const byPlace = new Map(tasks.map((task) => [`${task.cell.id} ${task.planned.block}`, task]));
  for (const fetch of fetchesOf(results, sweep.id))
    byPlace.get(`${fetch.cell} ${fetch.block}`)?.add(fetch.attempt, fetch);
  return tasks;
}
