// `trilane cell PLAN N`: one cell of a plan on this machine, a page on a link with all its lanes. What jobs of a cluster run.
import { resolve } from "node:path";
import type { Argv } from "yargs";
import { referencePlan } from "../cluster/reference.ts";
import { runCell } from "../cluster/run_cell.ts";
import { hostName } from "../cluster/this_host.ts";
import { readNumber } from "../export/choose.ts";
import { homeFolder } from "../home.ts";
import { withMatchedPages } from "../sweep/pages.ts";
import { type Plan, readPlan, shippedPlans } from "../sweep/plan.ts";
import type { Command, CommonOptions } from "./command.ts";

interface CellOptions extends CommonOptions {
  plan: string;
  number: string;
  shards: string | undefined;
  host: string | undefined;
  reference: string | undefined;
}

/** What `cell` and `submit` share. */
export function defineCluster<T>(yargs: Argv<T>): Argv<T & Pick<CellOptions, "plan" | "shards" | "reference">> {
  return yargs
    .positional("plan", {
      type: "string",
      demandOption: true,
      describe: `a JSON file, or one of: ${shippedPlans().join(", ")}`,
    })
    .option("shards", {
      type: "string",
      requiresArg: true,
      describe: "the folder of the cells' results (default: the plan's name and -shards, here)",
    })
    .option("reference", {
      type: "string",
      requiresArg: true,
      describe:
        "a plan that each machine runs once too, so that machines can be compared; none (default: a small page)",
    }) as unknown as Argv<T & Pick<CellOptions, "plan" | "shards" | "reference">>;
}

/** The plan and that of the reference cells, with the recordings that their patterns match. */
export async function clusterPlans(
  home: string,
  options: Pick<CellOptions, "plan" | "reference">,
): Promise<{ plan: Plan; reference: Plan | null }> {
  const plan = await withMatchedPages(home, readPlan(options.plan));
  const reference = referencePlan(options.reference);
  return { plan, reference: reference && (await withMatchedPages(home, reference)) };
}

/** The folder of shards. */
export function shardsFolder(asked: string | undefined, plan: { name: string }): string {
  return resolve(asked ?? `${plan.name.replaceAll(/[^A-Za-z0-9._-]+/g, "-")}-shards`);
}

export const command: Command<CellOptions> = {
  usage: "cell <plan> <number>",
  summary: "Run one cell of a plan, a page on a link with all its lanes: what each machine of a cluster runs",
  define: (yargs: Argv<CommonOptions>) =>
    defineCluster(yargs)
      .positional("number", {
        type: "string",
        demandOption: true,
        describe: "of the cell, from 1: pages in the plan's order, each over all links; `trilane plan` lists them",
      })
      .option("host", {
        type: "string",
        requiresArg: true,
        describe: "this machine's name in the results (default: its own)",
      })
      .example(
        "trilane cell study.json 3",
        "with one link, the third page; run again after an interruption, it goes on",
      )
      .example("trilane cell study.json 3 --shards /scratch/study", "into a folder that all machines see"),
  run: async (options) => {
    const home = homeFolder(options.home);
    const { plan, reference } = await clusterPlans(home, options);
    const cell = readNumber(options.number, "cell");
    const shards = shardsFolder(options.shards, plan);
    const host = hostName(options.host);
    const { json } = options;
    const ran = await runCell({ home, plan, cell, shards, host, reference, json });
    if (!ran && !json) process.stderr.write(`cell ${cell} is finished on ${host} already: nothing to do\n`);
  },
};
