// How the origins serve one lane of a plan: as all lanes, or with the settings that the lane's label names. Pure.
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { type LaneLabel, labelParts } from "../../base/lanes.ts";
import { overrideServing, type Serving, settleServing } from "./serving.ts";

type ServedPlan = Pick<SweepPlan, "serving" | "settings">;

/** Of a label whose settings the plan has not: as all lanes (refuseContradictions refuses such plans). */
export function laneServing({ serving = {}, settings = {} }: ServedPlan, label: LaneLabel): Serving {
  const name = labelParts(label)?.settings ?? null;
  const transport = name === null ? undefined : settings[name];
  return settleServing(transport ? overrideServing(serving, { transport }) : serving);
}
