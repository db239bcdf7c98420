// `--tolerance` and `--retry-for`: for how long the machine may hold up a load's link, and how long loads whose link it held up for
// longer are repeated. Words to the plan's settings.

import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { number } from "../../base/option.ts";
import type { OptionTable } from "../../base/option_table.ts";
import { usualTolerance } from "../../load/disturbance.ts";
import { planRange } from "./plan_range.ts";

export interface DisturbanceOptions {
  tolerance: string | undefined;
  "retry-for": number | undefined;
}

/** `of`: what may be held up, and what the share is of. */
export function defineTolerance<T>(
  table: OptionTable<T>,
  of: string,
): OptionTable<T & Pick<DisturbanceOptions, "tolerance">> {
  return table.option("tolerance", {
    type: "string",
    rare: true,
    placeholder: "LIMIT",
    describe: `how long the machine may hold up the link of ${of}, a time, or the larger of both (default: 1%,5ms)`,
  });
}

export function defineDisturbance<T>(table: OptionTable<T>): OptionTable<T & DisturbanceOptions> {
  return defineTolerance(table, "a load before it is invalid: a share of its PLT").option(
    "retry-for",
    number(planRange("retry_for_s", "seconds"), {
      rare: true,
      describe:
        "how long to repeat loads whose link the machine held up (default: a quarter of what the loads take, at least 15 s)",
    }),
  );
}

const form = /^(?:(\d+(?:\.\d+)?)%)?(?:(?:^|(?<=%),)(\d+(?:\.\d+)?)ms)?$/;

/** UserError in one line. `whole`: what a share is of. */
export function toleranceOf(text: string, whole = "the PLT"): NonNullable<SweepPlan["tolerance"]> {
  const [, percent, ms] = form.exec(text.replaceAll(" ", "")) ?? [];
  if ((percent === undefined && ms === undefined) || Number(percent ?? 0) > 100)
    throw new UserError(
      `--tolerance must be a share of ${whole}, a time, or both, as 1%,5ms (got ${JSON.stringify(text)})`,
    );
  return {
    share: percent === undefined ? 0 : Number((Number(percent) / 100).toPrecision(12)),
    ms: ms === undefined ? usualTolerance.ms : Number(ms),
  };
}

/** What of a plan the options decide. */
export function disturbanceChoiceOf(options: DisturbanceOptions): Pick<SweepPlan, "tolerance" | "retry_for_s"> {
  const retry_for_s = options["retry-for"];
  return {
    ...(options.tolerance === undefined ? {} : { tolerance: toleranceOf(options.tolerance) }),
    ...(retry_for_s === undefined ? {} : { retry_for_s }),
  };
}
