// `trilane cell PLAN N`: one cell of a plan on this machine, a page on a link with all its lanes, or a link
// with all its mixes of flows. What jobs of a cluster run.

import { resolve } from "node:path";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { say } from "../base/terminal_text.ts";
import { execute } from "../engine/execute.ts";
import { instrumentOf } from "../instruments/all.ts";
import { readFlowPlan, sharedFlows, sharedLink, shippedFlowPlans } from "../instruments/flows/plan/plan.ts";
import { flowInstrument } from "../instruments/flows/run/instrument.ts";
import { executePages } from "../instruments/page/run/instrument.ts";
import { syntheticTraces } from "../link/trace/networks.ts";
import { readNumber } from "../results/export/choose.ts";
import { type CellRun, referencePlan, runCell, runPagesInto } from "../sweep/cluster/run_cell.ts";
import { refuseUnknownCell, type SharedPlan, sharedPages } from "../sweep/cluster/shared_plan.ts";
import { submittedChoice } from "../sweep/cluster/submission.ts";
import { hostName } from "../sweep/cluster/this_host.ts";
import { defineAs } from "../sweep/plan/as_option.ts";
import type { Choosing, PageSource } from "../sweep/plan/page_source.ts";
import { planOf, readPlan, shippedPlans } from "../sweep/plan/plan.ts";
import type { Plan } from "../sweep/plan/plan_document.ts";
import type { Command, CommonOptions, House, OptionsOf, Table } from "./command.ts";

/** What `cell` and `submit` share. */
export const defineCluster = (table: Table) =>
  defineAs(table)
    .positional("plan", {
      type: "string",
      demandOption: true,
      describe: `a JSON file, of pages or of flows, or one of: ${[...shippedPlans(), ...shippedFlowPlans()].join(", ")}`,
    })
    .option("shards", {
      type: "string",
      describe: "the folder of the cells' results (default: the plan's name and -shards, here)",
    })
    .option("reference", {
      type: "string",
      describe:
        "a plan that each machine also runs once, to compare machines; none (default: a small page; with flows: none)",
    });

type ClusterOptions = Omit<OptionsOf<typeof defineCluster>, keyof CommonOptions>;

const define = (table: Table) =>
  defineCluster(table)
    .positional("number", {
      type: "string",
      demandOption: true,
      describe:
        "number of the cell, from 1 (`trilane plan` lists them): pages in order, each over all links; for flows: links",
    })
    .option("host", { type: "string", describe: "this machine's name in the results (default: its own)" })
    .example("trilane cell study.json 3", "with one link, the third page; run again after an interruption, it resumes")
    .example("trilane cell study.json 3 --shards /scratch/study", "into a folder that all machines see");

type CellOptions = OptionsOf<typeof define>;

/** A plan to be shared out, that of the reference cells (null: none), and the folder of shards. */
interface ClusterPlans {
  readonly plan: SharedPlan;
  readonly reference: Plan | null;
  readonly shards: string;
  /** Runs a cell of the plan. */
  readonly runInto: (
    run: Pick<CellRun, "home" | "source" | "json" | "cell" | "runPages"> & Pick<House, "report">,
  ) => CellRun["runInto"];
}

/**
 * The plan and that of the reference cells, with the recordings that their patterns match and with models where they take pages'
 * places. A plan that was submitted into the folder keeps the pages that were chosen then.
 */
export async function clusterPlans(
  home: string,
  source: PageSource,
  options: ClusterOptions,
  trials: Choosing["trials"] | "no choice",
): Promise<ClusterPlans> {
  if (instrumentOf(options.plan)?.sweeps === "flows") return await flowPlans(home, source, options);
  const given = await source.withMatchedPages(home, readPlan(options.plan, syntheticTraces(home)));
  const reference = await referenceFor(home, source, referencePlan(options.reference));
  const shards = shardsFolder(options.shards, given);
  const plan = await chosenPlan(home, source, given, shards, options, trials);
  return { plan: sharedPages(plan), reference, shards, runInto: (run) => runPagesInto(run, plan) };
}

async function chosenPlan(
  home: string,
  source: PageSource,
  given: Plan,
  shards: string,
  options: ClusterOptions,
  trials: Choosing["trials"] | "no choice",
): Promise<Plan> {
  const before = options.as === undefined ? submittedChoice(shards, given) : null;
  if (before !== null || trials === "no choice") return before ?? given;
  const plan = await source.withChosenPages(given, { home, options, trials, say });
  return plan === given ? given : planOf(plan, options.plan);
}

/** A page amid flows is loaded as the plan names it: its machines make no choice. */
async function flowPlans(home: string, source: PageSource, options: ClusterOptions): Promise<ClusterPlans> {
  if (options.as !== undefined)
    throw new UserError(`--as: plan ${options.plan} is of flows: name the page's model in the plan, or leave it out`);
  const plan = readFlowPlan(options.plan);
  const shards = shardsFolder(options.shards, plan);
  // A machine that runs flows alone need have no browser.
  const given = options.reference === undefined ? null : referencePlan(options.reference);
  const runInto: ClusterPlans["runInto"] = (run) => {
    const link = sharedLink(plan, run.cell);
    return async (shard) => {
      const execution = { ...run, plan, fresh: false, shard: { ...shard, cell: run.cell, link } };
      return await execute(execution, flowInstrument(execution));
    };
  };
  return { plan: sharedFlows(plan), reference: await referenceFor(home, source, given), shards, runInto };
}

async function referenceFor(home: string, source: PageSource, given: Plan | null): Promise<Plan | null> {
  return given && (await source.withMatchedPages(home, given));
}

/** The folder of shards. */
function shardsFolder(given: string | undefined, plan: { name: string }): string {
  return resolve(given ?? `${plan.name.replaceAll(/[^A-Za-z0-9._-]+/g, "-")}-shards`);
}

export const command: Command<CellOptions> = {
  usage: "cell <plan> <number>",
  summary:
    "Run one cell of a plan, a page on a link with all its lanes, or a link with its flows: what a cluster’s machines run",
  define,
  run: async (options, { pageSource, report }) => {
    const home = homeFolder(options.home);
    const cell = readNumber(options.number, "cell");
    const source = await pageSource();
    // Other machines run other cells, and must load the same pages: a trial on each might not show the same.
    const { plan, reference, shards, runInto } = await clusterPlans(home, source, options, "none");
    refuseUnknownCell(plan, cell);
    const host = hostName(options.host);
    const { json } = options;
    const once = { home, source, report, fresh: false, once: true, json };
    const runPages: CellRun["runPages"] = (part, shard) => executePages({ ...once, plan: part, shard });
    const run = { home, source, report, plan, cell, shards, host, reference, json, runPages };
    const ran = await runCell({ ...run, runInto: runInto(run) });
    if (!ran && !json) say(`cell ${cell} is finished on ${host} already: nothing to do`);
  },
};
