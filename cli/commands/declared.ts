// What a command declares to yargs, written down: its arguments, options, actions and examples. Words are checked by it; help,
// completion and man pages are made from it. Parses nothing.
import type { Argv, CommandModule } from "yargs";
import type { Declared } from "../base/option.ts";
import type { Command, CommonOptions } from "./command.ts";

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
  readonly summary: string;
  readonly arguments: readonly Argument[];
  readonly options: ReadonlyMap<string, Declared>;
  /** Options that are shown under a title of their own. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  readonly actions: readonly Declaration[];
  readonly examples: readonly Example[];
  /** What help ends with; empty for most. */
  readonly epilogue: string;
}

export interface Example {
  readonly command: string;
  readonly meaning: string;
}

type Module = CommandModule<CommonOptions, CommonOptions>;

/** Takes the calls that `define` makes on yargs. A call that it does not know is a TypeError, which a test of all commands finds. */
class Recorder {
  readonly options = new Map<string, Declared>();
  readonly positionals = new Map<string, Declared>();
  readonly groups = new Map<string, readonly string[]>();
  readonly actions: Declaration[] = [];
  readonly examples: Example[] = [];
  epilogueText = "";
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

  group(names: readonly string[], title: string): this {
    this.groups.set(title, names);
    return this;
  }

  /** Still taken, but not shown. */
  hide(name: string): this {
    this.options.set(name, { ...this.options.get(name), hidden: true });
    return this;
  }

  example(command: string, meaning: string): this {
    this.examples.push({ command, meaning });
    return this;
  }

  usage(text: string): this {
    this.usageText = text;
    return this;
  }

  epilogue(text: string): this {
    this.epilogueText = text;
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

function declarationOfModule({ command, describe, builder }: Module, parent: string): Declaration {
  const usage = String(command);
  const name = `${parent}${usage.split(" ")[0]}`;
  const recorder = new Recorder(name);
  if (typeof builder === "function") void builder(recorder as unknown as Argv<CommonOptions>);
  return {
    name,
    usage: recorder.usageText ?? `trilane ${parent}${usage}`,
    summary: String(describe),
    arguments: argumentsOf(usage, recorder.positionals),
    options: recorder.options,
    groups: recorder.groups,
    actions: recorder.actions,
    examples: recorder.examples,
    epilogue: recorder.epilogueText,
  };
}

export function declarationOf({ usage, summary, define }: Command): Declaration {
  const builder = define as unknown as NonNullable<Module["builder"]>;
  return declarationOfModule({ command: usage, describe: summary, builder, handler: () => {} }, "");
}
