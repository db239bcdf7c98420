// `--decide` and `--precise` of `race` and `sweep`: when loads are enough. Words to a plan's `until`; no rule.

import type { PlanUntil } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { number } from "../../base/option.ts";
import type { OptionTable } from "../../base/option_table.ts";
import { lastLook } from "../../results/stats/sequential.ts";
import { planRange } from "./plan_range.ts";

export interface UntilOptions {
  decide: number | undefined;
  precise: number | undefined;
}

/** The most loads of a lane where `until` is asked for and their number is not. */
export const mostLoads = lastLook;

export function defineUntil<T>(table: OptionTable<T>): OptionTable<T & UntilOptions> {
  return table
    .option(
      "decide",
      number(planRange("decided_percent", "per cent"), {
        describe: "load until each pair of lanes is decided: one is faster, or both are equal within PERCENT",
      }),
    )
    .option(
      "precise",
      number(planRange("interval_percent", "per cent"), {
        describe: "load until each lane's median is known within ± PERCENT (95 %)",
      }),
    );
}

/** UserError where both are asked for. */
export function untilOf({ decide, precise }: UntilOptions): PlanUntil | undefined {
  if (decide !== undefined && precise !== undefined)
    throw new UserError("--decide and --precise are two rules for when to stop: give one of them");
  if (decide !== undefined) return { decided_percent: decide };
  return precise === undefined ? undefined : { interval_percent: precise };
}
