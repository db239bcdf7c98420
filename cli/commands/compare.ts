// `trilane compare A B`: what became slower or faster from one sweep to another. Exit status 0: nothing
// became worse; 1: something became slower, or fails more often; 3: nothing can be said of any cell. Cells of which alone nothing can
// be told do not change the status: a line counts them.
import type { Argv } from "yargs";
import type { SweepsCompared } from "../../schemas/generated/sweeps_compared.ts";
import { UndecidedError, UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { number } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { compareRuns, isRegression, type Run } from "../results/compare/compare.ts";
import { comparisonLines } from "../results/compare/words.ts";
import { chooseSweep, openNamed } from "../results/export/choose.ts";
import type { Sweep } from "../results/store/results.ts";
import type { Browser } from "../results/verdict/browsers.ts";
import type { Command, CommonOptions } from "./command.ts";

interface CompareOptions extends CommonOptions {
  a: string;
  b: string;
  threshold: number;
}

function read(word: string, home: string): Run & { sweep: Sweep } {
  const { results, asked } = openNamed(word, home);
  try {
    const sweep = chooseSweep(results, asked);
    return { sweep, cells: results.cellsOf(sweep.id), loads: results.loadsOf(sweep.id) };
  } finally {
    results.close();
  }
}

/** What dilation leaves undilated (cli/README.md) would be taken for a change. */
function refuseOtherDilation(a: Sweep, b: Sweep): void {
  const [ofA, ofB] = [a, b].map(({ plan }) => plan.dilate ?? 1);
  if (ofA === ofB) return;
  const words = (dilation = 1): string => (dilation === 1 ? "in undilated time" : `in time dilated ${dilation} times`);
  throw new UserError(
    `sweep ${a.id} ran ${words(ofA)}, sweep ${b.id} ${words(ofB)}: run one of them again with --dilate ${ofB} or ${ofA}`,
  );
}

const factsOf = ({ id, name, created_at, environment }: Sweep, browsers: readonly Browser[]) => ({
  sweep: id,
  name,
  created_at,
  environment,
  browsers: [...browsers],
});

export const command: Command<CompareOptions> = {
  usage: "compare <a> <b>",
  summary:
    "What became slower or faster between two sweeps; exit status 1: slower, or failing; 3: too few loads to tell",
  define: (yargs: Argv<CommonOptions>) =>
    yargs
      .positional("a", {
        type: "string",
        demandOption: true,
        describe: "the earlier sweep: its number, or a file of results or data folder, as old.db or old.db#3",
      })
      .positional("b", { type: "string", demandOption: true, describe: "the later one" })
      .option(
        "threshold",
        number(
          { least: 0, most: 1000, unit: "per cent" },
          {
            default: 5,
            describe: "changes of the page load time of up to so many per cent do not matter",
          },
        ),
      )
      .example("trilane compare 3 5", "two sweeps of the data folder")
      .example("trilane compare old.db new.db --threshold 3", "the newest sweeps of two files, say of two browsers"),
  run: async (options) => {
    const { threshold } = options;
    const home = homeFolder(options.home);
    const [a, b] = [read(options.a, home), read(options.b, home)];
    refuseOtherDilation(a.sweep, b.sweep);
    const comparison = compareRuns(a, b, threshold);
    if (comparison.cells.length === 0)
      throw new UserError("the two sweeps have no page, link and lane in common: compare two of one plan");
    const document: SweepsCompared = {
      schema: "trilane/sweeps-compared/1",
      threshold_percent: threshold,
      a: factsOf(a.sweep, comparison.browsers_a),
      b: factsOf(b.sweep, comparison.browsers_b),
      only_a: comparison.only_a,
      only_b: comparison.only_b,
      tests: comparison.tests,
      can_show: comparison.can_show,
      loads_needed: comparison.loads_needed,
      together: [...comparison.together],
      cells: [...comparison.cells],
    };
    if (options.json) printJson(document);
    else printLines(comparisonLines(comparison, threshold));
    if (isRegression(comparison)) process.exitCode = 1;
    else if (comparison.loads_needed === null)
      throw new UndecidedError("no cell is the same in both sweeps: compare sweeps of the same recordings and links");
    else if (comparison.can_show === "nothing")
      throw new UndecidedError(
        `so few loads cannot show any change: load each cell ${comparison.loads_needed} times in both sweeps (--runs)`,
      );
  },
};
