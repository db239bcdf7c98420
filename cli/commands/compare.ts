// `trilane compare A B`: what became slower or faster from one sweep, or several, to another; `compare --interleaved A B` loads two
// versions alternately first. What is judged is cli/results/compare's. Exit status 0: nothing became worse; 1: something became
// slower by more than the threshold, or fails more often; 3: nothing can be said of any cell, or something became worse and may be so
// by its occasion. With --budget also 1, if the later version exceeds one. Cells of which alone nothing can be told do not change the status: a line counts them.

import { existsSync } from "node:fs";
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import type { SweepsCompared } from "../../schemas/generated/sweeps_compared.ts";
import { UndecidedError, UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { usualRuns } from "../base/interval.ts";
import { number } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { executePages } from "../instruments/page/run/instrument.ts";
import { browsersAgreeLines } from "../results/compare/browsers_agree.ts";
import { compareRuns } from "../results/compare/compare.ts";
import { type Comparison, regressionOf, worseOf } from "../results/compare/comparison.ts";
import type { Run, SideNames } from "../results/compare/interleaved.ts";
import { interleavedSides } from "../results/compare/interleaved.ts";
import { busyLines, comparisonLines } from "../results/compare/words.ts";
import { chooseSweep, openNamed } from "../results/export/choose.ts";
import type { Sweep } from "../results/store/results.ts";
import type { Browser } from "../results/verdict/browsers.ts";
import {
  comparedMetric,
  hasNoTime,
  type MetricChoice,
  samplesOf,
  usualMetric,
} from "../results/verdict/compared_metric.ts";
import { defineAs } from "../sweep/plan/as_option.ts";
import { defineDisturbance } from "../sweep/plan/disturbance_option.ts";
import { type InterleavedWords, interleavedPlan, usualLink } from "../sweep/plan/interleaved_plan.ts";
import { defineStoredMetric, type MetricOptions, metricOf } from "../sweep/plan/metric_option.ts";
import { planRange } from "../sweep/plan/plan_range.ts";
import { type Command, type CommonOptions, essentials, type House } from "./command.ts";
import {
  budgetLines,
  checkGate,
  defineGate,
  type GateOptions,
  gateOptions,
  refuseExceeded,
  writeGate,
} from "./gate_files.ts";

interface CompareOptions extends CommonOptions, GateOptions, MetricOptions, Omit<InterleavedWords, "b"> {
  b: string | undefined;
  threshold: number;
  "occasion-spread": number | undefined;
  interleaved: boolean;
  new: boolean;
}

interface Occasion extends Run {
  readonly sweep: Sweep;
  /** As it was named. */
  readonly word: string;
}

/** `3`, `old.db#3`, or several of these with commas between them. */
function occasionsOf(word: string, home: string): Occasion[] {
  const words = existsSync(word) ? [word] : word.split(",");
  return words.map((each) => {
    const word = each.trim();
    const { results, asked } = openNamed(word, home);
    try {
      const sweep = chooseSweep(results, asked);
      return { sweep, word, cells: results.cellsOf(sweep.id), loads: results.loadsOf(sweep.id) };
    } finally {
      results.close();
    }
  });
}

/** What is asked for, or else what all of the sweeps ran for. */
function metricFor(asked: MetricChoice | undefined, occasions: readonly Occasion[]): MetricChoice {
  const [first, ...others] = new Set(occasions.map(({ sweep }) => sweep.plan.metric));
  return asked ?? (others.length === 0 ? first : undefined) ?? usualMetric;
}

/** By the metric. A load without it did not fail: it is in no comparison. */
const byMetric =
  (metric: MetricChoice) =>
  (occasion: Occasion): Occasion => ({
    ...occasion,
    loads: samplesOf(occasion.loads, metric).filter((load) => !hasNoTime(load, metric)),
  });

/** Sweeps of earlier versions may have been dilated; what that left undilated would be taken for a change. */
function refuseOtherDilation(occasions: readonly Occasion[]): void {
  const [a] = occasions.map(({ sweep }) => sweep);
  const other = occasions.find(({ sweep }) => (sweep.plan.dilate ?? 1) !== (a?.plan.dilate ?? 1))?.sweep;
  if (!a || !other) return;
  const words = (dilation = 1): string => (dilation === 1 ? "in undilated time" : `in time dilated ${dilation} times`);
  const [ofA, ofB] = [a.plan.dilate ?? 1, other.plan.dilate ?? 1];
  throw new UserError(
    `sweep ${a.id} ran ${words(ofA)}, sweep ${other.id} ${words(ofB)}: run the dilated one again, undilated`,
  );
}

interface Sides {
  readonly metric: MetricChoice;
  readonly a: readonly Run[];
  readonly b: readonly Run[];
  readonly sweeps: { readonly a: readonly Sweep[]; readonly b: readonly Sweep[] };
  /** The first of each side, as it was named. */
  readonly words: { readonly a: string; readonly b: string };
  /** Of sweeps that alternated two versions. */
  readonly names?: SideNames;
}

/** The two versions of each sweep. */
function versionsOf(occasions: readonly Occasion[]): Omit<Sides, "metric" | "words"> {
  const found = occasions.map(({ sweep, cells, loads }) => {
    const sides = interleavedSides(sweep, cells, loads);
    if (sides) return sides;
    throw new UserError(
      `sweep ${sweep.id} did not alternate two versions: name the sweep to compare it with, or run \`trilane compare --interleaved\``,
    );
  });
  const sweeps = occasions.map(({ sweep }) => sweep);
  const [first] = found;
  return {
    ...{ a: found.map(({ a }) => a), b: found.map(({ b }) => b), sweeps: { a: sweeps, b: sweeps } },
    ...(first ? { names: first.names } : {}),
  };
}

function sidesOf({ a, b, metric: asked }: Pick<CompareOptions, "a" | "b" | "metric">, home: string): Sides {
  const stored = { before: occasionsOf(a, home), after: b === undefined ? [] : occasionsOf(b, home) };
  const all = [...stored.before, ...stored.after];
  refuseOtherDilation(all);
  const metric = metricFor(asked, all);
  const [before, after] = [stored.before.map(byMetric(metric)), stored.after.map(byMetric(metric))];
  const [word = ""] = before.map((each) => each.word);
  const words = { a: word, b: after[0]?.word ?? word };
  if (b === undefined) return { metric, words, ...versionsOf(before) };
  const sweepsOf = (side: readonly Occasion[]): Sweep[] => side.map(({ sweep }) => sweep);
  return { metric, words, a: before, b: after, sweeps: { a: sweepsOf(before), b: sweepsOf(after) } };
}

function factsOf(sweeps: readonly Sweep[], browsers: readonly Browser[], version: string | undefined) {
  const { id, name, created_at, environment } = sweeps[0] as Sweep;
  const numbers = sweeps.map((sweep) => sweep.id) as [number, ...number[]];
  const facts = { sweep: id, sweeps: numbers, name, created_at, environment, browsers: [...browsers] };
  return version === undefined ? facts : { ...facts, version };
}

function documentOf(
  comparison: Comparison,
  { metric, sweeps, names }: Sides,
  threshold_percent: number,
): SweepsCompared {
  const { browsers_a, browsers_b, occasions: _, together, cells, ...rest } = comparison;
  return {
    ...{ schema: "trilane/sweeps-compared/1", metric, threshold_percent, ...rest },
    a: factsOf(sweeps.a, browsers_a, names?.a),
    b: factsOf(sweeps.b, browsers_b, names?.b),
    ...{ together: [...together], cells: [...cells] },
  };
}

function worseWords(comparison: Comparison, threshold: number): string {
  const words = { slower: `slower by more than ${threshold} %`, failing: "loads fail more often" };
  return worseOf(comparison)
    .map((judgement) => words[judgement])
    .join(", and ");
}

/** Sets the exit status, or throws where there is no answer. */
function conclude(comparison: Comparison, threshold: number): void {
  const found = regressionOf(comparison);
  if (found === "shown") process.exitCode = 1;
  else if (found === "unsure")
    throw new UndecidedError(
      `${worseWords(comparison, threshold)}, but with one sweep each it may be the occasion: run \`trilane compare --interleaved\`, name several sweeps of each (1,2,3 4,5,6), or give --occasion-spread`,
    );
  else if (comparison.loads_needed === null)
    throw new UndecidedError("no cell is the same in both sweeps: compare sweeps of the same recordings and links");
  else if (comparison.can_show === "nothing")
    throw new UndecidedError(
      `so few loads cannot show any change: load each cell ${comparison.loads_needed} times in both sweeps (--runs)`,
    );
}

const metricLines = (metric: MetricChoice): string[] =>
  metric === usualMetric ? [] : [`Compared by ${comparedMetric(metric).noun}, not by the page load time.`];

const loadsOf = (side: readonly Run[]) => side.flatMap(({ loads }) => loads);

/** Page loads of the results that a word names. */
function harsOf(word: string, home: string, loads: readonly number[]): PageLoad[] {
  const { results } = openNamed(word, home);
  try {
    return loads.map((load) => results.harOf(load));
  } finally {
    results.close();
  }
}

export type StoredComparison = Pick<CompareOptions, "a" | "b" | "threshold" | "occasion-spread" | "metric" | "json"> &
  Partial<GateOptions>;

/** Prints what stored sweeps come to, and sets the exit status, or throws where there is no answer. */
export async function compareStored(options: StoredComparison, home: string): Promise<void> {
  const { threshold, "occasion-spread": spread, json } = options;
  const sides = sidesOf(options, home);
  const terms = {
    threshold_percent: threshold,
    isInterleaved: sides.names !== undefined,
    occasionSpread_percent: spread ?? null,
  };
  const comparison = compareRuns(sides.a, sides.b, terms);
  if (comparison.cells.length === 0)
    throw new UserError("the two sweeps have no page, link and lane in common: compare two of one plan");
  const { junit, markdown, budget } = options;
  const budgets = await writeGate(
    { junit, markdown, budget, "report-link": options["report-link"] },
    {
      ...{
        comparison,
        threshold_percent: threshold,
        metric: comparedMetric(sides.metric).noun,
        a: sides.a,
        b: sides.b,
      },
      hars: (side, loads) => harsOf(sides.words[side], home, loads),
    },
  );
  const [first] = sides.names ? sides.sweeps.a : [];
  const isOfBrowsers = first?.plan.interleaved?.of === "browsers";
  if (json) printJson(documentOf(comparison, sides, threshold));
  else
    printLines([
      ...comparisonLines(comparison, threshold, sides.names),
      ...(first && isOfBrowsers ? browsersAgreeLines(sides.a, sides.b, first.seed) : []),
      ...metricLines(sides.metric),
      ...busyLines(loadsOf(sides.a), loadsOf(sides.b)),
      ...budgetLines(budgets),
    ]);
  refuseExceeded(budgets);
  conclude(comparison, threshold);
}

const ofInterleaved = [
  ...(["page", "link", "lanes", "runs", "timeout", "settle"] as const),
  ...(["as", "tolerance", "retry-for"] as const),
];

/** Loads both versions, and judges the sweep; the same again resumes it. */
async function runInterleaved(options: CompareOptions, home: string, { pageSource, report }: House): Promise<void> {
  const { b, json } = options;
  if (b === undefined)
    throw new UserError("--interleaved: name both versions: two pages, or with --page two links or browsers");
  const source = await pageSource();
  const plan = { ...(await interleavedPlan(home, source, { ...options, b })), ...metricOf(options) };
  await executePages({
    ...{ home, plan, source, report, fresh: options.new, json },
    conclude: (sweep) => compareStored({ ...options, a: String(sweep), b: undefined }, home),
  });
}

function refuseRunOptions(options: CompareOptions): void {
  const given = options.new ? "new" : ofInterleaved.find((name) => options[name] !== undefined);
  if (given) throw new UserError(`--${given}: is for loads that are still to be run: give --interleaved too`);
}

export const command: Command<CompareOptions> = {
  usage: "compare <a> [b]",
  summary: "Compare two sweeps: what became slower or faster? Exit status 1: slower, or loads fail; 3: undecided",
  define: (table) =>
    defineGate(defineStoredMetric(defineAs(defineDisturbance(table))))
      .positional("a", {
        type: "string",
        demandOption: true,
        describe:
          "the earlier sweep: a number, a results file or a data folder (old.db, old.db#3); several with commas (1,2,3)",
      })
      .positional("b", {
        type: "string",
        describe: "the later one, or several; omit for a sweep of --interleaved",
      })
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
      .option("interleaved", {
        type: "boolean",
        default: false,
        describe:
          "load A and B alternately in one sweep, then compare them: two pages, or with --page two links or browsers",
      })
      .option("page", {
        type: "string",
        describe: "the page to load over links, or in browsers, A and B",
      })
      .option("link", { type: "string", describe: `the bottleneck (default: ${usualLink})` })
      .option("lanes", {
        type: "string",
        describe: "lanes, separated by commas (default: h1,h2,h3)",
      })
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
      .option("new", {
        type: "boolean",
        default: false,
        describe: "start over instead of resuming the same comparison",
      })
      .group(["threshold", "interleaved", "occasion-spread"], essentials)
      .group([...ofInterleaved, "compute", "new"], "With --interleaved:")
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
          "  3  too few loads to show any change; or something became worse, and each side",
          "     is one sweep, which cannot tell a change from its occasion (machine, day)",
        ].join("\n"),
      ),
  run: async (options, house) => {
    const home = homeFolder(options.home);
    checkGate(options);
    if (options.interleaved) return await runInterleaved(options, home, house);
    refuseRunOptions(options);
    await compareStored(options, home);
  },
};
