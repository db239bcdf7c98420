// `--detect` and `--from` of `plan` for what is compared by pairs within blocks: flows, fetches and commands. How much their runs vary is known from a
// sweep of such comparisons alone. What follows from it is ../../results/answer/detectable.ts's, its words detected_words.ts's.
import type { ComparisonDetection, PairedDetection } from "../../../schemas/generated/paired_detection.ts";
import { UserError } from "../../base/errors.ts";
import type { Ruled, RuledAttempt, RuledComparison } from "../../results/answer/block_values.ts";
import { type PairedNoise, pairedNoise, pairedStudies, pairsByObject } from "../../results/answer/detectable.ts";
import type { StoppingOf } from "../../results/answer/rule_outcome.ts";
import { openNamed, readNumber } from "../../results/export/choose.ts";
import { logOfPercent, powers, Reaches, runsNeeded, shownBy } from "../../results/stats/runs_search.ts";
import type { Results } from "../../results/store/results.ts";
import { type DetectionQuestion, refuseRule } from "./detect_option.ts";
import { pairedLines } from "./detected_words.ts";

/** What a plan compares, and a stored sweep of such a plan. */
export interface PlannedComparisons<Attempt extends RuledAttempt> {
  readonly plan: Pick<StoppingOf<Attempt>["plan"], "until" | "repetitions"> & {
    readonly name: string;
    readonly seed: number;
  };
  readonly ruled: Ruled<Attempt>;
  /** How many comparisons the answer corrects for one another. */
  readonly together: number;
  /** @throws UserError for a sweep of another kind */
  readonly stored: (results: Results, sweep: number) => Pick<StoppingOf<Attempt>, "ruled" | "attempts">;
  /** That so many runs of the plan take, by a sweep's attempts. */
  readonly seconds: (runs: number, attempts: readonly Attempt[]) => number;
  /** Of what is run, in the plural. */
  readonly noun: string;
}

/** Of more, those that vary most say what the others need at most. */
const mostSimulated = 6;

const keyOf = <Attempt extends RuledAttempt>({ one, other }: RuledComparison<Attempt>): string =>
  JSON.stringify([one.link, one.name, other.name, one.quantity.name]);

const wordsOf = <Attempt extends RuledAttempt>({ one, other }: RuledComparison<Attempt>): string =>
  `${one.name} with ${other.name}${one.link === null ? "" : ` on ${one.link}`} (${one.quantity.title})`;

const pilot = "run a pilot of the plan (`trilane sweep PLAN --runs 8`) and name that with --from";

interface Known<Attempt extends RuledAttempt> {
  readonly comparison: RuledComparison<Attempt>;
  readonly noise: PairedNoise;
}

/** @throws UserError if the sweep lacks one of the plan's comparisons */
function knownComparisons<Attempt extends RuledAttempt>(
  { ruled, stored }: PlannedComparisons<Attempt>,
  results: Results,
  sweep: number,
) {
  const found = stored(results, sweep);
  const byKey = new Map(found.ruled.comparisons.map((each) => [keyOf(each), each]));
  const pairs = ruled.comparisons.map((planned) => {
    const its = byKey.get(keyOf(planned));
    if (its) return its;
    throw new UserError(`sweep ${sweep} does not compare ${wordsOf(planned)}: ${pilot}`);
  });
  const known = pairsByObject(pairs, found.attempts).map((objects, index): Known<Attempt> => {
    const comparison = ruled.comparisons[index] as RuledComparison<Attempt>;
    const noise = pairedNoise(objects);
    if (noise === null)
      throw new UserError(`sweep ${sweep} has no two blocks that compare ${wordsOf(comparison)}: ${pilot}`);
    return { comparison, noise: { ...noise, objects: Math.max(1, comparison.one.cells.size) } };
  });
  return { known, attempts: found.attempts };
}

/** @throws UserError if the plan compares nothing, or no sweep says how its runs vary */
function pairedDetection<Attempt extends RuledAttempt>(
  planned: PlannedComparisons<Attempt>,
  home: string,
  { percent, from }: DetectionQuestion,
): PairedDetection {
  const { plan, ruled, together, seconds } = planned;
  if (ruled.comparisons.length === 0)
    throw new UserError(`--detect: plan ${plan.name} compares nothing: add what the first is compared with`);
  if (from === null)
    throw new UserError(`--detect: how much ${planned.noun} of plan ${plan.name} vary is not known: ${pilot}`);
  const { results: opened, named } = openNamed(from, home);
  using results = opened;
  const sweep = named === undefined ? newestOf(results) : readNumber(named, "sweep");
  const { known, attempts } = knownComparisons(planned, results, sweep);
  const widest = known.toSorted((a, b) => b.noise.spread - a.noise.spread).slice(0, mostSimulated);
  const comparisons = widest.map(({ comparison: { one, other }, noise }): ComparisonDetection => {
    const reaches = new Reaches(pairedStudies(noise, together), plan.seed);
    const needed = percent === null ? [] : powers.map((power) => runsNeeded(reaches, logOfPercent(percent), power));
    return {
      ...{ link: one.link, one: one.name, other: other.name, metric: one.quantity.name, title: one.quantity.title },
      ...{ objects: noise.objects, spread_percent: 100 * noise.spread },
      planned_with_percent: 100 * noise.spread * noise.allowance,
      shown: shownBy(reaches, plan.repetitions),
      needed: needed.map((each) => ({
        ...each,
        expected_s: each.runs === null ? null : seconds(each.runs, attempts),
      })),
    };
  });
  return {
    ...{ sweep, runs: plan.repetitions, together, detect_percent: percent, further: known.length - widest.length },
    pilot_runs: Math.min(...known.map(({ noise }) => noise.runs)),
    comparisons: comparisons as PairedDetection["comparisons"],
  };
}

function newestOf(results: Results): number {
  const [newest] = results.listAllSweeps();
  if (newest) return newest.id;
  throw new UserError(`no sweep in ${results.path}: name results that have one`);
}

interface Described {
  readonly document: object;
  readonly lines: readonly string[];
}

/** A dry run with what its runs can show, if --detect or --from was given. `planned`: what the plan compares, read only then. */
export async function withDetection<Attempt extends RuledAttempt>(
  described: Described,
  home: string,
  question: DetectionQuestion,
  planned: () => Promise<PlannedComparisons<Attempt>>,
): Promise<Described> {
  if (question.percent === null && question.from === null) return described;
  const compared = await planned();
  refuseRule(compared.plan);
  const detection = pairedDetection(compared, home, question);
  return {
    document: { ...described.document, detection },
    lines: [...described.lines, ...pairedLines(detection, compared.noun)],
  };
}
