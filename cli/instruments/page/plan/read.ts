// A plan of page loads as `trilane sweep`, `plan` and `reproduce` read it: with what the command line sets in its place, shown or run. Other
// instruments' plans have fewer options.

import type { PlanPage } from "../../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../../base/errors.ts";
import { say } from "../../../base/terminal_text.ts";
import type { ReadPlan } from "../../../engine/plan_kind.ts";
import { measuredTraces, syntheticTraces } from "../../../link/trace/networks.ts";
import { servingChoiceOf } from "../../../load/serving/options.ts";
import { overrideServing } from "../../../load/serving/serving.ts";
import { namedCorpus } from "../../../recording/corpus/corpus_names.ts";
import { openExistingResults, type Sweep } from "../../../results/store/results.ts";
import { publishedSentences } from "../../../results/studies/published_sentences.ts";
import type { AsOptions } from "../../../sweep/plan/as_option.ts";
import { browsersOf, lackedLanes, withBrowsers } from "../../../sweep/plan/browser_option.ts";
import { type DetectOptions, questionOf, refuseUnanswerable } from "../../../sweep/plan/detect_option.ts";
import type { PageSize } from "../../../sweep/plan/estimate.ts";
import { pageName } from "../../../sweep/plan/page_patterns.ts";
import type { PageSource } from "../../../sweep/plan/page_source.ts";
import { planDigest, planOf, readPlan } from "../../../sweep/plan/plan.ts";
import type { Plan } from "../../../sweep/plan/plan_document.ts";
import { planChoiceOf } from "../../../sweep/plan/plan_options.ts";
import { type ServersOptions, servedLanes } from "../../../sweep/plan/servers_option.ts";
import { mostRuns } from "../../../sweep/plan/until.ts";

/** What of the command line is for a plan of pages. `reproduce` has no servers, and only `plan` has what runs are to detect. */
export type PagePlanOptions = Parameters<typeof servingChoiceOf>[0] &
  Parameters<typeof planChoiceOf>[0] &
  Parameters<typeof browsersOf>[0] &
  Partial<ServersOptions> &
  Partial<DetectOptions> &
  AsOptions & {
    readonly plan: string;
    readonly page: readonly string[];
    readonly runs: number | undefined;
    readonly trace: string | undefined;
    readonly once: boolean;
    readonly new: boolean;
    readonly json: boolean;
  };

/** The plan with what the command line sets in its place. */
function planWith(plan: Plan, named: readonly PlanPage[], options: PagePlanOptions): Plan {
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
async function withServers(plan: Plan, options: PagePlanOptions): Promise<Plan> {
  const served = await servedLanes(options, plan.lanes, (line) => options.json || say(line));
  if (served === null) return plan;
  const { servers: _, ...others } = plan;
  return planOf({ ...others, ...served }, options.plan);
}

/**
 * With the traces that the user has, or drawn ones.
 * @throws UserError if it has no links for those that were named
 */
function readPlanWithTraces(home: string, { plan, trace }: PagePlanOptions): Plan {
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

async function planFrom(home: string, source: PageSource, options: PagePlanOptions): Promise<Plan> {
  const plan = await source.withMatchedPages(home, readPlanWithTraces(home, options));
  const named: PlanPage[] = [];
  // One after another: each import is a writer of the archive.
  for (const word of options.page) named.push(...(await source.pagesFor(home, word)));
  const settled = await withServers(planWith(plan, named, options), options);
  const chosen = await source.withChosenPages(settled, { home, options, trials: "made", say });
  // Two names may have become one page.
  return chosen === settled ? settled : planOf(chosen, options.plan);
}

/** The plan's newest sweep, if it is finished. */
function finishedSweep(home: string, plan: Plan): Sweep | null {
  using results = openExistingResults(home);
  const newest = results?.newestSweep(planDigest(plan)) ?? null;
  return newest?.finished_at ? newest : null;
}

async function described(home: string, source: PageSource, options: PagePlanOptions) {
  const { describePlan, planLines } = await import("./describe.ts");
  const question = questionOf(options);
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
  const document = await describePlan(home, plan, source, sizes, question);
  return { document, lines: planLines(plan, document) };
}

/** @throws UserError if the command line contradicts itself; the plan is read once its pages are known */
export function readPagePlan(options: PagePlanOptions): ReadPlan {
  if (options.once && options.new)
    throw new UserError("--once runs no sweep again, --new begins again: give one of them");
  let ofMachines: Plan | null = null;
  return {
    describe: (home, source) => described(home, source, options),
    shared: async (terms) => {
      const { planForMachines, sharedPages } = await import("./shared.ts");
      ofMachines = await planForMachines(options, terms);
      return sharedPages(ofMachines);
    },
    execute: async (terms) => {
      const { executePages } = await import("../run/instrument.ts");
      if (ofMachines) return await executePages({ ...terms, plan: ofMachines, once: true });
      const { home, source, json, verbosity } = terms;
      const { once } = options;
      const plan = await planFrom(home, source, options);
      if (!json && verbosity !== "quiet") for (const line of lackedLanes(plan)) say(line);
      // Looked at first, as making pages ready takes a while; the sweep that another process ends meanwhile counts, too.
      if (!once || finishedSweep(home, plan) === null) {
        if (await executePages({ ...terms, plan, once, published: publishedSentences })) return true;
      }
      if (verbosity !== "quiet")
        say(`sweep ${finishedSweep(home, plan)?.id} of plan ${plan.name} is finished: nothing to do`);
      return false;
    },
  };
}
