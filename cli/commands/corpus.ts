// `trilane corpus synth|check`: finds the action. What each does stands in corpus_*.ts.
import { type Command, nameAnAction } from "./command.ts";
import { command as check } from "./corpus_check.ts";
import { command as synth } from "./corpus_synth.ts";

export const command: Command = {
  usage: "corpus",
  summary: "Make many modelled pages that follow published distributions",
  actions: [synth, check],
  define: (table) =>
    table
      .example("trilane corpus synth --pages 500 --seed 1", "500 pages as those of Das 2014")
      .example("trilane corpus synth --like hars --name shops", "as the pages in a folder of HARs")
      .example("trilane corpus check das-2014-500-seed-1", "their quantiles beside the published ones"),
  run: nameAnAction("corpus", "synth or check"),
};
