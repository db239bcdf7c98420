// A command's manual page in man(7), written from what it declares, with all options. Pure.
import type { Example } from "../base/option_table.ts";
import type { Declaration, Section } from "./declared.ts";
import { optionGroups, optionLabel, optionMeaning, programExamples, programSummary } from "./help.ts";

/** Text as roff takes it: no control line, no escape, hyphens that can be copied. */
const roff = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^(?=['.])/gm, "\\&");

const term = (label: string, meaning: string): string => `.TP\n.B ${roff(label)}\n${roff(meaning)}\n`;

const examplesText = (examples: readonly Example[]): string =>
  examples.length === 0
    ? ""
    : `.SH EXAMPLES\n${examples.map(({ command, meaning }) => term(command, meaning)).join("")}`;

function optionsText(groups: ReturnType<typeof optionGroups>): string {
  const texts = groups.map(({ title, options }) => {
    const terms = options.map(([name, declared]) => {
      const label = optionLabel(name, declared);
      return term(label, optionMeaning(declared, label));
    });
    return `.SS ${roff(title.replace(/:$/, ""))}\n${terms.join("")}`;
  });
  return `.SH OPTIONS\n${texts.join("")}`;
}

function page(name: string, summary: string, usage: string, version: string): string {
  return (
    `.TH ${roff(name).toUpperCase()} 1 "" "Trilane ${roff(version)}" "Trilane"\n` +
    `.SH NAME\n${roff(name)} \\- ${roff(summary)}\n.SH SYNOPSIS\n.B ${roff(usage)}\n`
  );
}

function commandPage(command: Declaration, version: string): string {
  const { name, usage, summary, actions, examples, epilogue } = command;
  const given = command.arguments.map((argument) => term(argument.name, argument.describe)).join("");
  return (
    page(`trilane-${name.replaceAll(" ", "-")}`, summary, usage, version) +
    examplesText(examples) +
    (actions.length === 0
      ? ""
      : `.SH ACTIONS\n${actions.map((action) => term(action.name, action.summary)).join("")}`) +
    (given === "" ? "" : `.SH ARGUMENTS\n${given}`) +
    optionsText(optionGroups(command, true)) +
    (epilogue === "" ? "" : `.SH NOTES\n.nf\n${roff(epilogue)}\n.fi\n`) +
    ".SH SEE ALSO\n.BR trilane (1)\n"
  );
}

/** Each page by the name of its file: `trilane.1`, `trilane-race.1`, `trilane-recording-show.1`. */
export function manPages(sections: readonly Section[], version: string): Map<string, string> {
  const terms = sections.map(
    ({ title, commands }) =>
      `.SS ${roff(title.replace(/:$/, ""))}\n${commands.map(({ name, summary }) => term(name, summary)).join("")}`,
  );
  const program =
    page("trilane", programSummary, "trilane COMMAND [options]", version) +
    examplesText(programExamples) +
    `.SH COMMANDS\n${terms.join("")}` +
    optionsText(optionGroups({ options: new Map(), groups: new Map() }, true));
  const pages = new Map([["trilane.1", program]]);
  const add = (command: Declaration): void => {
    pages.set(`trilane-${command.name.replaceAll(" ", "-")}.1`, commandPage(command, version));
    for (const action of command.actions) add(action);
  };
  for (const { commands } of sections) for (const command of commands) add(command);
  return pages;
}
