// Checks a command line's words before yargs takes them, so that each error names the option, its value and what is accepted.
// Pure; what the accepted words mean together is the command's to check.
import { UserError } from "../base/errors.ts";
import { type Declared, isWithin, rangeWords } from "../base/option.ts";
import type { Declaration } from "./declared.ts";

/** Options of every command. */
export const commonOptions = {
  home: {
    type: "string",
    requiresArg: true,
    placeholder: "FOLDER",
    describe: "folder of recordings and results (default: TRILANE_HOME, or the XDG data folder)",
  },
  json: { type: "boolean", default: false, describe: "print one JSON document, or events as JSON lines; errors too" },
  debug: { type: "boolean", default: false, rare: true, describe: "show where in the program an error arose" },
} as const satisfies Readonly<Record<string, Declared>>;

/** Those that are answered without running a command; command_line.ts does so. */
const answerOptions = {
  help: { type: "boolean", describe: "show the help" },
  "help-all": { type: "boolean", describe: "show the help with the rare options too" },
  version: { type: "boolean", describe: "show the version" },
} as const satisfies Readonly<Record<string, Declared>>;

export type Answer = keyof typeof answerOptions;

export const plainOptions: Readonly<Record<string, Declared>> = { ...commonOptions, ...answerOptions };

export const letters: Readonly<Record<string, string>> = { h: "help", V: "version" };

/** Edits between two words, a swap of neighbours being one. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, changed, swapped));
    }
  }
  return at(a.length, b.length);
}

/** The known word that was probably meant. */
export function nearest(word: string, known: Iterable<string>): string | null {
  const most = Math.max(1, Math.floor(word.length / 3));
  const near = [...known]
    .map((each) => ({ each, apart: each.startsWith(word) && word.length > 2 ? 1 : distance(word, each) }))
    .filter(({ apart }) => apart <= most)
    .toSorted((a, b) => a.apart - b.apart);
  return near[0]?.each ?? null;
}

const seeHelp = (name: string): string => `see \`trilane ${name === "" ? "" : `${name} `}--help\``;
function unknown(what: string, meant: string | null, command: string): UserError {
  return new UserError(`${what}: ${meant === null ? "" : `did you mean ${meant}? `}${seeHelp(command)}`);
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `1.2, 1.3 or both`. */
function listed(choices: readonly unknown[]): string {
  return choices.length < 2 ? choices.join("") : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}

/** What an option accepts, as far as it is declared; null: any text. */
export function accepted({ range, choices }: Declared): string | null {
  if (range) return rangeWords(range);
  return choices ? listed(choices) : null;
}

function checkValue(name: string, declared: Declared, value: string): void {
  const { range, choices } = declared;
  const isAccepted = (!range || isWithin(range, value)) && (!choices || choices.includes(value));
  if (!isAccepted) throw new UserError(`--${name}: must be ${accepted(declared)} (got ${JSON.stringify(value)})`);
}

// As yargs has it: `-5` is a word like any other, `-5abc` and `-1e5` are options.
const isNumber = (word: string): boolean => /^-(\d+(\.\d+)?|\.\d+)$/.test(word);
const isOption = (word: string): boolean => /^-./.test(word) && !isNumber(word);

/** Whether yargs takes a word that follows an option for its value: with less ado where the option must have one. */
function isTaken(word: string, { array, nargs, requiresArg }: Declared): boolean {
  const mustHave = array !== true && (requiresArg === true || nargs !== undefined);
  return isNumber(word) || !(mustHave ? /^-[^\d]/ : /^-/).test(word);
}

export interface Checked {
  /** What the words name; null if no command. */
  readonly command: Declaration | null;
  /** What is to be printed instead of running the command. */
  readonly answer: Answer | null;
}

class Checker {
  readonly #commands: readonly Declaration[];
  readonly #words: readonly string[];
  readonly #seen = new Set<string>();
  readonly #arguments: string[] = [];
  #at = 0;
  /** The last word that went to an option of many words, and may have been meant for the command. */
  #listTook: { readonly name: string; readonly last: string } | null = null;
  #command: Declaration | null = null;

  constructor(commands: readonly Declaration[], words: readonly string[]) {
    this.#commands = commands;
    const end = words.indexOf("--");
    this.#words = end < 0 ? words : words.slice(0, end);
  }

  /** UserError for the first word that cannot be taken. */
  check(): Checked {
    while (this.#at < this.#words.length) {
      const word = this.#words[this.#at++] ?? "";
      if (isOption(word)) this.#option(word);
      else this.#bareWord(word);
    }
    const answer = (["version", "help-all", "help"] as const).find((name) => this.#seen.has(name)) ?? null;
    if (!answer) this.#refuseMissing();
    return { command: this.#command, answer };
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
  }

  #option(word: string): void {
    const equals = word.indexOf("=");
    const written = equals < 0 ? word : word.slice(0, equals);
    const value = equals < 0 ? null : word.slice(equals + 1);
    const { name, declared, negated } = this.#declared(written);
    const isList = declared.array === true;
    if (this.#seen.has(name) && !isList) throw new UserError(`--${name} is given more than once: give it once`);
    this.#seen.add(name);
    if (declared.type === "boolean") this.#checkSwitch(negated ? `no-${name}` : name, value, negated);
    else this.#checkGiven(name, declared, value);
  }

  #checkGiven(name: string, declared: Declared, value: string | null): void {
    const given = value ?? this.#next(declared);
    if (given === null || (given === "" && (declared.range ?? declared.choices)))
      throw new UserError(`--${name}: a value is missing: give ${accepted(declared) ?? declared.describe ?? "one"}`);
    checkValue(name, declared, given);
    // yargs takes all words that follow for the list's.
    if (!declared.array || declared.nargs === 1) return;
    for (let last: string | null = given; last !== null; last = this.#next(declared)) this.#listTook = { name, last };
  }

  #declared(written: string): { name: string; declared: Declared; negated: boolean } {
    const options = this.#command?.options ?? new Map<string, Declared>();
    const find = (name: string): Declared | undefined => options.get(name) ?? plainOptions[name];
    const bare = kebab(written.replace(/^--?/, ""));
    const name = written.startsWith("--") ? bare : letters[written.slice(1)];
    const known = name === undefined ? undefined : find(name);
    if (name !== undefined && known) return { name, declared: known, negated: false };
    const positive = kebab(written.replace(/^--no-/, ""));
    const denied = written.startsWith("--no-") ? find(positive) : undefined;
    if (denied?.type === "boolean") return { name: positive, declared: denied, negated: true };
    throw this.#noOption(written, bare, options);
  }

  #noOption(written: string, bare: string, options: ReadonlyMap<string, Declared>): UserError {
    const command = this.#command?.name ?? "";
    const what = `${command === "" ? "" : `${command}: `}no option ${written}`;
    const renamed = [...options].find(([, { formerly }]) => formerly === bare)?.[0];
    const no = bare.startsWith("no-") ? "no-" : "";
    const near = renamed ?? nearest(bare.slice(no.length), [...options.keys(), ...Object.keys(plainOptions)]);
    if (near === null && this.#choices().length > 0)
      return new UserError(`${what} here: options of a command come after it; ${seeHelp(command)}`);
    return unknown(what, near && `--${no}${near}`, command);
  }

  #checkSwitch(name: string, value: string | null, negated: boolean): void {
    if (value === null) {
      if (!negated && ["true", "false"].includes(this.#words[this.#at] ?? "")) this.#at++;
    } else if (negated || (value !== "true" && value !== "false"))
      throw new UserError(`--${name}: takes no value (got ${JSON.stringify(value)}): give it alone, or leave it out`);
  }

  #next(declared: Declared): string | null {
    const word = this.#words[this.#at];
    if (word === undefined || !isTaken(word, declared)) return null;
    this.#at++;
    return word;
  }

  #refuseMissing(): void {
    const command = this.#command;
    if (!command) throw new UserError(`name a command: ${seeHelp("")}`);
    if (command.actions.length > 0) return;
    const { name, arguments: asked, options } = command;
    for (const [index, { name: argument, isRequired, describe }] of asked.entries()) {
      const given = this.#arguments[index];
      if (given === undefined && isRequired)
        throw new UserError(
          this.#listTook
            ? `${name}: <${argument}> is missing, --${this.#listTook.name} took ${JSON.stringify(this.#listTook.last)}: write <${argument}> before --${this.#listTook.name}; ${seeHelp(name)}`
            : `${name}: <${argument}> is missing: ${describe}; ${seeHelp(name)}`,
        );
      if (given === "") throw new UserError(`${name}: <${argument}> is empty: ${describe}; ${seeHelp(name)}`);
    }
    const extra = asked.some(({ isMany }) => isMany) ? undefined : this.#arguments[asked.length];
    if (extra !== undefined)
      throw new UserError(
        `${name}: ${JSON.stringify(extra)} is one word too many: the form is \`${command.usage}\`; ${seeHelp(name)}`,
      );
    const missing = [...options].find(([option, { demandOption }]) => demandOption && !this.#seen.has(option));
    if (missing)
      throw new UserError(`${name}: --${missing[0]} is missing: ${missing[1].describe ?? "give it"}; ${seeHelp(name)}`);
  }
}

/** What yargs refuses after all, in its own words; an error of a command stays as it is. */
export function refusalOf(message: string | null, error: Error | undefined): Error {
  return error && error.name !== "YError" ? error : new UserError(message ?? error?.message ?? "cannot be taken");
}

/** UserError for the first word that cannot be taken. */
export function checkWords(commands: readonly Declaration[], words: readonly string[]): Checked {
  return new Checker(commands, words).check();
}
