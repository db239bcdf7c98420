// `trilane compare A B`: what became slower or faster from one sweep, or several, to another; `compare --interleaved A B` loads two
// versions alternately first. What is judged is cli/results/compare's. Exit status 0: nothing became worse; 1: something became
// slower by more than the threshold, or fails more often; 3: nothing can be said of any cell, or something became worse and may be so
// by its occasion. With --budget also 1, if the later version exceeds one. Cells that show nothing do not change the status: a line counts them.

import type { PageLoad } from "../../schemas/generated/page_load.ts";
import type { SweepsCompared } from "../../schemas/generated/sweeps_compared.ts";
import { UndecidedError, UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { usualRuns } from "../base/interval.ts";
import { flag, number } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { comparedSweep } from "../instruments/all.ts";
import { executePages } from "../instruments/page/run/instrument.ts";
import { compareRuns } from "../results/compare/compare.ts";
import { type Comparison, regressionOf, worseOf } from "../results/compare/comparison.ts";
import type { Run } from "../results/compare/interleaved.ts";
import { busyLines, comparisonLines } from "../results/compare/words.ts";
import { openNamed } from "../results/export/choose.ts";
import { budgetLines, refuseExceeded, refuseNotShown } from "../results/gate/budget_outcome.ts";
import type { AnySweep } from "../results/store/results.ts";
import { publishedSentences } from "../results/studies/published_sentences.ts";
import type { Browser } from "../results/verdict/browsers.ts";
import { comparedMetric, usualMetric } from "../results/verdict/compared_metric.ts";
import { browsersAgreeLines } from "../results/verdict/sides_agree.ts";
import { defineAs } from "../sweep/plan/as_option.ts";
import { interleavedPlan, unstoredInterleavedPlan, usualLink } from "../sweep/plan/interleaved_plan.ts";
import { defineStoredMetric, plansOptions } from "../sweep/plan/plan_options.ts";
import { planRange } from "../sweep/plan/plan_range.ts";
import { type Command, essentials, type House, type OptionsOf, type Table } from "./command.ts";
import { type Sides, sidesOf } from "./compared_sides.ts";
import { checkGate, defineGate, type GateOptions, gateOptions, writeGate } from "./gate_files.ts";
import { dryRunOption, newOption, printPlanned } from "./run_options.ts";

const define = (table: Table) =>
  table
    .with(plansOptions("tolerance", "retry-for"))
    .with(defineAs)
    .with(defineStoredMetric)
    .with(defineGate)

    .positional("a", {
      demandOption: true,
      describe:
        "the earlier sweep: a number, a results file or a data folder (old.db, old.db#3); several with commas (1,2,3)",
    })
    .positional("b", { describe: "the later one, or several; omit for a sweep of --interleaved" })
    .option(
      "threshold",
      number(
        { least: 0, most: 1000, unit: "per cent" },
        {
          default: 5,
          describe: "ignore changes of the median up to this many per cent",
        },
      ),
    )
    .option(
      "occasion-spread",
      number(
        { least: 0, most: 1000, unit: "per cent" },
        { describe: "per cent by which two sweeps of the same thing differ: added to the threshold" },
      ),
    )
    .option(
      "interleaved",
      flag("load A and B alternately in one sweep, then compare them: two pages, or with --page two links or browsers"),
    )
    .option("page", { describe: "the page to load over links, or in browsers, A and B" })
    .option("link", { describe: `the bottleneck (default: ${usualLink})` })
    .option("lanes", { describe: "lanes, separated by commas (default: h1,h2,h3)" })
    .option(
      "runs",
      number(planRange("repetitions"), {
        describe: `valid loads of each lane of A, and of B (default: ${usualRuns})`,
      }),
    )
    .option(
      "timeout",
      number(planRange("timeout_s", "seconds"), {
        describe: "how long a load may take before it fails (default: 60)",
      }),
    )
    .option(
      "settle",
      number(planRange("settle_ms", "ms"), { rare: true, describe: "watch the page this long after its load event" }),
    )
    .option("new", newOption)
    .option("dry-run", dryRunOption("what would be loaded and for how long"))
    .group(["threshold", "interleaved", "occasion-spread"], essentials)
    .group([...ofInterleaved, "compute", "new", "dry-run"], "With --interleaved:")
    .group([...gateOptions], "As a gate in CI:")
    .example("trilane compare 1,2,3 4,5,6", "three sweeps of each, tested against the spread between them")
    .example("trilane compare old.db new.db --threshold 3", "the newest sweeps of two files, say of two browsers")
    .example("trilane compare 3 5 --occasion-spread 2", "one sweep each, known to differ by up to 2 % by themselves")
    .example(
      "trilane compare --interleaved shop shop-new",
      "load two recordings alternately, for both the same minutes",
    )
    .example(
      "trilane compare --interleaved ./old/chrome ./new/chrome --page shop",
      "two browsers; two links likewise (3g 3g,loss=1%)",
    )
    .epilogue(
      [
        "Exit status:",
        "  0  nothing became worse",
        "  1  something became slower by more than --threshold, loads fail more often,",
        "     or the later version exceeds a budget of --budget",
        "  2  the command line or a file is wrong",
        "  3  too few loads to show any change, or to show that a budget is kept or",
        "     exceeded; or something became worse, and each side is one sweep, which",
        "     cannot tell a change from its occasion (machine, day)",
      ].join("\n"),
    );

type CompareOptions = OptionsOf<typeof define>;

function factsOf(sweeps: readonly AnySweep[], browsers: readonly Browser[], version: string | undefined) {
  const { id, name, created_at, environment } = sweeps[0] as AnySweep;
  const numbers = sweeps.map((sweep) => sweep.id) as [number, ...number[]];
  const facts = { sweep: id, sweeps: numbers, name, created_at, environment, browsers: [...browsers] };
  return version === undefined ? facts : { ...facts, version };
}

function documentOf(
  comparison: Comparison,
  { metric, nouns, sweeps, names }: Sides,
  threshold_percent: number,
): SweepsCompared {
  const { browsers_a, browsers_b, occasions: _, together, cells, ...rest } = comparison;
  return {
    ...{ schema: "trilane/sweeps-compared/1", threshold_percent, ...rest },
    metric: (nouns.metric ?? metric) as NonNullable<SweepsCompared["metric"]>,
    a: factsOf(sweeps.a, browsers_a, names?.a),
    b: factsOf(sweeps.b, browsers_b, names?.b),
    ...{ together: [...together], cells: [...cells] },
  };
}

function worseWords(comparison: Comparison, threshold: number, loads: string): string {
  const words = { slower: `slower by more than ${threshold} %`, failing: `${loads} fail more often` };
  return worseOf(comparison)
    .map((judgement) => words[judgement])
    .join(", and ");
}

/** Sets the exit status, or throws where there is no answer. */
function conclude(comparison: Comparison, threshold: number, nouns: Sides["nouns"]): void {
  const { loads, together } = nouns;
  const found = regressionOf(comparison);
  if (found === "shown") process.exitCode = 1;
  else if (found === "unsure")
    throw new UndecidedError(
      `${worseWords(comparison, threshold, loads)}, but with one sweep each it may be the occasion: ${together === undefined ? "" : `${together}, `}name several sweeps of each (1,2,3 4,5,6), or give --occasion-spread`,
    );
  else if (comparison.loads_needed === null)
    throw new UndecidedError("no cell is the same in both sweeps: compare sweeps of the same recordings and links");
  else if (comparison.can_show === "nothing")
    throw new UndecidedError(
      `so few ${loads} cannot show any change: ${comparison.loads_needed} ${loads} of each cell in both sweeps can (--runs)`,
    );
}

function metricLines({ metric, nouns }: Sides): string[] {
  if (nouns.metric !== null) return nouns.metric === "time" ? [] : [`Compared by ${nouns.metric}.`];
  return metric === usualMetric ? [] : [`Compared by ${comparedMetric(metric).noun}, not by the page load time.`];
}

const loadsOf = (side: readonly Run[]) => side.flatMap(({ loads }) => loads);

/** Page loads of the results that a word names. */
function harsOf(word: string, home: string, loads: readonly number[]): PageLoad[] {
  using results = openNamed(word, home).results;
  return loads.map((load) => results.harOf(load));
}

type StoredComparison = Pick<CompareOptions, "a" | "b" | "threshold" | "occasion-spread" | "metric" | "json"> &
  Partial<GateOptions>;

/** Prints what stored sweeps come to, and sets the exit status, or throws where there is no answer. */
export async function compareStored(options: StoredComparison, home: string): Promise<void> {
  const { threshold, "occasion-spread": spread, json } = options;
  const sides = await sidesOf(options, { home, comparedSweep });
  const { nouns } = sides;
  const terms = {
    threshold_percent: threshold,
    isInterleaved: sides.names !== undefined,
    occasionSpread_percent: spread ?? null,
  };
  const comparison = compareRuns(sides.a, sides.b, terms);
  if (comparison.cells.length === 0)
    throw new UserError(`the two sweeps have no ${nouns.place} in common: compare two of one plan`);
  const { junit, markdown, budget } = options;
  const budgets = await writeGate(
    { junit, markdown, budget, "report-link": options["report-link"] },
    {
      ...{
        comparison,
        threshold_percent: threshold,
        ...{ metric: sides.metricNoun, nouns },
        a: sides.a,
        b: sides.b,
      },
      hars: (side, loads) => (sides.hasRequests ? harsOf(sides.words[side], home, loads) : []),
    },
  );
  const [first] = sides.sweeps.a;
  if (json) printJson(documentOf(comparison, sides, threshold));
  else
    printLines([
      ...comparisonLines(comparison, threshold, sides.names, nouns),
      ...(first && sides.of === "browsers" ? browsersAgreeLines(sides.a, sides.b, first.seed) : []),
      ...metricLines(sides),
      ...busyLines(loadsOf(sides.a), loadsOf(sides.b)),
      ...budgetLines(budgets),
    ]);
  refuseExceeded(budgets);
  conclude(comparison, threshold, nouns);
  if (!process.exitCode) refuseNotShown(budgets);
}

const ofInterleaved = [
  ...(["page", "link", "lanes", "runs", "timeout", "settle"] as const),
  ...(["as", "tolerance", "retry-for"] as const),
];

/** Loads both versions, and judges the sweep; the same again resumes it. */
async function runInterleaved(options: CompareOptions, home: string, house: House): Promise<void> {
  const { b, json } = options;
  const { pageSource, report, plannedPages } = house;
  if (b === undefined)
    throw new UserError("--interleaved: name both versions: two pages, or with --page two links or browsers");
  const source = await pageSource();
  if (options["dry-run"]) {
    const { plan, unstored } = await unstoredInterleavedPlan(home, source, { ...options, b });
    const { document, lines } = await plannedPages(home, plan, source, unstored);
    return printPlanned(json, document, lines);
  }
  const plan = await interleavedPlan(home, source, { ...options, b });
  await executePages({
    ...{ home, plan, source, report, fresh: options.new, json, published: publishedSentences },
    conclude: (sweep) => compareStored({ ...options, a: String(sweep), b: undefined }, home),
  });
}

function refuseRunOptions(options: CompareOptions): void {
  const given =
    (["new", "dry-run"] as const).find((name) => options[name]) ??
    ofInterleaved.find((name) => options[name] !== undefined);
  if (given) throw new UserError(`--${given}: is for loads that are still to be run: give --interleaved too`);
}

export const command: Command<CompareOptions> = {
  usage: "compare <a> [b]",
  summary: "Compare two sweeps: what became slower or faster? Exit status 1: slower, or loads fail; 3: undecided",
  define,
  run: async (options, house) => {
    const home = homeFolder(options.home);
    checkGate(options);
    if (options.interleaved) return await runInterleaved(options, home, house);
    refuseRunOptions(options);
    await compareStored(options, home);
  },
};
