// What every command shares: the options --home and --json, and the shape of a command module. No command's logic.
import type { Argv, CommandModule } from "yargs";
import { UserError } from "../base/errors.ts";

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

/** As yargs takes it. */
export function moduleOf<Options extends CommonOptions>(
  command: Command<Options>,
): CommandModule<CommonOptions, Options> {
  return {
    command: command.usage,
    describe: command.summary,
    builder: (yargs: Argv<CommonOptions>) => command.define(yargs),
    handler: (options) => command.run(options as unknown as Options),
  };
}

/** What is done for `trilane NAME` where one of its actions was to follow. */
export function nameAnAction(name: string, actions: string): () => never {
  return () => {
    throw new UserError(`${name}: name an action: ${actions}; see \`trilane ${name} --help\``);
  };
}
