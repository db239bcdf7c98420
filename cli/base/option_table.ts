// The table of what a command line may say: a command's arguments, options, groups and examples, each declared once. Words are
// parsed by it (commands/words.ts); help, completion and manual pages are made from it. Plain data: it parses nothing.
import type { Declared } from "./option.ts";

/** One argument of a command's usage: `<page>`, `[recording..]`. */
export interface Argument {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isMany: boolean;
  readonly describe: string;
}

export interface Example {
  readonly command: string;
  readonly meaning: string;
}

/** What `positional` takes. */
export interface DeclaredArgument {
  readonly describe: string;
  readonly array?: boolean;
  readonly demandOption?: boolean;
}

type One<D> = D extends { choices: readonly (infer Choice)[] }
  ? D extends { orMatching: object }
    ? string
    : Choice
  : D extends { type: "boolean" }
    ? boolean
    : D extends { type: "number" }
      ? number
      : string;

/** The value of an argument as a command gets it: of many words a list, which may be empty. */
type WordsOf<D> = D extends { array: true } ? string[] : D extends { demandOption: true } ? string : string | undefined;

/** The value of an option as a command gets it. */
export type ValueOf<D> =
  | (D extends { array: true } ? One<D>[] : One<D>)
  | (D extends { demandOption: true } | { default: NonNullable<unknown> } ? never : undefined);

/** The words as a command gets them, by the function that defines them. */
export type OptionsOf<Define extends (...given: never[]) => OptionTable<unknown>> = ReturnType<Define>["values"];

export class OptionTable<out Values> {
  /** Only for the compiler: what a parsed command line holds. */
  declare readonly values: Values;
  readonly options = new Map<string, Declared>();
  /** Options that help shows under a title of their own. */
  readonly groups = new Map<string, readonly string[]>();
  /** Options of which one at most is given. */
  readonly exclusive: (readonly string[])[] = [];
  readonly positionals = new Map<string, DeclaredArgument>();
  readonly examples: Example[] = [];
  /** What help ends with; empty for most. */
  epilogueText = "";
  /** In place of the command's own form. */
  usageText: string | null = null;

  option<Name extends string, const D extends Declared>(
    name: Name,
    declared: D,
  ): OptionTable<Values & Record<Name, ValueOf<D>>> {
    this.options.set(name, declared);
    return this as unknown as OptionTable<Values & Record<Name, ValueOf<D>>>;
  }

  positional<Name extends string, const D extends DeclaredArgument>(
    name: Name,
    declared: D,
  ): OptionTable<Values & Record<Name, WordsOf<D>>> {
    this.positionals.set(name, declared);
    return this as unknown as OptionTable<Values & Record<Name, WordsOf<D>>>;
  }

  /** With the options that a room defines for several commands. */
  with<More>(define: (table: OptionTable<unknown>) => OptionTable<More>): OptionTable<Values & More> {
    return define(this) as OptionTable<Values & More>;
  }

  group(names: readonly string[], title: string): this {
    this.groups.set(title, names);
    return this;
  }

  /** One of them at most: a command line with two is refused. */
  exclude(...names: readonly string[]): this {
    this.exclusive.push(names);
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
}
