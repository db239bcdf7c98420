// What may be said of contrasts that are read together: as the plan's rule decided them, if they are what it is about, all others corrected together.
// Pure.
import type { PlanUntil } from "../../../schemas/generated/sweep_plan.ts";
import type { Interval } from "../../base/interval.ts";
import { count } from "../../base/numbers.ts";
import { correctedTogether } from "../stats/multiplicity.ts";
import { decide, type Outcome, shiftAtLook } from "../stats/sequential.ts";
import { type Contrast, type Pair, type Shown, shown } from "./contrast.ts";
import { logPairsOf } from "./paired_rule.ts";

/** What may be said of a contrast that is read with others; `equal`: within what the plan asks for. */
export interface Judged extends Contrast {
  readonly shown: Shown | "equal";
  /** By the plan's rule: its interval accounts for each look. */
  readonly isRuled: boolean;
}

const shownBy: Readonly<Record<Outcome["decision"], Judged["shown"]>> = {
  faster: "less",
  slower: "more",
  equivalent: "equal",
  undecided: "none",
};

export interface DecidedRatio {
  readonly outcome: Outcome;
  /** How many times the other's value the one's is, by the look that decided; null: there is no pair. */
  readonly ratio: number | null;
  /** At the level of that look. */
  readonly interval: Interval | null;
}

export function decidedRatio(pairs: readonly Pair[], percent: number): DecidedRatio {
  const logPairs = logPairsOf(pairs);
  const outcome = decide(logPairs, percent);
  const at = shiftAtLook(logPairs.slice(0, outcome.blocks));
  if (at === null) return { outcome, ratio: null, interval: null };
  // It is log(other / one).
  const isEqual = outcome.decision === "equivalent";
  const most = isEqual ? Math.log1p(percent / 100) : Number.POSITIVE_INFINITY;
  // Of equal ones all beyond the margin was refused, though the interval, at half the level on each side, may reach further.
  const interval = at.interval && {
    low: Math.exp(Math.max(-most, -at.interval.high)),
    high: Math.exp(Math.min(most, -at.interval.low)),
  };
  return { outcome, ratio: Math.exp(-at.estimate), interval };
}

/** As the rule decided it, with the interval of the look that did. */
function ruledContrast(found: Contrast, pairs: readonly Pair[], percent: number): Judged {
  const { outcome, ratio, interval } = decidedRatio(pairs, percent);
  if (ratio === null) return { ...found, interval: null, n: 0, shown: "unknown", isRuled: true };
  const isShown = interval !== null || outcome.decision === "equivalent";
  const ruled = { ...found, ratio, interval, n: outcome.blocks };
  return { ...ruled, shown: isShown ? shownBy[outcome.decision] : "unknown", isRuled: true };
}

export interface ToJudge {
  readonly found: Contrast;
  /** Of what the plan's rule is about; null: of anything else. */
  readonly ruled: readonly Pair[] | null;
}

/** All that is read together: what the rule is about as it decided, all others corrected together. */
export function judgeTogether(all: readonly ToJudge[], until: PlanUntil | undefined): Judged[] {
  const percent = until && "decided_percent" in until ? until.decided_percent : null;
  const isRuled = ({ ruled }: ToJudge): boolean => percent !== null && ruled !== null;
  const corrected = correctedTogether(all.filter((each) => !isRuled(each)).map(({ found }) => found)).values();
  return all.map((each) => {
    if (percent !== null && each.ruled !== null) return ruledContrast(each.found, each.ruled, percent);
    const found = corrected.next().value ?? each.found;
    return { ...found, shown: shown(found), isRuled: false };
  });
}

/** `(95 %: -1 to 2 % more; n = 9 runs)`; the first look, which has no interval, may show two to be equal. */
export const equalEvidence = ({ interval, n }: Contrast, range: string, unit: string): string =>
  `(${interval === null ? "" : `95 %: ${range}; `}n = ${count(n, unit)})`;

/** `within 3 %`. */
export const withinWords = (until: PlanUntil | undefined): string =>
  `within ${until && "decided_percent" in until ? until.decided_percent : 0} %`;
