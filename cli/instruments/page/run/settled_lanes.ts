// Which lanes of which pages on which links of a running sweep have loads enough, if its plan says when (`until`). Takes the loads that count, by
// the plan's metric; the rule itself is cli/results/verdict/load_stopping_rule.ts's, when it is looked at cli/engine/settled_sides.ts's.
import { SettledSides } from "../../../engine/settled_sides.ts";
import { type Measured, samplesOf } from "../../../results/verdict/compared_metric.ts";
import { settledLanes } from "../../../results/verdict/load_stopping_rule.ts";
import type { Sample } from "../../../results/verdict/sample.ts";
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
  const samples = Map.groupBy(samplesOf(loads, metric), keyOf);
  const settled = new SettledSides((place, block) => {
    const before = (samples.get(place) ?? []).filter((sample) => sample.block < block);
    return new Set(settledLanes(before, lanes, until));
  });
  return {
    add: (load) => {
      for (const sample of samplesOf([load], metric)) {
        const place = keyOf(sample);
        const known = samples.get(place);
        if (known) known.push(sample);
        else samples.set(place, [sample]);
      }
    },
    isEnough: (place, block) => settled.isEnough(keyOf(place), place.lane, block),
  };
}
