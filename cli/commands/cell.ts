// `trilane cell PLAN N`: one cell of a plan on this machine, a page on a link with all its lanes. What jobs of a cluster run.
import { resolve } from "node:path";
import type { Argv } from "yargs";
import { homeFolder } from "../base/home.ts";
import { say } from "../base/terminal_text.ts";
import { readNumber } from "../results/export/choose.ts";
import { referencePlan } from "../sweep/cluster/reference.ts";
import { runCell } from "../sweep/cluster/run_cell.ts";
import { submittedChoice } from "../sweep/cluster/submission.ts";
import { hostName } from "../sweep/cluster/this_host.ts";
import { type AsOptions, defineAs } from "../sweep/plan/choose_model.ts";
import { type Choosing, withChosenPages } from "../sweep/plan/chosen_pages.ts";
import { withMatchedPages } from "../sweep/plan/pages.ts";
import { type Plan, planOf, readPlan, shippedPlans } from "../sweep/plan/plan.ts";
import type { Command, CommonOptions } from "./command.ts";

interface CellOptions extends CommonOptions, AsOptions {
  plan: string;
  number: string;
  shards: string | undefined;
  host: string | undefined;
  reference: string | undefined;
}

type ClusterOptions = Pick<CellOptions, "plan" | "shards" | "reference" | "as" | "compute">;

/** What `cell` and `submit` share. */
export function defineCluster<T>(yargs: Argv<T>): Argv<T & ClusterOptions> {
  return defineAs(yargs)
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
    }) as unknown as Argv<T & ClusterOptions>;
}

/**
 * The plan and that of the reference cells, with the recordings that their patterns match and with models where they take pages'
 * places. A plan that was submitted into the folder keeps the pages that were chosen then.
 */
export async function clusterPlans(
  home: string,
  options: ClusterOptions,
  trials: Choosing["trials"] | "no choice",
): Promise<{ plan: Plan; reference: Plan | null; shards: string }> {
  const given = await withMatchedPages(home, readPlan(options.plan));
  const asked = referencePlan(options.reference);
  const reference = asked && (await withMatchedPages(home, asked));
  const folder = shardsFolder(options.shards, given);
  const before = options.as === undefined ? submittedChoice(folder, given) : null;
  if (before !== null || trials === "no choice") return { plan: before ?? given, reference, shards: folder };
  const plan = await withChosenPages(given, { home, options, trials, say });
  return { plan: plan === given ? given : planOf(plan, options.plan), reference, shards: folder };
}

/** The folder of shards. */
function shardsFolder(asked: string | undefined, plan: { name: string }): string {
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
    const cell = readNumber(options.number, "cell");
    // Other machines run other cells, and must load the same pages: a trial on each might not show the same.
    const { plan, reference, shards } = await clusterPlans(home, options, "none");
    const host = hostName(options.host);
    const { json } = options;
    const ran = await runCell({ home, plan, cell, shards, host, reference, json });
    if (!ran && !json) say(`cell ${cell} is finished on ${host} already: nothing to do`);
  },
};
