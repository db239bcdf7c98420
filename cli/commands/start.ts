// `trilane start`: the built-in example sweep, what `npm start` runs after set-up: an answer soon, a better one later, and an end in time.

import { homeFolder } from "../base/home.ts";
import { executePages } from "../instruments/page/run/instrument.ts";
import { defineServing, type ServingOptions, servingChoiceOf } from "../load/serving/options.ts";
import { overrideServing, settleServing } from "../load/serving/serving.ts";
import { planOf, readPlan } from "../sweep/plan/plan.ts";
import type { Command, CommonOptions } from "./command.ts";

/** However slow the machine is: with its report. */
const limit_s = 360;

export const command: Command<CommonOptions & ServingOptions> = {
  usage: "start",
  summary: "Run the built-in example sweep: a first answer in a minute, a report in six at most",
  define: (table) =>
    table
      .with(defineServing)
      .example("trilane start", "races two small pages over four links and writes the report")
      .example("trilane sweep example --dry-run", "what that would run"),
  run: async (options, { pageSource, report }) => {
    const home = homeFolder(options.home);
    const plan = readPlan("example");
    const serving = settleServing(overrideServing(plan.serving, servingChoiceOf(options)));
    const chosen = planOf({ ...plan, serving }, "example");
    await executePages({
      home,
      plan: chosen,
      source: await pageSource(),
      report,
      fresh: false,
      limit_s,
      json: options.json,
    });
  },
};
