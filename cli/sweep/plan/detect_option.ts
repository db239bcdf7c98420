// `--detect`, `--spread` and `--from` of `plan`: which effect the runs should show, and how loads are known to scatter. Words to numbers;
// what follows from them is cli/instruments/page/plan/detection.ts's, and detect_comparisons.ts's for what is compared by pairs.

import { UserError } from "../../base/errors.ts";
import { isWithin, type Range, rangeWords } from "../../base/option.ts";
import type { OptionsOf, OptionTable } from "../../base/option_table.ts";
import type { Plan } from "./plan_document.ts";

export type DetectOptions = OptionsOf<typeof defineDetect>;

export interface DetectionQuestion {
  /** The effect that is to be shown; null: only what the plan's runs show. */
  readonly percent: number | null;
  /** Standard deviation of a lane's loads over their mean; null: as loaded before. */
  readonly spread_percent: number | null;
  /** The sweep whose loads say how loads scatter, as `compare` takes it; null: the newest one that fits the plan. */
  readonly from: string | null;
}

export const noQuestion: DetectionQuestion = { percent: null, spread_percent: null, from: null };

const effects: Range = { least: 0, most: 50, above: true, unit: "per cent" };
const spreads: Range = { least: 0, most: 100, above: true, unit: "per cent" };

/** `3`, `3%` or `3 %`. */
function percentOf(option: string, word: string | undefined, range: Range): number | null {
  if (word === undefined) return null;
  const digits = word.replace(/ ?%$/, "");
  if (!isWithin(range, digits))
    throw new UserError(`--${option}: must be ${rangeWords(range)} (got ${JSON.stringify(word)})`);
  return Number(digits);
}

export const defineDetect = (table: OptionTable<unknown>) =>
  table
    .option("detect", {
      placeholder: "PERCENT",
      describe: "how many runs show an effect of PERCENT in 80 and in 95 % of sweeps, and how long they take",
    })
    .option("spread", {
      placeholder: "PERCENT",
      describe: "how much a lane's loads vary (standard deviation over mean), if no sweep shows it",
    })
    .option("from", {
      placeholder: "SWEEP",
      describe:
        "a sweep, or a pilot of three runs, that shows it, of flows, fetches and commands required: its number, or a file as `compare` takes it",
    })
    .exclude("spread", "from")
    .group(["detect", "spread", "from"], "What runs can show:");

/** @throws UserError if what is given cannot be */
export function questionOf({ detect, spread, from }: Partial<DetectOptions>): DetectionQuestion {
  return {
    percent: percentOf("detect", detect, effects),
    spread_percent: percentOf("spread", spread, spreads),
    from: from ?? null,
  };
}

/** @throws UserError for a plan whose rule decides how many runs there are */
export function refuseRule({ until }: Pick<Plan, "until">): void {
  if (until)
    throw new UserError(
      "--detect asks for a number of runs; --decide and --precise load until it is enough: give one of them",
    );
}

/** @throws UserError for a plan whose number of runs for an effect is not known */
export function refuseUnanswerable(plan: Plan, { percent }: DetectionQuestion): void {
  if (percent === null) return;
  refuseRule(plan);
  const { lanes } = plan;
  if (lanes.length < 2)
    throw new UserError(`--detect compares lanes, and the plan has only ${lanes[0]}: give it another`);
}
