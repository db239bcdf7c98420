// The options of every command that runs a sweep, whatever it is of: how it begins, ends, and is watched.
import { type Declared, flag } from "../base/option.ts";
import type { OptionsOf, OptionTable } from "../base/option_table.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { defineEnd, earlyEnd } from "../engine/early_end.ts";
import { defineLabs, labsOf } from "../engine/labs.ts";
import type { Verbosity } from "../sweep/progress/progress_log.ts";
import type { CommonOptions } from "./command.ts";

export const newOption = flag("start over instead of resuming an earlier one");

/** `kept`: what each load or run leaves. */
export const evidenceOption = (kept = "load's captures, qlogs, TCP states and reports") =>
  ({ rare: true, describe: `keep each ${kept} in FOLDER` }) as const satisfies Declared;

export const dryRunOption = (shown: string) => flag(`show ${shown}; run nothing`);

/** `shown`: what a dry run shows. `kept`: what each load or run leaves as its evidence. */
export const runOptions = (shown: string, kept?: string) => (table: OptionTable<unknown>) =>
  table
    .with(defineEnd)
    .option("quiet", flag("print nothing until the end unless something is wrong"))
    .option("status", flag("print a line a minute on a terminal too, as in a log", { rare: true }))
    .option("verbose", flag("print a line for each load, run or fetch"))
    .exclude("quiet", "status", "verbose")
    .with(defineLabs)
    .option("evidence", evidenceOption(kept))
    .option("new", newOption)
    .option("dry-run", dryRunOption(shown));

type RunOptions = Omit<OptionsOf<ReturnType<typeof runOptions>>, "dry-run"> & Pick<CommonOptions, "json">;

function verbosityOf({ quiet, status, verbose }: RunOptions): Verbosity | undefined {
  if (quiet) return "quiet";
  if (verbose) return "verbose";
  return status ? "status" : undefined;
}

/** What the options say of a run. Its time begins here. @throws UserError for what is no time or number */
export function runTerms(home: string, options: RunOptions) {
  return {
    home,
    json: options.json,
    fresh: options.new,
    verbosity: verbosityOf(options),
    earlyEnd: earlyEnd(home, options),
    labs: labsOf(options, home),
    evidence: options.evidence,
  };
}

/** A dry run's answer. */
export function printPlanned(json: boolean, document: unknown, lines: readonly string[]): void {
  if (json) printJson(document);
  else printLines(lines);
}
