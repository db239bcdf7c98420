// Finds how many labs a machine bears side by side: the largest number at which page load times in each of them are equivalent to
// those of one lab alone. Equivalence is shown, not a difference looked for in vain: the signed-rank test, one-sided to both sides
// (Schuirmann 1987). Does not know how a load is measured.
//
// Rounds are pairs, but the test is not that of "A against B" (results/answer/contrast.ts), which assumes no shape: a page against itself has
// differences that are symmetric, which the signed-rank test may use. With 20 rounds and noise of 6 % it finds 93 % of equivalent labs, the
// other 57 % (simulated; margin 5 %).
//
// Each lab has its own test, and all of them have to show it (an intersection-union test: none needs a stricter level, Berger
// 1982): a median over the labs would hide the one that shares a CPU. So does their mean in each round: the slow one need not be
// the same lab in every round.
import type { CalibrationStep } from "../../../schemas/generated/calibration.ts";
import { mean } from "../../base/quantile.ts";
import { shift } from "../../results/stats/hodges_lehmann.ts";
import { signedRank } from "../../results/stats/signed_rank.ts";

const level = 0.05;
/** So many loads may be invalid by chance before a step is given up. */
const mostInvalid = 2;

interface CalibrationOptions<Lane> {
  /** Taken in turn. */
  readonly lanes: readonly Lane[];
  /** PLT in ms of one load; null: it did not count. */
  readonly load: (lane: Lane) => Promise<number | null>;
  readonly rounds: number;
  readonly mostLabs: number;
  readonly margin_percent: number;
  readonly report: (labs: number, round: number) => void;
  readonly signal: AbortSignal;
}

/** How much longer loads took than alone: what the rounds show of one lab, or of all labs' mean. */
interface Slowdown {
  readonly estimate: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Of both one-sided tests the larger probability. */
  readonly chance: number;
}

/** `differences`: logarithms of ratios, one of a round. */
function slowdownOf(differences: readonly number[], margin: number): Slowdown {
  const above = signedRank(differences.map((value) => value + margin)).greater;
  const below = signedRank(differences.map((value) => value - margin)).less;
  const found = shift(differences, 1 - 2 * level);
  return {
    estimate: found?.estimate ?? null,
    low: found?.interval?.low ?? null,
    high: found?.interval?.high ?? null,
    chance: Math.max(above, below),
  };
}

async function oneStep<Lane>(labs: number, options: CalibrationOptions<Lane>): Promise<CalibrationStep> {
  const { lanes, load, rounds, margin_percent, report, signal } = options;
  const ofLab: number[][] = Array.from({ length: labs }, () => []);
  const ofMean: number[] = [];
  let invalid = 0;
  let round = 0;
  for (; round < rounds && invalid <= mostInvalid; round++) {
    signal.throwIfAborted();
    report(labs, round);
    const lane = lanes[round % lanes.length] as Lane;
    const together = (): Promise<(number | null)[]> => Promise.all(Array.from({ length: labs }, () => load(lane)));
    // In turn first and second, so that a drift of the machine meets both alike.
    const before = round % 2 === 0 ? await load(lane) : null;
    const beside = await together();
    const alone = round % 2 === 0 ? before : await load(lane);
    invalid += beside.filter((plt_ms) => plt_ms === null).length + (alone === null ? 1 : 0);
    if (alone === null) continue;
    const differences = beside.map((plt_ms) => (plt_ms === null ? null : Math.log(plt_ms / alone)));
    differences.forEach((difference, lab) => {
      if (difference !== null) ofLab[lab]?.push(difference);
    });
    // Without one of them it would be another mean.
    const all = differences.filter((difference) => difference !== null);
    if (all.length === labs) ofMean.push(mean(all));
  }
  const margin = Math.log1p(margin_percent / 100);
  const slowdowns = [...ofLab, ofMean].map((differences) => slowdownOf(differences, margin));
  // Reported is the one that shows it least.
  const size = ({ estimate }: Slowdown): number => Math.abs(estimate ?? 0);
  const worst = slowdowns.reduce((a, b) => ((b.chance - a.chance || size(b) - size(a)) > 0 ? b : a));
  const percent = (value: number | null): number | null => (value === null ? null : Math.expm1(value) * 100);
  return {
    labs,
    rounds: round,
    invalid,
    percent: percent(worst.estimate),
    low_percent: percent(worst.low),
    high_percent: percent(worst.high),
    equivalent: invalid <= mostInvalid && worst.chance <= level,
  };
}

/** Two labs, three, ... until page load times are no longer equivalent. Rejects with the signal's reason. */
export async function calibrate<Lane>(
  options: CalibrationOptions<Lane>,
): Promise<{ labs: number; steps: CalibrationStep[] }> {
  const steps: CalibrationStep[] = [];
  for (let labs = 2; labs <= options.mostLabs; labs++) {
    const step = await oneStep(labs, options);
    steps.push(step);
    if (!step.equivalent) return { labs: labs - 1, steps };
  }
  return { labs: options.mostLabs, steps };
}
