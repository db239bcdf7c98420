// `trilane plan PLAN`: what a sweep of it would run, how long that takes and what it stores; `sweep --dry-run` by another name.
import type { Argv } from "yargs";
import { shippedPlans } from "../sweep/plan/plan.ts";
import type { Command, CommonOptions } from "./command.ts";
import { defineSweep, runPlan, type SweepOptions } from "./sweep.ts";

export const command: Command<SweepOptions> = {
  usage: "plan <plan>",
  summary: "What a plan would run, how long it takes and what it stores; runs nothing",
  define: (yargs: Argv<CommonOptions>) =>
    defineSweep(yargs)
      .positional("plan", {
        type: "string",
        demandOption: true,
        describe: `a JSON file, or one of: ${shippedPlans().join(", ")}`,
      })
      .hide("dry-run")
      .hide("new")
      .hide("once")
      .hide("evidence")
      .hide("labs")
      .hide("stop-file")
      .hide("stop-after")
      .hide("quiet")
      .hide("status")
      .hide("verbose")
      .example("trilane plan das-2014-grid", "a study of a hundred networks")
      .example("trilane plan my-plan.json --decide 3", "the same, with as many loads as it takes at most"),
  run: (options) => runPlan({ ...options, "dry-run": true }),
};
