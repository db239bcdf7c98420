// `trilane start`: the built-in example sweep, what `npm start` runs after set-up.
import { homeFolder } from "../home.ts";
import { executePlan } from "../sweep/execute.ts";
import { readPlan } from "../sweep/plan.ts";
import type { Command } from "./command.ts";

export const command: Command = {
  usage: "start",
  summary: "Run the built-in example sweep: a first report in under five minutes",
  define: (yargs) =>
    yargs
      .example("trilane start", "races a small page over nine links and writes the report")
      .example("trilane sweep example --dry-run", "what that would run"),
  run: async (options) => {
    const home = homeFolder(options.home);
    await executePlan({ home, plan: readPlan("example"), fresh: false, json: options.json });
  },
};
