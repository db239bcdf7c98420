// The answer to a sweep as the results have it. Reads; what is said is answer.ts's.
import type { Results, Sweep } from "../store/results.ts";
import { type Answer, answerOf } from "./answer.ts";
import { storedEvidence } from "./stored_evidence.ts";

export function storedAnswer(results: Results, sweep: Sweep): Answer {
  const loads = results.loadsOf(sweep.id);
  return answerOf({
    cells: results.cellsOf(sweep.id),
    loads,
    seed: sweep.seed,
    plan: sweep.plan,
    environment: sweep.environment,
    evidence: (pair) => storedEvidence(results, loads, pair),
  });
}
