// `--dilate`: how many times slower time passes for network, servers and browser, as an option of race, sweep, reproduce and start.
import type { Argv } from "yargs";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { number } from "../../base/option.ts";
import { planRange } from "./plan_range.ts";

export interface DilateOptions {
  dilate: number | undefined;
}

export function defineDilate<T>(yargs: Argv<T>): Argv<T & DilateOptions> {
  return yargs.option(
    "dilate",
    number(planRange("dilate"), {
      describe: "slow time down N times for link, servers and browser, and report undilated times: for busy machines",
    }),
  ) as unknown as Argv<T & DilateOptions>;
}

/** What a plan says of it; nothing where the option is not given. */
export function dilateOf({ dilate }: DilateOptions): Pick<SweepPlan, "dilate"> {
  return dilate === undefined ? {} : { dilate };
}
