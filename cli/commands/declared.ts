// What a command declares, as one document: its name, arguments, options, actions and examples. Parses and prints nothing.
import type { Declared } from "../base/option.ts";
import { type Argument, type DeclaredArgument, type Example, OptionTable } from "../base/option_table.ts";
import type { Command, CommonOptions } from "./command.ts";

export interface Declaration {
  /** `recording check`. */
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly arguments: readonly Argument[];
  readonly options: ReadonlyMap<string, Declared>;
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** Lists of options of which one at most is given. */
  readonly exclusive: readonly (readonly string[])[];
  readonly actions: readonly Declaration[];
  readonly examples: readonly Example[];
  readonly epilogue: string;
}

/** Commands under one title of `trilane --help`. */
export interface Section {
  readonly title: string;
  readonly commands: readonly Declaration[];
}

function argumentsOf(usage: string, positionals: ReadonlyMap<string, DeclaredArgument>): Argument[] {
  return [...usage.matchAll(/([<[])([\w-]+)(\.{2,3})?[>\]]/g)].map(([, bracket, name = "", many]) => ({
    name,
    isRequired: bracket === "<",
    isMany: many !== undefined,
    describe: positionals.get(name)?.describe ?? "",
  }));
}

export function declarationOf(command: Command, parent = ""): Declaration {
  const table = new OptionTable<CommonOptions>();
  command.define(table);
  const name = `${parent}${command.usage.split(" ")[0]}`;
  return {
    name,
    usage: table.usageText ?? `trilane ${parent}${command.usage}`,
    summary: command.summary,
    arguments: argumentsOf(command.usage, table.positionals),
    options: table.options,
    groups: table.groups,
    exclusive: table.exclusive,
    actions: (command.actions ?? []).map((action) => declarationOf(action, `${name} `)),
    examples: table.examples,
    epilogue: table.epilogueText,
  };
}

/** Options that were given another value than they have by themselves. */
export function givenOptions(command: Command, options: object): string[] {
  const values = new Map<string, unknown>(Object.entries(options));
  return [...declarationOf(command).options].flatMap(([name, declared]) => {
    const value = values.get(name);
    const isEmpty = value === undefined || value === false || (Array.isArray(value) && value.length === 0);
    return isEmpty || value === declared.default ? [] : [name];
  });
}
