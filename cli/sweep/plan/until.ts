// `--decide`, `--precise` and `--time-limit`, of every instrument: when attempts are enough. Words to a plan's `until` and `time_limit_s`, and what
// of these cannot be; no rule.

import type { PlanUntil } from "../../../schemas/generated/sweep_plan.ts";
import { number, parseTime_ms } from "../../base/option.ts";
import type { OptionsOf, OptionTable } from "../../base/option_table.ts";
import { fewestPrecise, firstLook, lastLook } from "../../results/stats/sequential.ts";
import { type RuleWords, untilWords } from "../../results/verdict/load_stopping_outcome.ts";
import { formatDuration } from "../progress/progress_lines.ts";
import { planRange } from "./plan_range.ts";

/** The most repetitions if `until` is given and their number is not. */
export const mostRuns = lastLook;

/** Rows of the option table. `compared`: each pair of lanes, each flow with the first. */
export const untilOptions = (compared = "each pair of lanes") =>
  ({
    decide: number(planRange("decided_percent", "per cent"), {
      describe: `run until ${compared} is decided: one is ahead, or both are equal within PERCENT (at most ${mostRuns} runs)`,
    }),
    precise: number(planRange("interval_percent", "per cent"), {
      describe: `run until each median is known within ± PERCENT (95 %; at most ${mostRuns} runs unless --runs says)`,
    }),
    "time-limit": {
      placeholder: "TIME",
      describe:
        "end, with the report, when all runs together have taken 90s, 30min or 8h; the one under way (with --labs: each lab's block) still ends",
    },
  }) as const;

/** A command takes one of them. */
export const stoppingRules = ["decide", "precise"] as const;

/** For `with` of a command's table. */
export const stoppingOptions = (compared: string) => {
  const { decide, precise, "time-limit": limit } = untilOptions(compared);
  return (table: OptionTable<unknown>) =>
    table
      .option("decide", decide)
      .option("precise", precise)
      .option("time-limit", limit)
      .exclude(...stoppingRules);
};

type UntilOptions = OptionsOf<ReturnType<typeof stoppingOptions>>;

export interface StoppingChoice {
  readonly until?: PlanUntil;
  readonly time_limit_s?: number;
}

/** Of one rule at most, as the table of options has it. UserError for what is no time. */
export function stoppingChoiceOf({ decide, precise, "time-limit": limit }: Partial<UntilOptions>): StoppingChoice {
  return {
    ...(decide === undefined ? {} : { until: { decided_percent: decide } }),
    ...(precise === undefined ? {} : { until: { interval_percent: precise } }),
    ...(limit === undefined ? {} : { time_limit_s: parseTime_ms(limit, "--time-limit") / 1000 }),
  };
}

/** How a dry run says `until`: `at most 2 cells x 60 runs = 120, until each command against the first is decided within 3 %`. */
export const ruledSize = (size: string, until: PlanUntil | undefined, words?: RuleWords): string =>
  until ? `at most ${size}, ${untilWords(until, words)}` : size;

/** `1 h of loads; those that have not begun by then are skipped`; null: there is no limit. `runs`: a noun in the plural. */
export const limitWords = ({ time_limit_s }: StoppingChoice, runs: string): string | null =>
  time_limit_s === undefined
    ? null
    : `${formatDuration(time_limit_s)} of ${runs}; those that have not begun by then are skipped`;

/** The number of repetitions that a rule asks for, if no other is given. */
export const ruledRepetitions = ({ until }: StoppingChoice): { repetitions?: number } =>
  until ? { repetitions: mostRuns } : {};

/**
 * What of a rule cannot be: no look would come, none after the last, or none that compares; null: all can. `comparisons`: how many there are;
 * `alone`: why there is none, and what to add.
 */
export function untilFault(
  { until, repetitions }: StoppingChoice & { readonly repetitions: number },
  comparisons: number,
  alone: string,
): string | null {
  if (!until) return null;
  // By both names: it may stand in a plan or on the command line.
  const [first, option] = "decided_percent" in until ? [firstLook, "--decide"] : [fewestPrecise, "--precise"];
  const looks = (which: string, of: number, side: string): string =>
    `until (${option}): ${which} looks after ${of} repetitions (--runs): ask for ${of} or ${side}`;
  if (repetitions < first) return looks("first", first, "more");
  if (!("decided_percent" in until)) return null;
  if (repetitions > lastLook) return looks("last", lastLook, "fewer");
  return comparisons > 0
    ? null
    : `until (${option}): decided_percent compares ${alone}, or take interval_percent (--precise)`;
}
