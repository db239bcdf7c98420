// What a command declares to yargs, written down: its arguments, options and actions. By it words are checked. Parses nothing.
import type { Argv, CommandModule } from "yargs";
import type { Command, CommonOptions } from "./command.ts";
import type { Declared } from "./option.ts";

/** One argument of a command's usage: `<page>`, `[recording..]`. */
export interface Argument {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isMany: boolean;
  readonly describe: string;
}

export interface Declaration {
  /** `recording check`. */
  readonly name: string;
  readonly usage: string;
  readonly arguments: readonly Argument[];
  readonly options: ReadonlyMap<string, Declared>;
  readonly actions: readonly Declaration[];
}

type Module = CommandModule<CommonOptions, CommonOptions>;

/** Takes the calls that `define` makes on yargs, those for its help too, which words are not checked by. A call that it does not know is a TypeError, which a test of all commands finds. */
class Recorder {
  readonly options = new Map<string, Declared>();
  readonly positionals = new Map<string, Declared>();
  readonly actions: Declaration[] = [];
  readonly #name: string;
  usageText: string | null = null;

  constructor(name: string) {
    this.#name = name;
  }

  option(name: string, declared: Declared): this {
    this.options.set(name, declared);
    return this;
  }

  positional(name: string, declared: Declared): this {
    this.positionals.set(name, declared);
    return this;
  }

  group(): this {
    return this;
  }

  hide(): this {
    return this;
  }

  example(): this {
    return this;
  }

  usage(text: string): this {
    this.usageText = text;
    return this;
  }

  epilogue(): this {
    return this;
  }

  command(module: Module): this {
    this.actions.push(declarationOfModule(module, `${this.#name} `));
    return this;
  }
}

function argumentsOf(usage: string, positionals: ReadonlyMap<string, Declared>): Argument[] {
  return [...usage.matchAll(/([<[])([\w-]+)(\.{2,3})?[>\]]/g)].map(([, bracket, name = "", many]) => ({
    name,
    isRequired: bracket === "<",
    isMany: many !== undefined,
    describe: positionals.get(name)?.describe ?? "",
  }));
}

function declarationOfModule({ command, builder }: Module, parent: string): Declaration {
  const usage = String(command);
  const name = `${parent}${usage.split(" ")[0]}`;
  const recorder = new Recorder(name);
  if (typeof builder === "function") void builder(recorder as unknown as Argv<CommonOptions>);
  return {
    name,
    usage: recorder.usageText ?? `trilane ${parent}${usage}`,
    arguments: argumentsOf(usage, recorder.positionals),
    options: recorder.options,
    actions: recorder.actions,
  };
}

export function declarationOf({ usage, define }: Command): Declaration {
  const builder = define as unknown as NonNullable<Module["builder"]>;
  return declarationOfModule({ command: usage, builder, handler: () => {} }, "");
}
