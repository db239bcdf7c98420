// `trilane doctor [--fix]`: says of every requirement whether it is met and, where not, the remedy. With --fix it offers what it can
// mend itself, the least first, and says what it did.
import { confirm } from "../base/confirm.ts";
import { RunError, UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { flag } from "../base/option.ts";
import { printJson, printLines, say } from "../base/terminal_text.ts";
import type { Check } from "../install/doctor/check.ts";
import { runChecks } from "../install/doctor/checks.ts";
import { apply, fixesOf } from "../install/doctor/fixes.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const marks = { ok: "ok     ", warning: "warning", missing: "MISSING" } as const;

const define = (table: Table) =>
  table
    .option("fix", flag("mend what can be mended, after a question for each"))
    .option("yes", flag("with --fix: do not ask"))
    .example("trilane doctor", "what is there, what is missing, what to do")
    .example("trilane doctor --fix", "the least that lets this user's labs work, by sudo");

type DoctorOptions = OptionsOf<typeof define>;

/** Goes through the checks that failed. What one of them mends may mend a later one, too, so each is looked at anew. */
async function fix(home: string, isConfirmed: boolean): Promise<void> {
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
  if (!isConfirmed && !isTerminal)
    throw new UserError("doctor --fix asks before each change: add --yes to make them all");
  const look = (name: string): Check | null => runChecks(home).find((check) => check.name === name) ?? null;
  let offered = 0;
  for (const { name } of runChecks(home).filter(({ outcome }) => outcome !== "ok")) {
    const failed = look(name);
    if (failed === null) continue;
    for (const each of fixesOf(failed)) {
      offered++;
      say(`${name}: ${each.does}:`);
      for (const command of each.commands) say(`  ${command}`);
      if (!isConfirmed && !(await confirm("Do this as root?", process.stdin, process.stderr))) {
        say(`${name}: left as it is`);
        continue;
      }
      const done = apply(each, () => look(name));
      say(done.outcome === "fixed" ? `${name}: done` : `${name}: ${done.outcome}: ${done.why}`);
      if (done.outcome === "fixed") break;
    }
  }
  if (offered === 0) say("doctor: nothing here that it can mend itself");
}

export const command: Command<DoctorOptions> = {
  usage: "doctor",
  summary: "Check every requirement and name the remedies",
  define,
  run: async (options) => {
    const home = homeFolder(options.home);
    if (options.fix) await fix(home, options.yes);
    const checks = runChecks(home);
    if (options.json) printJson({ schema: "trilane/doctor/1", checks });
    else
      for (const { name, outcome, found, remedy } of checks)
        printLines([`${marks[outcome]}  ${name}: ${found}`, ...(remedy ? [`         remedy: ${remedy}`] : [])]);
    const missing = checks.filter((check) => check.outcome === "missing");
    if (missing.length > 0)
      throw new RunError(`doctor: ${missing.length} of ${checks.length} requirements missing, see above`);
  },
};
