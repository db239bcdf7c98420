// `--quiet`, `--status` and `--verbose` of `race` and `sweep`: how much is said on the way. Words to progress_log.ts's.

import { UserError } from "../../base/errors.ts";
import { flag } from "../../base/option.ts";
import type { OptionsOf, OptionTable } from "../../base/option_table.ts";
import type { Verbosity } from "./progress_log.ts";

export type VerbosityOptions = OptionsOf<typeof defineVerbosity>;

export const defineVerbosity = (table: OptionTable<unknown>) =>
  table
    .option("quiet", flag("print nothing until the end unless something is wrong"))
    .option("status", flag("print a line a minute on a terminal too, as in a log", { rare: true }))
    .option("verbose", flag("print a line for each load, run or fetch"));

/** UserError if two are given. */
export function verbosityOf({ quiet, status, verbose }: VerbosityOptions): Verbosity | undefined {
  if (Number(quiet) + Number(status) + Number(verbose) > 1)
    throw new UserError("--quiet, --status and --verbose exclude each other: give one of them");
  if (quiet) return "quiet";
  if (verbose) return "verbose";
  return status ? "status" : undefined;
}
