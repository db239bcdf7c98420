// The option --compute of the commands that make models.

import type { OptionTable } from "../../base/option_table.ts";

export const computes = ["timer", "busy", "none"] as const;
/** How a modelled page's scripts spend their recorded computation. */
export type Compute = (typeof computes)[number];

export const defineCompute = (table: OptionTable<unknown>) =>
  table.option("compute", {
    choices: computes,
    default: "timer",
    rare: true,
    describe: "how a modelled page's scripts spend their recorded computation: waiting (timer), working (busy) or not",
  });
