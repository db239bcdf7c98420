// `trilane reproduce STUDY`: a published study's experiment, and its figures beside ours. A sweep of a shipped plan.
import type { Argv } from "yargs";
import { UserError } from "../base/errors.ts";
import { studies } from "../results/studies/all.ts";
import type { Command, CommonOptions } from "./command.ts";
import { defineSweep, runPlan, type SweepOptions } from "./sweep.ts";

interface ReproduceOptions extends Omit<SweepOptions, "plan"> {
  study: string;
  full: boolean;
  quick: boolean;
}

export const command: Command<ReproduceOptions> = {
  usage: "reproduce <study>",
  summary: "Run a published study's experiment, with its figures beside ours",
  define: (yargs: Argv<CommonOptions>) =>
    defineSweep(yargs)
      .positional("study", {
        type: "string",
        demandOption: true,
        describe: studies.map(({ name, reference }) => `${name}: ${reference}`).join("; "),
      })
      .option("quick", { type: "boolean", default: false, describe: "a part of it that takes minutes (the default)" })
      .option("full", { type: "boolean", default: false, describe: "all of it, which may take days: see --dry-run" })
      .example("trilane reproduce das-2014 --dry-run", "nine of the study's hundred networks: how long that takes")
      .example("trilane reproduce carlucci-2015-s3 --full", "all of scenario 3, ten loads of each"),
  run: async (options) => {
    const study = studies.find(({ name }) => name === options.study);
    if (!study)
      throw new UserError(`no study ${options.study}: name one of ${studies.map(({ name }) => name).join(", ")}`);
    if (options.quick && options.full) throw new UserError("--quick is a part of --full: give one of them");
    await runPlan({ ...options, strict: true, plan: options.full ? study.full : study.quick });
  },
};
