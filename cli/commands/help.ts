// What `--help` and `--help-all` print, made from what commands declare. Pure; completion and man pages use the same choice of options.

import { type Declared, placeholderOf } from "../base/option.ts";
import type { Example } from "../base/option_table.ts";
import { wrapped } from "../base/wrapped_text.ts";
import { essentials } from "./command.ts";
import type { Declaration, Section } from "./declared.ts";
import { letters, plainOptions } from "./words.ts";

interface OptionGroup {
  readonly title: string;
  readonly options: readonly (readonly [name: string, declared: Declared])[];
}

interface HelpSize {
  readonly columns: number;
  /** With the rare options, and all examples. */
  readonly isAll: boolean;
}

export const programSummary =
  "Races a web page over HTTP/1.1, HTTP/2 and HTTP/3 on an emulated link, and reports which lane wins, by how much and why.";

const fewExamples = 4;
const widestLabel = 30;

/** The options that are shown, by title: essentials, the command's others, its groups, those of every command. */
export function optionGroups(
  { options, groups }: Pick<Declaration, "options" | "groups">,
  isAll: boolean,
): OptionGroup[] {
  const shown = (names: Iterable<string>): OptionGroup["options"] =>
    [...names].flatMap((name) => {
      const declared = options.get(name) ?? plainOptions[name];
      return !declared || declared.hidden || (declared.rare && !isAll) ? [] : [[name, declared] as const];
    });
  const grouped = new Set([...groups.values()].flat());
  const titled = (title: string, names: Iterable<string>): OptionGroup => ({ title, options: shown(names) });
  return [
    titled(essentials, groups.get(essentials) ?? []),
    titled(
      "Options:",
      [...options.keys()].filter((name) => !grouped.has(name)),
    ),
    ...[...groups].filter(([title]) => title !== essentials).map(([title, names]) => titled(title, names)),
    titled("Any command:", Object.keys(plainOptions)),
  ].filter((group) => group.options.length > 0);
}

/** `--link LINK`, `-h, --help`. */
export function optionLabel(name: string, declared: Declared): string {
  const letter = Object.keys(letters).find((each) => letters[each] === name);
  const placeholder = placeholderOf(name, declared);
  const many = declared.array && declared.nargs !== 1 ? "..." : "";
  return `${letter === undefined ? "" : `-${letter}, `}--${name}${placeholder === null ? "" : ` ${placeholder}${many}`}`;
}

/** What an option does, with its default unless the words have it. */
export function optionMeaning({ describe = "", default: usual, choices }: Declared, label: string): string {
  const listed = choices && !label.includes("|") ? `: ${choices.join(", ")}` : "";
  const isSaid = usual === undefined || usual === false || Array.isArray(usual) || describe.includes("(default");
  return `${describe}${listed}${isSaid ? "" : ` (default: ${usual})`}`;
}

/** The further lines of an indented one stand deeper than its first. */
function wrappedAsIndented(line: string, columns: number): string[] {
  const [indent = ""] = /^ */.exec(line) ?? [];
  if (indent === "" || line.length <= columns) return wrapped(line, columns);
  const [first = "", ...more] = wrapped(line.slice(indent.length), columns - indent.length - 4);
  return [`${indent}${first}`, ...more.map((text) => `${indent}    ${text}`)];
}

type Row = readonly [label: string, meaning: string];

/** Two columns; a label that is too wide has a line for itself. */
function table(rows: readonly Row[], columns: number): string[] {
  const fitting = rows.map(([label]) => label.length).filter((length) => length <= widestLabel);
  const width = Math.max(4, ...fitting) + 4;
  return rows.flatMap(([label, meaning]) => {
    const [first = "", ...rest] = wrapped(meaning, columns - width);
    const more = rest.map((line) => `${" ".repeat(width)}${line}`);
    const start = `  ${label}`;
    if (start.length + 2 <= width) return [`${start.padEnd(width)}${first}`, ...more];
    return [start, `${" ".repeat(width)}${first}`, ...more];
  });
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ["", title, ...lines];

function exampleLines(examples: readonly Example[], columns: number): string[] {
  return examples.flatMap(({ command, meaning }) => [
    `  ${command}`,
    ...wrapped(meaning, columns - 6).map((line) => `      ${line}`),
  ]);
}

function optionLines(groups: readonly OptionGroup[], columns: number): string[] {
  const row = ([name, declared]: OptionGroup["options"][number]): Row => {
    const label = optionLabel(name, declared);
    return [label, optionMeaning(declared, label)];
  };
  return groups.flatMap(({ title, options }) => section(title, table(options.map(row), columns)));
}

/** How a command is called, what it does, examples, then its words. */
export function helpOf(command: Declaration, { columns, isAll }: HelpSize): string {
  const { name, usage, summary, examples, actions, epilogue } = command;
  const actionRows = actions.map((action): Row => [action.name.slice(name.length + 1), action.summary]);
  const argumentRows = command.arguments.map((argument): Row => [argument.name, argument.describe]);
  const rare = [...command.options.values()].filter((declared) => declared.rare && !declared.hidden).length;
  return [
    ...wrapped(usage, columns),
    "",
    ...wrapped(summary, columns),
    ...section("Examples:", exampleLines(isAll ? examples : examples.slice(0, fewExamples), columns)),
    ...section("Actions:", table(actionRows, columns)),
    ...section("Arguments:", table(argumentRows, columns)),
    ...optionLines(optionGroups(command, isAll), columns),
    ...(epilogue === "" ? [] : ["", ...epilogue.split("\n").flatMap((line) => wrappedAsIndented(line, columns))]),
    ...(isAll || rare === 0 ? [] : ["", `${rare} more options: trilane ${name} --help-all`]),
  ].join("\n");
}

export const programExamples: readonly Example[] = [
  {
    command: "trilane race https://shop.example/ --link 10mbit/50ms",
    meaning: "record a live page and race it: a table, a verdict and a report",
  },
  { command: "trilane race --help", meaning: "what a command takes, with examples" },
];

const debugTitle = "Debug lines of all programs on standard error, with TRILANE_DEBUG=PART,PART:";

/** `trilane --help`: the commands by what they are for; `debugged`: the parts of TRILANE_DEBUG. */
export function programHelp(sections: readonly Section[], debugged: readonly Row[], size: HelpSize): string {
  const { columns, isAll } = size;
  const rows = (commands: readonly Declaration[]): Row[] => commands.map(({ name, summary }): Row => [name, summary]);
  return [
    "trilane COMMAND [options]",
    "",
    ...wrapped(programSummary, columns),
    ...section("Examples:", exampleLines(programExamples, columns)),
    ...sections.flatMap(({ title, commands }) => section(title, table(rows(commands), columns))),
    ...optionLines(optionGroups({ options: new Map(), groups: new Map() }, isAll), columns),
    ...(isAll ? section(debugTitle, table(debugged, columns)) : []),
  ].join("\n");
}
