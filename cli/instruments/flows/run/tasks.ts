// What of a plan's flow runs is still to be done, with what earlier runs of the sweep made of each. Runs nothing.

import { type PlannedTask, plannedTasks } from "../../../engine/planned_task.ts";
import { formatFlow } from "../../../link/flows/flow_words.ts";
import type { Results } from "../../../results/store/results.ts";
import type { ContrastedCell } from "../answer/contrasts.ts";
import type { FlowPlan, PlannedFlowCell } from "../plan/plan.ts";
import { orderRuns } from "../plan/run_order.ts";
import { type FlowCell, flowCellsOf, flowRunsOf } from "../store/flow_runs.ts";
import type { FlowSweep } from "../store/stored_plan.ts";

/** A stored cell, with what its mix's words mean. */
export type RunCell = FlowCell & Pick<PlannedFlowCell, "flows">;
export type FlowTask = PlannedTask<RunCell>;

/** As flows are compared. */
export const contrastedCell = ({ id, mix, link, lane, flows }: RunCell): ContrastedCell => ({
  ...{ id, mix, link, lane },
  parts: flows.map(formatFlow),
});

/** In the plan's order. */
export function runCells(results: Results, sweep: FlowSweep, planned: readonly PlannedFlowCell[]): RunCell[] {
  const flowsOf = new Map(planned.map(({ mix, flows }) => [mix, flows]));
  return flowCellsOf(results, sweep.id).map((cell) => ({ ...cell, flows: flowsOf.get(cell.mix) ?? [] }));
}

/** In the planned order: blocks, in which the mixes of a link take turns. */
export function flowTasks(results: Results, sweep: FlowSweep, plan: FlowPlan, cells: readonly RunCell[]): FlowTask[] {
  return plannedTasks(orderRuns(plan, cells), cells, plan.retries, flowRunsOf(results, sweep.id));
}
