// `--strict`: whether a recording must have an answer to each request, as an option of race, sweep and reproduce.
import type { Argv } from "yargs";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";

export interface StrictOptions {
  strict: boolean;
}

export function defineStrict<T>(yargs: Argv<T>): Argv<T & StrictOptions> {
  return yargs.option("strict", {
    type: "boolean",
    default: false,
    describe: "a load is invalid if any request before its load event, even a beacon, is not in the recording",
  }) as unknown as Argv<T & StrictOptions>;
}

/** What a plan says of it; nothing if the option is not given. */
export function strictOf({ strict }: StrictOptions): Pick<SweepPlan, "strict"> {
  return strict ? { strict } : {};
}
