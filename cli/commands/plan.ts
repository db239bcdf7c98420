import { type DetectOptions, defineDetect } from "../sweep/plan/detect_option.ts";
import { defineServers } from "../sweep/plan/servers_option.ts";
import type { Command } from "./command.ts";
import { defineSweep, planNames, runAnyPlan, type SweepOptions } from "./sweep.ts";

type PlanOptions = SweepOptions & DetectOptions;

export const command: Command<PlanOptions> = {
  usage: "plan <plan>",
  summary: "What a plan would run, how long it takes, what it stores and can show; runs nothing",
  define: (table) =>
    defineSweep(table)
      .with(defineServers)
      .with(defineDetect)
      .positional("plan", { demandOption: true, describe: `a JSON file, or one of: ${planNames().join(", ")}` })
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
      .example("trilane plan my-plan.json --decide 3", "the same, with as many loads as it takes at most")
      .example("trilane plan my-plan.json --detect 3% --from 12", "how many runs show 3 %, by the loads of sweep 12"),
  run: async (options, house) => runAnyPlan(command, { ...options, "dry-run": true }, house),
};
