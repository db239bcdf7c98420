// The answer to a sweep as the results have it. Reads; what is said is answer.ts's.

import { median } from "../../base/quantile.ts";
import { meanEvidence, type PathEvidence, pathEvidence } from "../../load/metrics/path_evidence.ts";
import type { Cell, Load, Results, Sweep } from "../store/results.ts";
import { type MetricChoice, named, samplesOf, usualMetric } from "../verdict/compared_metric.ts";
import { isMedianOut, isValid, type LanePair, type Sample, timedOut } from "../verdict/sample.ts";
import { type Answer, soundAnswer } from "./answer.ts";
import type { CellEvidence } from "./why.ts";

// The critical paths of two lanes as the results have them: of each page on a link the loads nearest to their lane's median, so that what
// differs between them is what differs between the medians. Reads page loads; bounded, since each is a whole HAR.

/** Page loads read for an answer, of both lanes: half a second or so. */
const mostRead = 80;
/** Of one lane of one page on one link. */
const mostOfCell = 5;

/** The valid loads nearest to their lane's median, the nearest first; none where so many timed out that it is only a lower bound. */
export function nearestToMedian<T extends Sample>(loads: readonly T[], most: number): T[] {
  const valid = loads.filter(isValid) as (T & { plt_ms: number })[];
  const out = loads.filter(timedOut).length;
  if (valid.length === 0 || isMedianOut(valid.length + out, out)) return [];
  const middle_ms = median([...valid.map(({ plt_ms }) => plt_ms), ...Array<number>(out).fill(Number.MAX_VALUE)]);
  return valid.toSorted((a, b) => Math.abs(a.plt_ms - middle_ms) - Math.abs(b.plt_ms - middle_ms)).slice(0, most);
}

/** Of pages on links that have valid loads of both lanes; of many those spread over them evenly. */
function storedEvidence(results: Pick<Results, "harOf">, loads: readonly Load[], pair: LanePair): CellEvidence[] {
  const ofPair = loads.filter(({ lane }) => lane === pair.lane || lane === pair.over);
  const cells = [...Map.groupBy(ofPair, ({ page, link }) => JSON.stringify([page, link])).values()].filter((of) =>
    [pair.lane, pair.over].every((lane) => of.some((load) => load.lane === lane && isValid(load))),
  );
  const step = Math.max(1, Math.ceil((2 * cells.length) / mostRead));
  const looked = cells.filter((_, index) => index % step === 0);
  const each = Math.max(1, Math.min(mostOfCell, Math.floor(mostRead / (2 * Math.max(1, looked.length)))));
  const evidenceOf = (of: readonly Load[], lane: string): PathEvidence | null =>
    meanEvidence(
      nearestToMedian(
        of.filter((load) => load.lane === lane),
        each,
      ).flatMap(({ id }) => pathEvidence(results.harOf(id)) ?? []),
    );
  return looked.flatMap((of) => {
    const [lane, over] = [evidenceOf(of, pair.lane), evidenceOf(of, pair.over)];
    return lane && over ? [{ lane, over }] : [];
  });
}

/** What the results have of a sweep: who wants its answer has read it before. */
export interface ReadSweep {
  readonly sweep: Sweep;
  readonly cells: readonly Cell[];
  /** As they are stored. */
  readonly stored: readonly Load[];
}

/** `metric`: by what lanes are compared; default: what the sweep ran for. */
export function storedAnswer(
  results: Pick<Results, "harOf">,
  { sweep, cells, stored }: ReadSweep,
  metric: MetricChoice = sweep.plan.metric ?? usualMetric,
): Answer {
  const answer = soundAnswer({
    cells,
    loads: samplesOf(stored, metric),
    seed: sweep.seed,
    plan: sweep.plan,
    environment: sweep.environment,
    // A critical path leads to the load event: it explains no other metric.
    evidence: (pair) => (metric === usualMetric ? storedEvidence(results, stored, pair) : []),
  });
  return {
    ...answer,
    sentence: named(answer.sentence, metric),
    ...(metric === usualMetric ? {} : { why: null, paths: null }),
    further: answer.further.map(({ pair, sentence }) => ({ pair, sentence: named(sentence, metric) })),
  };
}
