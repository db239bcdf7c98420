// `trilane merge SHARDS...`: what the machines of a sweep measured, as one sweep in one file.
import { resolve } from "node:path";
import { number } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { kindOfSweeps } from "../instruments/all.ts";
import type { AnySweep } from "../results/store/results.ts";
import { merge } from "../sweep/cluster/merge.ts";
import { mergedLines } from "../sweep/cluster/words.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .positional("shards", {
      array: true,
      demandOption: true,
      describe: "the cells' files, folders of them, and files of earlier merges",
    })
    .option("out", { default: "merged.db", describe: "the file to write; replaces an earlier merge of the same plan" })
    .option(
      "tolerance",
      number(
        { least: 0, most: 1000, unit: "per cent" },
        { default: 3, describe: "machines whose reference cells differ by up to this many per cent count as equal" },
      ),
    )
    .example("trilane merge study-shards && trilane report merged.db", "the cells of a folder, and their report")
    .example("trilane merge a/*.db b/*.db --out study.db", "files from two clusters");

type MergeOptions = OptionsOf<typeof define>;

/** Also for tests. */
export const cellsIn = (sweep: AnySweep): number => kindOfSweeps(sweep.kind).sharedCells(sweep.plan);

export const command: Command<MergeOptions> = {
  usage: "merge <shards..>",
  summary: "Merge the results of several machines, and report machines that differ from the others",
  define,
  run: async ({ shards, out, tolerance, json }) => {
    const command = ["trilane", ...process.argv.slice(2)];
    const merged = await merge({ words: shards, out: resolve(out), tolerance_percent: tolerance, command, cellsIn });
    if (json) printJson(merged);
    else printLines(mergedLines(merged, kindOfSweeps(merged.kind).attempts));
  },
};
