// Which lanes of which pages on which links of a running sweep have loads enough, if its plan says when (`until`). Takes the loads that count, by
// the plan's metric; the rule itself is cli/results/verdict/stopping_rule.ts's, when it is looked at cli/engine/settled_sides.ts's.
import { StoppingRule } from "../../../engine/settled_sides.ts";
import { type Measured, samplesOf } from "../../../results/verdict/compared_metric.ts";
import type { Sample } from "../../../results/verdict/sample.ts";
import { settledLanes } from "../../../results/verdict/stopping_rule.ts";
import type { Plan } from "../../../sweep/plan/plan_document.ts";

type Ruled = Pick<Plan, "until" | "metric"> & { readonly lanes: readonly string[] };
type Place = Pick<Sample, "page" | "link">;

const keyOf = ({ page, link }: Place): string => JSON.stringify([page, link]);

export interface PageRule {
  readonly add: (load: Measured) => void;
  /** Whether a lane has loads enough by the blocks before `block`, so that it need not run in it. */
  readonly isEnough: (place: Place & Pick<Sample, "lane">, block: number) => boolean;
}

export function pageRule({ until, metric, lanes }: Ruled, loads: readonly Measured[]): PageRule {
  if (!until) return { add: () => undefined, isEnough: () => false };
  const settled = (samples: readonly Sample[]) => new Set(settledLanes(samples, lanes, until));
  const rule = new StoppingRule<Sample, string>({ placeOf: keyOf, settled }, samplesOf(loads, metric));
  return {
    add: (load) => {
      for (const sample of samplesOf([load], metric)) rule.add(sample);
    },
    isEnough: (place, block) => rule.isEnough(keyOf(place), place.lane, block),
  };
}
