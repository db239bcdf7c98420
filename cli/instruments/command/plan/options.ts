// The options of `trilane time`, and the plan that they come to. Words to a plan; no rule of what may be in one.

import { basename } from "node:path";
import { UserError } from "../../../base/errors.ts";
import { number, repeated } from "../../../base/option.ts";
import type { OptionsOf, OptionTable } from "../../../base/option_table.ts";
import { refuseGivenWithoutDelay } from "../../../link/profile_file.ts";
import { defineReach } from "../../../load/reach/wanted.ts";
import { defineServing, servingOfCommand } from "../../../load/serving/options.ts";
import { planOfOptions } from "../../../sweep/plan/plan_document.ts";
import { planRange } from "../../../sweep/plan/plan_range.ts";
import { toleranceOf, toleranceOption } from "../../../sweep/plan/tolerance.ts";
import { ruledRepetitions, stoppingChoiceOf, stoppingOptions } from "../../../sweep/plan/until.ts";
import { type CommandPlan, commandPlanOf, readCommandPlan } from "./plan.ts";

// A command as one text, as people write it for a shell, to the words that are run. No shell reads what needs none, because a shell takes
// time of its own; what needs one gets `/bin/sh -c`.

/** Of words with quotes and nothing else that a shell would read; null: a shell has to. */
function plainWords(text: string): string[] | null {
  const words: string[] = [];
  let rest = text.trimStart();
  while (rest !== "") {
    let word = "";
    for (;;) {
      const [part, single, double, bare] =
        /^(?:'([^']*)'|"([^"$`\\]*)"|([^\s'"$`\\|&;<>()*?[\]#~={}!]+|=))/.exec(rest) ?? [];
      if (part === undefined) break;
      // `NAME=value cmd` sets a variable; after the program `=` is a letter as any.
      if (bare === "=" && words.length === 0) return null;
      word += single ?? double ?? bare ?? "";
      rest = rest.slice(part.length);
    }
    if (rest !== "" && !/^\s/.test(rest)) return null;
    words.push(word);
    rest = rest.trimStart();
  }
  return words;
}

/** Empty: there is no command in it. */
export function wordsOf(text: string): string[] {
  if (text.trim() === "") return [];
  return plainWords(text) ?? ["/bin/sh", "-c", text];
}

export type CommandOptions = OptionsOf<typeof defineCommandOptions> & { plan: string | undefined; "--"?: string[] };

const usualRuns = 10;

const range = (setting: string, unit?: string) => planRange(setting, unit, "command-plan");

export const defineCommandOptions = (table: OptionTable<unknown>) =>
  table
    .option("tolerance", toleranceOption("a run before it is invalid: a share of its time"))
    .with(stoppingOptions("each command's difference from the first"))
    .with(defineReach)
    .with(defineServing)
    .option(
      "command",
      repeated(
        "a command to compare, again for others; /bin/sh reads it only if it has pipes, variables and the like",
        { placeholder: "NAME=COMMAND" },
      ),
    )
    .option(
      "link",
      repeated("run behind this link (RATE/RTT or a name, then settings, see `trilane links`); again for others"),
    )
    .option("runs", number(range("repetitions"), { describe: `of each command on each link (default: ${usualRuns})` }))
    .option(
      "number",
      repeated("a number that commands print: a regular expression with it in parentheses; again for others", {
        placeholder: "NAME=PATTERN",
      }),
    )
    .option("numbers", {
      placeholder: "FILE",
      describe: "a JSON file of names and numbers that each run writes; it is removed before each run",
    })
    .option(
      "timeout",
      number(range("timeout_s", "seconds"), { describe: "end a run after so long; it has failed (default: 300)" }),
    )
    .option(
      "seed",
      number(range("seed"), { rare: true, describe: "decides the order of runs and the losses on links (default: 1)" }),
    );

/** NAME=TEXT. UserError for what is none. */
function named(option: string, text: string, example: string): { readonly name: string; readonly text: string } {
  const [, name, rest] = /^([^=\n]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || rest === undefined)
    throw new UserError(`--${option} must be ${example} (got ${JSON.stringify(text.slice(0, 80))})`);
  return { name: name.trim(), text: rest };
}

function commandsOf({ command, "--": words = [] }: CommandOptions): CommandPlan["commands"] {
  const [program] = words;
  const ofOptions = command.map((each) => {
    const { name, text } = named(
      "command",
      each,
      "NAME=COMMAND, as --command old='curl -o /dev/null https://shop.example/'",
    );
    return { name, words: wordsOf(text) as [string, ...string[]] };
  });
  const own =
    program === undefined ? [] : [{ name: basename(program).slice(0, 60), words: words as [string, ...string[]] }];
  return [...own, ...ofOptions];
}

/** What the options set, also in a plan's place. */
function termsOf(options: CommandOptions): object {
  const { link, recording, reach, outside, runs, numbers: numbers_file, timeout: timeout_s, seed, tolerance } = options;
  const numbers = options.number.map((each) => {
    const { name, text } = named("number", each, "NAME=PATTERN, as --number 'ready=ready in ([0-9.]+) ms'");
    return { name, pattern: text };
  });
  // Of a plan's file the recording is known once it is read.
  const serving = servingOfCommand(options, recording ?? options.plan);
  const stopping = stoppingChoiceOf(options);
  const given = {
    ...ruledRepetitions(stopping),
    ...stopping,
    serving: Object.keys(serving).length > 0 ? serving : undefined,
    ...{ recording, numbers_file, timeout_s, seed },
    ...(runs === undefined ? {} : { repetitions: runs }),
    links: link.length > 0 ? link : undefined,
    reach: reach.length > 0 ? reach : undefined,
    outside: outside || undefined,
    allow_local_network: options["allow-local-network"] || undefined,
    numbers: numbers.length > 0 ? numbers : undefined,
    tolerance: tolerance === undefined ? undefined : toleranceOf(tolerance, "the run"),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const planName = (commands: CommandPlan["commands"]): string =>
  `time ${commands.map(({ name }) => name).join(" ")}`.replaceAll(/[^A-Za-z0-9._ -]+/g, "-").slice(0, 120);

/** UserError in one line. */
export function commandPlanFrom(options: CommandOptions): CommandPlan {
  const commands = commandsOf(options);
  for (const link of options.link) refuseGivenWithoutDelay(link);
  if (options.plan !== undefined) {
    if (commands.length > 0)
      throw new UserError("time: a plan has its commands: leave out --command and what follows --, or the plan");
    return readCommandPlan(options.plan, termsOf(options));
  }
  if (commands.length === 0)
    throw new UserError(
      "time: no command: write it after --, as `-- curl -o /dev/null https://...`, or name several with --command",
    );
  const empty = commands.find(({ words }) => words.length === 0);
  if (empty) throw new UserError(`--command ${empty.name}: there is no command after the =`);
  const document = { name: planName(commands), commands, repetitions: usualRuns, ...termsOf(options) };
  return planOfOptions("time", () => commandPlanOf(document, "time"));
}
