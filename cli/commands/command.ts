// What every command shares: the options --home and --json, and the shape of a command module. No command's logic.
import type { Argv } from "yargs";

export interface CommonOptions {
  home: string | undefined;
  json: boolean;
}

/** A command of `trilane`: `define` adds its options and examples, `run` does the work and throws UserError or RunError. */
export interface Command<Options extends CommonOptions = CommonOptions> {
  /** yargs command string, e.g. `race <page>`. */
  readonly usage: string;
  /** One line for `trilane --help`. */
  readonly summary: string;
  define(yargs: Argv<CommonOptions>): Argv<Options>;
  run(options: Options): Promise<void>;
}
