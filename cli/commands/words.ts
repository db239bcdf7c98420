// Reads a command line's words by what the commands declare: node:util splits them into options and arguments, and each error
// names the option, its value and what is accepted. Pure; what the accepted words mean together is the command's to check.
import { parseArgs } from "node:util";
import { UserError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { type Declared, flag, isWithin, placeholderOf, rangeWords } from "../base/option.ts";
import type { Declaration } from "./declared.ts";

/** Options of every command. */
const commonOptions = {
  home: {
    placeholder: "FOLDER",
    describe: "folder of recordings and results (default: TRILANE_HOME, or the XDG data folder)",
  },
  json: flag("print one JSON document, or events as JSON lines; errors too"),
  debug: flag("show where in the program an error arose", { rare: true }),
} as const satisfies Readonly<Record<string, Declared>>;

/** Those that are answered without running a command; command_line.ts does so. */
const answerOptions = {
  help: { type: "boolean", describe: "show the help" },
  "help-all": { type: "boolean", describe: "show the help with the rare options too" },
  version: { type: "boolean", describe: "show the version" },
} as const satisfies Readonly<Record<string, Declared>>;

export type Answer = keyof typeof answerOptions;

export const plainOptions: Readonly<Record<string, Declared>> = { ...commonOptions, ...answerOptions };

const plainOption = (name: string): Declared | undefined =>
  Object.hasOwn(plainOptions, name) ? plainOptions[name] : undefined;

export const letters: Readonly<Record<string, string>> = { h: "help", V: "version" };

const seeHelp = (name: string): string => `see \`trilane ${name === "" ? "" : `${name} `}--help\``;
function unknown(what: string, meant: string | null, command: string): UserError {
  return new UserError(`${what}: ${meant === null ? "" : `did you mean ${meant}? `}${seeHelp(command)}`);
}

/** `1.2, 1.3 or both`. */
function listed(choices: readonly unknown[], word: "and" | "or" = "or"): string {
  return choices.length < 2 ? choices.join("") : `${choices.slice(0, -1).join(", ")} ${word} ${choices.at(-1)}`;
}

/** What an option accepts, as far as it is declared; null: any text. */
function accepted({ range, choices, orMatching }: Declared): string | null {
  if (range) return rangeWords(range);
  return choices ? listed([...choices, ...(orMatching ? [orMatching.words] : [])]) : null;
}

function checkValue(name: string, declared: Declared, value: string): void {
  const { range, choices, orMatching } = declared;
  const isChosen = !choices || choices.includes(value) || (orMatching?.pattern.test(value) ?? false);
  const isAccepted = (!range || isWithin(range, value)) && isChosen;
  if (!isAccepted) throw new UserError(`--${name}: must be ${accepted(declared)} (got ${JSON.stringify(value)})`);
}

type Token = NonNullable<ReturnType<typeof parseArgs>["tokens"]>[number];
type OptionToken = Extract<Token, { kind: "option" }>;

/** Splits words by the options that may stand there. The list's other words are arguments to it. */
function tokensOf(words: readonly string[], options: ReadonlyMap<string, Declared>): Token[] {
  const letterOf = new Map(Object.entries(letters).map(([letter, name]) => [name, letter]));
  const config = Object.entries(plainOptions)
    .concat([...options])
    .map(([name, { type }]) => {
      const short = letterOf.get(name);
      return [
        name,
        { type: type === "boolean" ? "boolean" : "string", ...(short === undefined ? {} : { short }) },
      ] as const;
    });
  return parseArgs({
    ...{ args: [...words], options: Object.fromEntries(config) },
    ...{ strict: false, allowPositionals: true, tokens: true },
  }).tokens;
}

type Value = string | number | boolean | readonly string[];

export interface Read {
  /** What the words name; null if no command. */
  readonly command: Declaration | null;
  /** What is to be printed instead of running the command. */
  readonly answer: Answer | null;
  /** What the command gets: options and arguments by name, with their defaults, and what follows `--` under that name. */
  readonly values: Readonly<Record<string, unknown>>;
}

class Reader {
  readonly #commands: readonly Declaration[];
  readonly #words: readonly string[];
  /** What follows `--`. */
  readonly #rest: readonly string[];
  readonly #given = new Map<string, Value>();
  readonly #arguments: string[] = [];
  #tokens: readonly Token[];
  #at = 0;
  /** The last word that went to an option of many words, and may have been meant for the command. */
  #listTook: { readonly name: string; readonly last: string } | null = null;
  #command: Declaration | null = null;

  constructor(commands: readonly Declaration[], words: readonly string[]) {
    this.#commands = commands;
    const end = words.indexOf("--");
    this.#words = end < 0 ? words : words.slice(0, end);
    this.#rest = end < 0 ? [] : words.slice(end + 1);
    this.#tokens = tokensOf(this.#words, new Map());
  }

  /** UserError for the first word that cannot be taken. */
  read(): Read {
    for (let token = this.#tokens[this.#at]; token; token = this.#tokens[this.#at]) {
      this.#at++;
      if (token.kind === "option") this.#option(token);
      else if (token.kind === "positional") this.#bareWord(token.value);
    }
    const answer = (["version", "help-all", "help"] as const).find((name) => this.#given.has(name)) ?? null;
    if (!answer) this.#refuseMissing();
    if (!answer) this.#refuseTogether();
    return { command: this.#command, answer, values: this.#values() };
  }

  /** The commands or actions of which the next word is to name one. */
  #choices(): readonly Declaration[] {
    return this.#command ? this.#command.actions : this.#commands;
  }

  #bareWord(word: string): void {
    const choices = this.#choices();
    if (choices.length === 0) return void this.#arguments.push(word);
    const parent = this.#command?.name ?? "";
    const names = choices.map(({ name }) => name.split(" ").at(-1) ?? name);
    const found = choices[names.indexOf(word)];
    if (!found) {
      const what =
        parent === "" ? `no command ${JSON.stringify(word)}` : `${parent}: no action ${JSON.stringify(word)}`;
      throw unknown(what, nearest(word, names) ?? (parent === "" ? null : listed(names)), parent);
    }
    this.#command = found;
    // What follows is split by the options of the command; what went before is the same.
    this.#tokens = tokensOf(this.#words, found.options);
  }

  #option(token: OptionToken): void {
    const { name, declared, negated } = this.#declared(token);
    if (this.#given.has(name) && !declared.array)
      throw new UserError(`--${name} is given more than once: give it once`);
    this.#given.set(name, this.#valueOf(token, name, declared, negated));
  }

  #valueOf(token: OptionToken, name: string, declared: Declared, negated: boolean): Value {
    if (declared.type === "boolean") return switchValue(negated ? `no-${name}` : name, token, negated);
    const { value, inlineValue } = token;
    // parseArgs takes the next word whatever it is. An option is none, a negative number is one.
    if (value === undefined || (!inlineValue && /^-[^\d]/.test(value)) || value === "")
      throw new UserError(
        `--${name}: a value is missing: give ${accepted(declared) ?? `${placeholderOf(name, declared) ?? "one"} (see --help)`}`,
      );
    checkValue(name, declared, value);
    if (declared.array) return this.#list(name, declared, value);
    return declared.type === "number" ? Number(value) : value;
  }

  /** All words that follow are the list's, too, unless it takes one at a time. */
  #list(name: string, declared: Declared, first: string): readonly string[] {
    const before = this.#given.get(name);
    const words = [...(Array.isArray(before) ? (before as string[]) : []), first];
    if (declared.nargs === 1) return words;
    for (let token = this.#tokens[this.#at]; token?.kind === "positional"; token = this.#tokens[++this.#at]) {
      checkValue(name, declared, token.value);
      words.push(token.value);
    }
    this.#listTook = { name, last: words.at(-1) ?? first };
    return words;
  }

  #declared({ name, rawName, index }: OptionToken): { name: string; declared: Declared; negated: boolean } {
    const options = this.#command?.options ?? new Map<string, Declared>();
    const find = (name: string): Declared | undefined => options.get(name) ?? plainOption(name);
    const isLong = rawName.startsWith("--");
    const known = isLong || letters[rawName.slice(1)] === name ? find(name) : undefined;
    if (known) return { name, declared: known, negated: false };
    const positive = name.replace(/^no-/, "");
    const denied = isLong && positive !== name ? find(positive) : undefined;
    if (denied?.type === "boolean") return { name: positive, declared: denied, negated: true };
    throw this.#noOption(isLong ? rawName : (this.#words[index]?.replace(/=.*/s, "") ?? rawName), options);
  }

  #noOption(written: string, options: ReadonlyMap<string, Declared>): UserError {
    const command = this.#command?.name ?? "";
    const what = `${command === "" ? "" : `${command}: `}no option ${written}`;
    const bare = written.replace(/^--?/, "").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const renamed = [...options].find(([, { formerly }]) => formerly === bare)?.[0];
    const no = bare.startsWith("no-") ? "no-" : "";
    const near = renamed ?? nearest(bare.slice(no.length), [...options.keys(), ...Object.keys(plainOptions)]);
    if (near === null && this.#choices().length > 0)
      return new UserError(`${what} here: options of a command come after it; ${seeHelp(command)}`);
    return unknown(what, near && `--${no}${near}`, command);
  }

  #refuseMissing(): void {
    const command = this.#command;
    if (!command) throw new UserError(`name a command: ${seeHelp("")}`);
    if (command.actions.length > 0) return;
    const { name, arguments: expected, options } = command;
    for (const [index, { name: argument, isRequired, describe }] of expected.entries()) {
      const given = this.#arguments[index];
      if (given === undefined && isRequired)
        throw new UserError(
          this.#listTook
            ? `${name}: <${argument}> is missing, --${this.#listTook.name} took ${JSON.stringify(this.#listTook.last)}: write <${argument}> before --${this.#listTook.name}; ${seeHelp(name)}`
            : `${name}: <${argument}> is missing: ${describe}; ${seeHelp(name)}`,
        );
      if (given === "") throw new UserError(`${name}: <${argument}> is empty: ${describe}; ${seeHelp(name)}`);
    }
    const extra = expected.some(({ isMany }) => isMany) ? undefined : this.#arguments[expected.length];
    if (extra !== undefined)
      throw new UserError(
        `${name}: ${JSON.stringify(extra)} is one word too many: the form is \`${command.usage}\`; ${seeHelp(name)}`,
      );
    const missing = [...options].find(([option, { demandOption }]) => demandOption && !this.#given.has(option));
    if (missing)
      throw new UserError(`${name}: --${missing[0]} is missing: ${missing[1].describe ?? "give it"}; ${seeHelp(name)}`);
  }

  #refuseTogether(): void {
    for (const names of this.#command?.exclusive ?? []) {
      const given = names.filter((name) => (this.#given.get(name) ?? false) !== false).map((name) => `--${name}`);
      if (given.length > 1) throw new UserError(`${listed(given, "and")} exclude each other: give one of them`);
    }
  }

  #values(): Record<string, unknown> {
    const { options = new Map<string, Declared>(), arguments: named = [] } = this.#command ?? {};
    const declared = [...Object.entries<Declared>(commonOptions), ...options];
    return {
      ...Object.fromEntries(declared.map(([name, { default: usual }]) => [name, this.#given.get(name) ?? usual])),
      ...Object.fromEntries(
        named.map(({ name, isMany }, index) => [name, isMany ? this.#arguments.slice(index) : this.#arguments[index]]),
      ),
      "--": this.#rest,
    };
  }
}

function switchValue(name: string, { value }: OptionToken, negated: boolean): boolean {
  if (value === undefined) return !negated;
  if (negated || (value !== "true" && value !== "false"))
    throw new UserError(`--${name}: takes no value (got ${JSON.stringify(value)}): give it alone, or leave it out`);
  return value === "true";
}

/** UserError for the first word that cannot be taken. */
export function readWords(commands: readonly Declaration[], words: readonly string[]): Read {
  return new Reader(commands, words).read();
}
