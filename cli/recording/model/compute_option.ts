// The option --compute of the commands that make models. Defines and reads it.

import { UserError } from "../../base/errors.ts";
import type { OptionTable } from "../../base/option_table.ts";

export const computes = ["timer", "busy", "none"] as const;
/** How a modelled page's scripts spend their recorded computation. */
export type Compute = (typeof computes)[number];

export interface ComputeOptions {
  compute: string;
}

export function defineCompute<Options>(table: OptionTable<Options>): OptionTable<Options & ComputeOptions> {
  return table.option("compute", {
    choices: computes,
    default: "timer",
    rare: true,
    describe: "how a modelled page's scripts spend their recorded computation: waiting (timer), working (busy) or not",
  });
}

export function readCompute(given: string): Compute {
  const compute = computes.find((known) => known === given);
  if (compute) return compute;
  throw new UserError(`--compute must be one of ${computes.join(", ")} (got ${JSON.stringify(given)})`);
}
