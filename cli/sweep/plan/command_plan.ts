// The plan that a command makes of its options: its errors name the options.
import { UserError } from "../../base/errors.ts";
import { planOf } from "./plan.ts";
import type { Plan } from "./plan_document.ts";

/** What a plan calls the command's options. */
const optionOf: Readonly<Record<string, string>> = {
  lanes: "--lanes",
  warm_cache: "--warm-cache",
  tolerance: "--tolerance",
  cross_traffic: "--cross-traffic",
  browser: "--browser",
};

/** `command`: its name. UserError, naming its option. */
export function commandPlan(document: unknown, command: string): Plan {
  try {
    return planOf(document, command);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const beginning = new RegExp(`^plan ${command}: (\\w+)`);
    throw new UserError(error.message.replace(beginning, (whole, word: string) => optionOf[word] ?? whole));
  }
}
