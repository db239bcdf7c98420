// The option --compute of the commands that make models. Defines and reads it.
import type { Argv } from "yargs";
import { UserError } from "../../base/errors.ts";
import { type Compute, computes } from "./script_source.ts";

export interface ComputeOptions {
  compute: string;
}

export function defineCompute<Options>(yargs: Argv<Options>): Argv<Options & ComputeOptions> {
  return yargs.option("compute", {
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
