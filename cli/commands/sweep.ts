// `trilane sweep PLAN`: a plan's file or one of the shipped plans: pages x lanes x links x repetitions, or what an instrument's plan says.

import type { PlanPage } from "../../schemas/generated/sweep_plan.ts";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { number } from "../base/option.ts";
import { say } from "../base/terminal_text.ts";
import { defineLabs, labsOf } from "../engine/labs.ts";
import type { PlanChanges, PlanKind, ReadPlan } from "../engine/plan_kind.ts";
import { instrumentOf, instruments } from "../instruments/all.ts";
import { describePlan, planLines } from "../instruments/page/plan/describe.ts";
import { executePages } from "../instruments/page/run/instrument.ts";
import { measuredTraces, syntheticTraces } from "../link/trace/networks.ts";
import { defineServing, servingChoiceOf } from "../load/serving/options.ts";
import { overrideServing } from "../load/serving/serving.ts";
import { namedCorpus } from "../recording/corpus/corpus_names.ts";
import { openExistingResults, type Sweep } from "../results/store/results.ts";
import { publishedSentences } from "../results/studies/published_sentences.ts";
import { defineAs } from "../sweep/plan/as_option.ts";
import { browsersOf, defineBrowser, lackedLanes, withBrowsers } from "../sweep/plan/browser_option.ts";
import { type DetectionQuestion, noQuestion, refuseUnanswerable } from "../sweep/plan/detect_option.ts";
import type { PageSize } from "../sweep/plan/estimate.ts";
import { pageName } from "../sweep/plan/page_patterns.ts";
import type { PageSource } from "../sweep/plan/page_source.ts";
import { planDigest, planOf, readPlan, shippedPlans } from "../sweep/plan/plan.ts";
import type { Plan } from "../sweep/plan/plan_document.ts";
import { planChoiceOf, plansOptions } from "../sweep/plan/plan_options.ts";
import { planRange } from "../sweep/plan/plan_range.ts";
import { defineServers, type ServersOptions, servedLanes } from "../sweep/plan/servers_option.ts";
import { mostRuns, ruledRepetitions, stoppingChoiceOf } from "../sweep/plan/until.ts";
import { type Command, essentials, type House, type OptionsOf, type Table } from "./command.ts";
import { givenOptions } from "./declared.ts";
import { evidenceOption, printPlanned, runOptions, runTerms } from "./run_options.ts";

/** What `sweep` and `reproduce` share. */
export const defineSweep = (table: Table) =>
  table
    .with(defineServing)
    .with(plansOptions("decide", "precise", "time-limit", "metric", "films", "tolerance", "retry-for"))
    .with(plansOptions("cross-traffic", "page-start", "strict"))
    .with(defineLabs)
    .with(defineBrowser)
    .with(runOptions("cells, loads and expected time"))
    .with(defineAs)
    .option("page", {
      type: "string",
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
    .option("once", {
      type: "boolean",
      default: false,
      describe: "do nothing if the plan's newest sweep is finished (for cron)",
    })
    .option("evidence", evidenceOption())
    .option("trace", {
      type: "string",
      rare: true,
      placeholder: "DIR",
      describe:
        "measured traces for a plan's cellular links: DIR/verizon-lte*.down and .up (default: drawn from a model)",
    })
    .group(["page", "runs", "decide", "dry-run", "new"], essentials);

const define = (table: Table) =>
  defineSweep(table)
    .with(defineServers)
    .positional("plan", {
      type: "string",
      demandOption: true,
      describe: `a JSON file, or one of: ${planNames().join(", ")}`,
    })
    .example("trilane sweep plan.json", "the plan in a file (schemas/sweep-plan.schema.json)")
    .example("trilane sweep carlucci-2015-s3 --dry-run", "what a shipped plan would run, and for how long")
    .example("trilane sweep plan.json --servers replay,nginx,caddy", "each lane from each of these servers")
    .example("trilane sweep das-2014-grid --page my-page", "a study's links with your own page");

/** `reproduce` has no servers. */
export type SweepOptions = OptionsOf<typeof defineSweep> & { plan: string } & Partial<ServersOptions>;

/** The plan with what the command line sets in its place. */
function planWith(plan: Plan, named: readonly PlanPage[], options: SweepOptions): Plan {
  const { plan: source, runs } = options;
  const over = servingChoiceOf(options);
  const choice = planChoiceOf(options);
  const browsers = browsersOf(options);
  if (named.length === 0 && runs === undefined && Object.keys({ ...over, ...choice, ...browsers }).length === 0)
    return plan;
  const pages = named.length === 0 ? plan.pages : named;
  const serving = overrideServing(plan.serving, over);
  const repetitions = runs ?? (choice.until ? mostRuns : plan.repetitions);
  const settled = withBrowsers(plan, browsers);
  return planOf({ ...settled, pages, repetitions, serving, ...choice }, source);
}

/** Each of its lanes from each server that the command line names. */
async function withServers(plan: Plan, options: SweepOptions): Promise<Plan> {
  const served = await servedLanes(options, plan.lanes, (line) => options.json || say(line));
  if (served === null) return plan;
  const { servers: _, ...others } = plan;
  return planOf({ ...others, ...served }, options.plan);
}

/** With the traces that the user has, or drawn ones. UserError where it has no links for those that were named. */
function readPlanWithTraces(home: string, { plan, trace }: SweepOptions): Plan {
  if (trace === undefined) return readPlan(plan, syntheticTraces(home));
  const source = measuredTraces(trace);
  const used = new Set<string>();
  const read = readPlan(plan, (network, drawing) => {
    used.add(network);
    return source(network, drawing);
  });
  if (used.size === 0) throw new UserError(`--trace: plan ${plan} has no cellular links: leave it out`);
  return read;
}

async function planFrom(home: string, source: PageSource, options: SweepOptions): Promise<Plan> {
  const plan = await source.withMatchedPages(home, readPlanWithTraces(home, options));
  const named: PlanPage[] = [];
  // One after another: each import is a writer of the archive.
  for (const word of options.page) named.push(...(await source.pagesFor(home, word)));
  const settled = await withServers(planWith(plan, named, options), options);
  const chosen = await source.withChosenPages(settled, { home, options, trials: "made", say });
  // Two names may have become one page.
  return chosen === settled ? settled : planOf(chosen, options.plan);
}

async function dryRun(
  home: string,
  source: PageSource,
  options: SweepOptions,
  question: DetectionQuestion,
): Promise<void> {
  const given = await source.withMatchedPages(home, readPlanWithTraces(home, options));
  const named: PlanPage[] = [];
  const sizes = new Map<string, PageSize>();
  for (const word of options.page) {
    if (namedCorpus(word) !== null) {
      named.push(...(await source.corpusPages(home, word)));
      continue;
    }
    const { page, size } = await source.pageUnstored(home, word);
    named.push(page);
    if (size) sizes.set(pageName(page), size);
  }
  const plan = await withServers(planWith(given, named, options), options);
  refuseUnanswerable(plan, question);
  const planned = await describePlan(home, plan, source, sizes, question);
  printPlanned(options.json, planned, planLines(plan, planned));
}

/** The plan's newest sweep, where it is finished. */
function finishedSweep(home: string, plan: Plan): Sweep | null {
  using results = openExistingResults(home);
  const newest = results?.newestSweep(planDigest(plan)) ?? null;
  return newest?.finished_at ? newest : null;
}

/** `question`: for a plan that is only shown. */
export async function runPlan(
  options: SweepOptions,
  { pageSource, report }: House,
  question: DetectionQuestion = noQuestion,
): Promise<void> {
  const home = homeFolder(options.home);
  const labs = labsOf(options, home);
  const terms = runTerms(home, options);
  const { verbosity } = terms;
  if (options.once && options.new)
    throw new UserError("--once runs no sweep again, --new begins again: give one of them");
  // Afterwards, so that a fault of the words is found here, too.
  const source = await pageSource();
  if (options["dry-run"]) return await dryRun(home, source, options, question);
  const plan = await planFrom(home, source, options);
  const { json, evidence, once } = options;
  if (!json && verbosity !== "quiet") for (const line of lackedLanes(plan)) say(line);
  // Looked at first, as making pages ready takes a while; the sweep that another process ends meanwhile counts, too.
  if (!once || finishedSweep(home, plan) === null) {
    const execution = { ...terms, plan, source, report, once, evidence, labs, published: publishedSentences };
    if (await executePages(execution)) return;
  }
  if (verbosity !== "quiet")
    say(`sweep ${finishedSweep(home, plan)?.id} of plan ${plan.name} is finished: nothing to do`);
}

/** Of all that sweep takes, what a plan of another instrument has too. */
export const optionsOfAll: ReadonlySet<string> = new Set(
  "runs decide precise time-limit new dry-run evidence stop-file stop-after quiet status verbose home json debug".split(
    " ",
  ),
);

/** What the command line sets in the place of what such a plan says. */
export function changesOf(options: Omit<SweepOptions, "plan">): PlanChanges {
  const choice = stoppingChoiceOf(options);
  const { runs: repetitions } = options;
  return { ...ruledRepetitions(choice), ...choice, ...(repetitions === undefined ? {} : { repetitions }) };
}

/** Shows or runs a plan that is not of pages. False: it was shown. */
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
  await plan.execute({ ...terms, source, report, evidence: options.evidence });
  return true;
}

/** A plan that is not of pages, by the same command. */
async function runKind(kind: PlanKind, options: SweepOptions, house: House): Promise<void> {
  const other = givenOptions(command, options).find((name) => !optionsOfAll.has(name) || kind.lacks.includes(name));
  if (other !== undefined)
    throw new UserError(
      `--${other}: is for plans of page loads, and plan ${options.plan} is of ${kind.name}: leave it out`,
    );
  const home = homeFolder(options.home);
  const plan = kind.read(options.plan, changesOf(options));
  await runReadPlan(plan, home, options, house);
}

/** Runs or shows a plan, whatever it is of. */
export async function runAnyPlan(...[options, house, question]: Parameters<typeof runPlan>): Promise<void> {
  const kind = shippedPlans().includes(options.plan) ? null : instrumentOf(options.plan);
  if (kind && question && question.percent !== null)
    throw new UserError(
      `--detect: is for plans of page loads, and plan ${options.plan} is of ${kind.name}: leave it out`,
    );
  await (kind ? runKind(kind, options, house) : runPlan(options, house, question));
}

/** Names that two kinds have are of pages. */
const planNames = (): string[] => [
  ...new Set([shippedPlans(), ...instruments.map((kind) => kind.shippedPlans())].flat()),
];

export const command: Command<SweepOptions> = {
  usage: "sweep <plan>",
  summary: "Run a plan, of pages x links x lanes, flows or fetches; the same command resumes it",
  define,
  run: async (options, house) => runAnyPlan(options, house),
};
