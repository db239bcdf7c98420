// `trilane sweep PLAN`: a plan's file or one of the shipped plans: pages x lanes x links x repetitions, or what an instrument's plan says.

import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { flag, number } from "../base/option.ts";
import type { PlanChanges, PlanKind, ReadPlan } from "../engine/plan_kind.ts";
import { instrumentOf, instruments } from "../instruments/all.ts";
import { defineServing } from "../load/serving/options.ts";
import { defineAs } from "../sweep/plan/as_option.ts";
import { defineBrowser } from "../sweep/plan/browser_option.ts";
import { plansOptions } from "../sweep/plan/plan_options.ts";
import { planRange } from "../sweep/plan/plan_range.ts";
import { defineServers, type ServersOptions } from "../sweep/plan/servers_option.ts";
import { mostRuns, ruledRepetitions, stoppingChoiceOf } from "../sweep/plan/until.ts";
import { type Command, essentials, type House, type OptionsOf, type Table } from "./command.ts";
import { givenOptions } from "./declared.ts";
import { printPlanned, runOptions, runTerms } from "./run_options.ts";

/** What `sweep` and `reproduce` share. */
export const defineSweep = (table: Table) =>
  table
    .with(defineServing)
    .with(plansOptions("decide", "precise", "time-limit", "metric", "films", "tolerance", "retry-for"))
    .with(plansOptions("cross-traffic", "page-start", "strict"))
    .with(defineBrowser)
    .with(runOptions("cells, loads and expected time"))
    .with(defineAs)
    .option("page", {
      array: true,
      default: [] as string[],
      describe:
        "pages instead of the plan's, as `trilane race` takes them, or corpus:NAME; give the plan before this option",
    })
    .option(
      "runs",
      number(planRange("repetitions"), {
        describe: `runs instead of the plan's (with --decide or --precise: at most ${mostRuns} unless given)`,
      }),
    )
    .option("once", flag("do nothing if the plan's newest sweep is finished (for cron)"))
    .option("trace", {
      rare: true,
      placeholder: "DIR",
      describe:
        "measured traces for a plan's cellular links: DIR/verizon-lte*.down and .up (default: drawn from a model)",
    })
    .group(["page", "runs", "decide", "dry-run", "new"], essentials);

const define = (table: Table) =>
  defineSweep(table)
    .with(defineServers)
    .positional("plan", { demandOption: true, describe: `a JSON file, or one of: ${planNames().join(", ")}` })
    .example("trilane sweep plan.json", "the plan in a file (schemas/sweep-plan.schema.json)")
    .example("trilane sweep carlucci-2015-s3 --dry-run", "what a shipped plan would run, and for how long")
    .example("trilane sweep plan.json --servers replay,nginx,caddy", "each lane from each of these servers")
    .example("trilane sweep das-2014-grid --page my-page", "a study's links with your own page");

/** `reproduce` has no servers. */
export type SweepOptions = OptionsOf<typeof defineSweep> & { plan: string } & Partial<ServersOptions>;

/** Of all that sweep and plan take, what a plan of each instrument has. */
const optionsOfAll: ReadonlySet<string> = new Set(
  "runs decide precise time-limit detect from new dry-run evidence labs stop-file stop-after quiet status verbose home json debug".split(
    " ",
  ),
);

export const isTaken = (kind: PlanKind, option: string): boolean => kind.takes?.(option) ?? optionsOfAll.has(option);

/** What the command line sets in the place of what a plan says. */
export function changesOf(options: Omit<SweepOptions, "plan">): PlanChanges {
  const choice = stoppingChoiceOf(options);
  const { runs: repetitions } = options;
  return { ...ruledRepetitions(choice), ...choice, ...(repetitions === undefined ? {} : { repetitions }) };
}

/** Shows or runs a plan. False: it was shown. */
export async function runReadPlan(
  plan: ReadPlan,
  home: string,
  options: Omit<SweepOptions, "plan">,
  { pageSource, report }: House,
): Promise<boolean> {
  const terms = runTerms(home, options);
  const source = await pageSource();
  if (options["dry-run"]) {
    const { document, lines } = await plan.describe(home, source);
    printPlanned(options.json, document, lines);
    return false;
  }
  await plan.execute({ ...terms, source, report });
  return true;
}

/** Runs or shows a plan, whatever it is of. `from`: the command that was given. */
export async function runAnyPlan<Options extends SweepOptions>(
  from: Command<Options>,
  options: Options,
  house: House,
): Promise<void> {
  const kind = instrumentOf(options.plan);
  const other = givenOptions(from, options).find((name) => !isTaken(kind, name));
  if (other !== undefined)
    throw new UserError(
      `--${other}: is for plans of page loads, and plan ${options.plan} is of ${kind.name}: leave it out`,
    );
  const home = homeFolder(options.home);
  await runReadPlan(kind.read(options.plan, changesOf(options), options), home, options, house);
}

/** A name that two kinds have is the first one's. */
export const planNames = (): string[] => [...new Set(instruments.flatMap((kind) => kind.shippedPlans()))];

export const command: Command<SweepOptions> = {
  usage: "sweep <plan>",
  summary: "Run a plan of pages, flows, fetches or commands over links; the same command resumes it",
  define,
  run: async (options, house) => runAnyPlan(command, options, house),
};
