// How a sweep's figures stand beside those of the study whose plan it ran, in one sentence for each browser. Pure.
import type { Load } from "../store/results.ts";
import { sidesOf } from "../verdict/sides_agree.ts";
import { agreementSentence, comparedFigures } from "./agreement.ts";
import { studies } from "./all.ts";
import { comparedSpreads } from "./spread.ts";
import { studyOfPlan } from "./study.ts";

/** Empty: the plan of that name is no study's. */
export function publishedSentences(plan: string, all: readonly Load[], seed: number): string[] {
  const study = studyOfPlan(studies, plan);
  if (study === null) return [];
  return sidesOf(all).flatMap(({ name, loads }) => {
    const found = agreementSentence([...comparedFigures(study, loads, seed), ...comparedSpreads(study, loads, seed)]);
    return found === null ? [] : [name === "" ? found : `${name}: ${found}`];
  });
}
