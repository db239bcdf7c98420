// `trilane cell PLAN N`: one cell of a plan on this machine, with all that is compared block by block. What jobs of a cluster run.

import { resolve } from "node:path";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { say } from "../base/terminal_text.ts";
import type { PlanKind, SharingTerms } from "../engine/plan_kind.ts";
import { instrumentOf } from "../instruments/all.ts";
import { readNumber } from "../results/export/choose.ts";
import { refuseUnknownCell, runCell } from "../sweep/cluster/run_cell.ts";
import type { SharedPlan } from "../sweep/cluster/shared_plan.ts";
import { hostName } from "../sweep/cluster/this_host.ts";
import { defineAs } from "../sweep/plan/as_option.ts";
import type { PageSource } from "../sweep/plan/page_source.ts";
import type { Command, CommonOptions, OptionsOf, Table } from "./command.ts";
import { planNames } from "./sweep.ts";

/** What `cell` and `submit` share. */
export const defineCluster = (table: Table) =>
  table
    .with(defineAs)
    .positional("plan", { demandOption: true, describe: `a JSON file, or one of: ${planNames().join(", ")}` })
    .option("shards", { describe: "the folder of the cells' results (default: the plan's name and -shards, here)" })
    .option("reference", {
      describe:
        "a plan of pages that each machine also loads once, to compare machines; none (default: a small page if the plan is of pages, else none: machines are not compared)",
    });

type ClusterOptions = Omit<OptionsOf<typeof defineCluster>, keyof CommonOptions>;

const define = (table: Table) =>
  defineCluster(table)
    .positional("number", {
      demandOption: true,
      describe:
        "number of the cell, from 1 (`trilane plan` lists them): pages in order, each over all links; of flows and commands links; of fetches links of a recording, or live hosts",
    })
    .option("host", { describe: "this machine's name in the results (default: its own)" })
    .example("trilane cell study.json 3", "with one link, the third page; run again after an interruption, it resumes")
    .example("trilane cell study.json 3 --shards /scratch/study", "into a folder that all machines see");

type CellOptions = OptionsOf<typeof define>;

/** A plan to be shared out, that of the reference cells (null: none), and the folder of shards. */
interface ClusterPlans {
  readonly plan: SharedPlan;
  readonly reference: SharedPlan | null;
  readonly shards: string;
}

/** The plan and that of the reference cells. */
export async function clusterPlans(
  home: string,
  source: PageSource,
  options: ClusterOptions,
  trials: SharingTerms["trials"],
): Promise<ClusterPlans> {
  const kind = instrumentOf(options.plan);
  if (options.as !== undefined && !kind.takes?.("as"))
    throw new UserError(
      `--as: plan ${options.plan} is of ${kind.name}: name the page's model in the plan, or leave it out`,
    );
  const shardsOf = (plan: { readonly name: string }): string => shardsFolder(options.shards, plan);
  const sharing = { home, source, shardsOf, trials };
  // What measures no pages may run on machines without a browser.
  const { reference: named = kind.reference ?? "none" } = options;
  const asReference = { ...options, plan: named, as: undefined };
  const reference =
    named === "none" ? null : await sharedPlan(referenceKind(named), asReference, { ...sharing, trials: "no choice" });
  const plan = await sharedPlan(kind, options, sharing);
  return { plan, reference, shards: shardsOf(plan) };
}

function referenceKind(plan: string): PlanKind {
  const kind = instrumentOf(plan);
  if (kind.reference !== undefined) return kind;
  throw new UserError(`--reference: plan ${plan} is of ${kind.name}: name a plan of pages, or none`);
}

async function sharedPlan(kind: PlanKind, options: ClusterOptions, terms: SharingTerms): Promise<SharedPlan> {
  const plan = kind.read(options.plan, {}, options);
  const run: SharedPlan["run"] = (given, shard) => plan.execute({ ...given, shard, fresh: false });
  return { ...(await plan.shared(terms)), run };
}

/** The folder of shards. */
function shardsFolder(given: string | undefined, plan: { name: string }): string {
  return resolve(given ?? `${plan.name.replaceAll(/[^A-Za-z0-9._-]+/g, "-")}-shards`);
}

export const command: Command<CellOptions> = {
  usage: "cell <plan> <number>",
  summary: "Run one cell of a plan, with all that is compared in it: what a cluster’s machines run",
  define,
  run: async (options, { pageSource, report }) => {
    const home = homeFolder(options.home);
    const cell = readNumber(options.number, "cell", "see `trilane plan`");
    const source = await pageSource();
    // Other machines run other cells, and must load the same pages: a trial on each might not show the same.
    const plans = await clusterPlans(home, source, options, "none");
    refuseUnknownCell(plans.plan, cell);
    const host = hostName(options.host);
    const { json } = options;
    const ran = await runCell({ ...plans, terms: { home, source, report, json }, cell, host });
    if (!ran && !json) say(`cell ${cell} is finished on ${host} already: nothing to do`);
  },
};
