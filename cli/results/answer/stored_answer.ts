// The answer to a sweep as the results have it. Reads; what is said is answer.ts's.
import type { Results, Sweep } from "../store/results.ts";
import { type MetricChoice, named, samplesOf, usualMetric } from "../verdict/compared_metric.ts";
import { type Answer, soundAnswer } from "./answer.ts";
import { storedEvidence } from "./stored_evidence.ts";

/** `metric`: by what lanes are compared; default: what the sweep ran for. */
export function storedAnswer(
  results: Results,
  sweep: Sweep,
  metric: MetricChoice = sweep.plan.metric ?? usualMetric,
): Answer {
  const stored = results.loadsOf(sweep.id);
  const answer = soundAnswer({
    cells: results.cellsOf(sweep.id),
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
