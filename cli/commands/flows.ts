// `trilane flows [PLAN]`: bulk flows over links, by the words of --flow or from a plan's file. What a flow and a plan are stands in
// cli/instruments/flows; here is only the command line.

import { homeFolder } from "../base/home.ts";
import { say } from "../base/terminal_text.ts";
import { execute } from "../engine/execute.ts";
import { describeFlows, flowPlanLines } from "../instruments/flows/plan/describe.ts";
import { defineFlowOptions } from "../instruments/flows/plan/options.ts";
import { readyFlowPlan, unstoredFlowPlan } from "../instruments/flows/plan/page.ts";
import { shippedFlowPlans } from "../instruments/flows/plan/plan.ts";
import { flowInstrument } from "../instruments/flows/run/instrument.ts";
import { quicControllers, transportFacts } from "../link/flows/transports.ts";
import { metricHelp } from "../registry/metric_help.ts";
import { type Command, essentials, type OptionsOf, type Table } from "./command.ts";
import { printPlanned, runOptions, runTerms } from "./run_options.ts";

const define = (table: Table) =>
  table
    .with(defineFlowOptions)
    .with(runOptions("mixes, links, runs and expected time", "run's reports, samples, captures and qlogs"))
    .positional("plan", {
      describe: `a JSON file, or one of: ${shippedFlowPlans().join(", ")} (default: what --flow and --link say)`,
    })
    .group(["flow", "link", "for", "runs", "page", "dry-run", "new"], essentials)
    .example(
      "trilane flows --link 5mbit/50ms,queue=30kB --flow quic:cubic-n2 --flow tcp:cubic@5s --for 60s",
      "two flows share a short queue, one starts 5 s later",
    )
    .example("trilane flows --link 20mbit/40ms --rrul", "four TCP flows each way, and the round trip beside them")
    .example(
      "trilane flows --link 10mbit/50ms --flow tcp:bbr --page carlucci-medium@10s --lanes h1,h3",
      "a page that is loaded while a flow runs, ten seconds after it began",
    )
    .example("trilane flows my-flows.json --dry-run", "what a plan would run (schemas/flow-plan.schema.json)")
    .example("trilane flows --flow 4*tcp:bbr --flow 4*tcp:cubic,up --for 30s --runs 3", "four flows each way")
    .example("trilane flows --flow tls:cubic,size=8MB --link 14mbit/0ms", "one transfer of 8 MB")
    .epilogue(
      [
        "Transports, and their controllers (usual: cubic; cubic-nN: CUBIC as N flows; sprout-ewma: Sprout-EWMA, acknowledged packet by packet):",
        ...transportLines,
        "@START is when it starts (5s, 500ms). `for` is how long it sends, `size` how much the receiver gets (8MB). Without both it sends until the run ends. `paced`: the kernel spreads a tcp or tls flow’s packets over the round trip, as QUIC flows always do. `migrate`: the client of a quic flow moves to another port that often, after probing it (active migration), at most every 4 round trips of the link. A run in which it never moved is invalid. A NAT that moves it is the link’s: rebind=TIME. `down` (usual): the far end sends, as a server does.",
        "",
        metricHelp("What is measured; over runs medians, with 95 % intervals of order statistics.", {
          flow: "Of each flow",
          group: "Of the flows of one --flow together",
          direction: "Of all flows of a direction, and its link",
          ping: "Of the pings",
        }),
      ].join("\n"),
    );

type FlowsOptions = OptionsOf<typeof define>;

const controllers = {
  kernel: "cubic, reno, bbr, or what else the kernel has",
  quiche: quicControllers().join(", "),
} as const;

const transportLines = Object.entries(transportFacts).map(
  ([name, { title, controlledBy }]) => `  ${name.padEnd(5)} ${title}: ${controllers[controlledBy]}`,
);

export const command: Command<FlowsOptions> = {
  usage: "flows [plan]",
  summary: "Send bulk flows of TCP and QUIC over a link, and see who gets how much",
  define,
  run: async (options, { pageSource, report }) => {
    const home = homeFolder(options.home);
    const terms = runTerms(home, options);
    const source = await pageSource();
    if (options["dry-run"]) {
      const { plan, size } = await unstoredFlowPlan(home, source, options);
      const planned = describeFlows(plan, size);
      return printPlanned(options.json, planned, flowPlanLines(plan, planned));
    }
    const plan = await readyFlowPlan(home, source, options, say);
    const execution = { ...terms, source, report, plan };
    await execute(execution, flowInstrument(execution));
  },
};
