// `--strict`: whether a recording must have an answer to each request, as an option of race, sweep and reproduce.

import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import type { OptionTable } from "../../base/option_table.ts";

export interface StrictOptions {
  strict: boolean;
}

export function defineStrict<T>(table: OptionTable<T>): OptionTable<T & StrictOptions> {
  return table.option("strict", {
    type: "boolean",
    default: false,
    describe: "a load is invalid if any request before its load event, even a beacon, is not in the recording",
  });
}

/** What a plan says of it; nothing if the option is not given. */
export function strictOf({ strict }: StrictOptions): Pick<SweepPlan, "strict"> {
  return strict ? { strict } : {};
}
