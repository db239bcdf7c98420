// `trilane time [PLAN] [-- COMMAND...]`: how long commands take behind a link or on the network as it is. What is run, how, and what comes of
// it stands in cli/instruments/command; here is only the command line.
import { homeFolder } from "../base/home.ts";
import { execute } from "../engine/execute.ts";
import { commandPlanLines, describeCommands } from "../instruments/command/plan/describe.ts";
import { commandPlanFrom, defineCommandOptions } from "../instruments/command/plan/options.ts";
import { commandInstrument } from "../instruments/command/run/instrument.ts";
import { metricHelp } from "../registry/metric_help.ts";
import { readBudgets } from "../results/gate/budget.ts";
import { defineBudget } from "../results/gate/budget_outcome.ts";
import { type Command, essentials, type OptionsOf, type Table } from "./command.ts";
import { printPlanned, runOptions, runTerms } from "./run_options.ts";

const define = (table: Table) =>
  table
    .with(defineCommandOptions)
    .with(runOptions("what would be run", "run's captures, output and reports"))
    .with(defineBudget)
    .usage("trilane time [PLAN] [--link LINK] [--command NAME=COMMAND]... [-- COMMAND...]")
    .positional("plan", { describe: "a JSON file (schemas/command-plan.schema.json; default: what the options say)" })
    .group(["link", "command", "runs", "decide", "recording", "reach", "number", "dry-run", "new"], essentials)
    .example(
      "trilane time --link 10mbit/50ms --recording shop -- curl -so /dev/null https://shop.example/",
      "a recorded origin through a link",
    )
    .example(
      "trilane time --link slow-4g --reach localhost:3000 -- curl -so /dev/null http://localhost:3000/",
      "a development server through a link",
    )
    .example(
      "trilane time --command old='./old --port 0' --command new='./new --port 0'",
      "two commands, interleaved, without a link",
    )
    .example(
      "trilane time --link 3g --link 4g --recording shop --command h1='curl --http1.1 -so /dev/null https://shop.example/' --command h2='curl --http2 -so /dev/null https://shop.example/'",
      "two commands on two links",
    )
    .example(
      "trilane time --decide 3 --number 'ready=ready in ([0-9.]+) ms' --command a='./a' --command b='./b'",
      "until one is faster or both are equal within 3 %, and a number that they print",
    )
    .epilogue(
      [
        "Every command runs once in each block, in random order, so that a slow minute of the machine meets all of them. A run has no terminal, an empty input, and its output is kept at both ends only. It counts if its exit status is 0; else it has failed, with the end of its output. Processes that a command leaves behind are killed when it has ended. Behind a link a command reaches the link's other end alone: a recording's origins, servers of this machine (--reach localhost:3000), or the internet (--outside).",
        "",
        metricHelp("What is measured; over runs medians, with 95 % intervals of order statistics.", { command: "" }),
      ].join("\n"),
    );

type TimeOptions = OptionsOf<typeof define>;

export const command: Command<TimeOptions> = {
  usage: "time [plan]",
  summary: "Time commands behind a link, and compare them",
  define,
  run: async (options, { pageSource, report }) => {
    const home = homeFolder(options.home);
    const plan = commandPlanFrom(options);
    if (options.budget !== undefined) readBudgets(options.budget);
    const source = await pageSource();
    if (options["dry-run"]) {
      const planned = await describeCommands(home, source, plan);
      return printPlanned(options.json, planned, commandPlanLines(plan, planned));
    }
    const execution = { ...runTerms(home, options), source, report, plan, budget: options.budget };
    await execute(execution, commandInstrument(execution));
  },
};
