// `trilane doctor`: says of every requirement whether it is met and, where not, the remedy.

import { RunError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { runChecks } from "../install/doctor/checks.ts";
import type { Command } from "./command.ts";

const marks = { ok: "ok     ", warning: "warning", missing: "MISSING" } as const;

export const command: Command = {
  usage: "doctor",
  summary: "Check every requirement and name the remedies",
  define: (table) => table.example("trilane doctor", "what is there, what is missing, what to do"),
  run: async (options) => {
    const checks = runChecks(homeFolder(options.home));
    if (options.json) printJson({ schema: "trilane/doctor/1", checks });
    else
      for (const { name, outcome, found, remedy } of checks)
        printLines([`${marks[outcome]}  ${name}: ${found}`, ...(remedy ? [`         remedy: ${remedy}`] : [])]);
    const missing = checks.filter((check) => check.outcome === "missing");
    if (missing.length > 0)
      throw new RunError(`doctor: ${missing.length} of ${checks.length} requirements missing, see above`);
  },
};
