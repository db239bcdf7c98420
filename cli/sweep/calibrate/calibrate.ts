// Finds how many labs a machine bears side by side: the largest number at which page load times are equivalent to those of one
// lab alone. Equivalence is shown, not a difference looked for in vain: the signed-rank test, one-sided to both sides
// (Schuirmann 1987). Does not know how a load is measured.
import type { CalibrationStep } from "../../../schemas/generated/calibration.ts";
import { median } from "../../base/quantile.ts";
import { shift } from "../../results/stats/hodges_lehmann.ts";
import { signedRank } from "../../results/stats/signed_rank.ts";

const level = 0.05;
/** So many loads may be invalid by chance before a step is given up. */
const mostInvalid = 2;

export interface CalibrationOptions<Lane> {
  /** Taken in turn. */
  readonly lanes: readonly Lane[];
  /** PLT in ms of one load; null: it did not count. */
  readonly load: (lane: Lane) => Promise<number | null>;
  readonly rounds: number;
  readonly mostLabs: number;
  readonly margin_percent: number;
  readonly tell: (labs: number, round: number) => void;
  readonly signal: AbortSignal;
}

async function oneStep<Lane>(labs: number, options: CalibrationOptions<Lane>): Promise<CalibrationStep> {
  const { lanes, load, rounds, margin_percent, tell, signal } = options;
  const differences: number[] = [];
  let invalid = 0;
  let round = 0;
  for (; round < rounds && invalid <= mostInvalid; round++) {
    signal.throwIfAborted();
    tell(labs, round);
    const lane = lanes[round % lanes.length] as Lane;
    const together = (): Promise<(number | null)[]> => Promise.all(Array.from({ length: labs }, () => load(lane)));
    // In turn first and second, so that a drift of the machine meets both alike.
    const before = round % 2 === 0 ? await load(lane) : null;
    const beside = await together();
    const alone = round % 2 === 0 ? before : await load(lane);
    const valid = beside.filter((plt_ms) => plt_ms !== null);
    invalid += labs - valid.length + (alone === null ? 1 : 0);
    if (alone !== null && valid.length > 0) differences.push(Math.log(median(valid) / alone));
  }
  const margin = Math.log1p(margin_percent / 100);
  const above = signedRank(differences.map((value) => value + margin)).greater;
  const below = signedRank(differences.map((value) => value - margin)).less;
  const found = shift(differences, 1 - 2 * level);
  const percent = (value: number | undefined): number | null => (value === undefined ? null : Math.expm1(value) * 100);
  return {
    labs,
    rounds: round,
    invalid,
    percent: percent(found?.estimate),
    low_percent: percent(found?.interval?.low),
    high_percent: percent(found?.interval?.high),
    equivalent: invalid <= mostInvalid && Math.max(above, below) <= level,
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
