// `--dilate`: how many times slower time passes for network, servers and browser, as an option of race, sweep, reproduce and start.

import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { number } from "../../base/option.ts";
import type { OptionTable } from "../../base/option_table.ts";
import { planRange } from "./plan_range.ts";

export interface DilateOptions {
  dilate: number | undefined;
}

export function defineDilate<T>(table: OptionTable<T>): OptionTable<T & DilateOptions> {
  return table.option(
    "dilate",
    number(planRange("dilate"), {
      describe: "slow time down N times for link, servers and browser, and report undilated times: for busy machines",
    }),
  );
}

/** What a plan says of it; nothing where the option is not given. */
export function dilateOf({ dilate }: DilateOptions): Pick<SweepPlan, "dilate"> {
  return dilate === undefined ? {} : { dilate };
}
