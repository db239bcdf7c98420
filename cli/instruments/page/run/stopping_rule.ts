// Which lanes of which pages on which links of a running sweep have loads enough, where its plan says when (`until`). Keeps
// the loads that count, by the plan's metric; the rule itself is cli/results/verdict/stopping_decision.ts's.
import { type Measured, samplesOf } from "../../../results/verdict/compared_metric.ts";
import type { Sample } from "../../../results/verdict/sample.ts";
import { settledLanes } from "../../../results/verdict/stopping_decision.ts";
import type { Plan } from "../../../sweep/plan/plan_document.ts";

type Ruled = Pick<Plan, "until" | "metric"> & { readonly lanes: readonly string[] };
type Place = Pick<Sample, "page" | "link">;

const keyOf = ({ page, link }: Place): string => JSON.stringify([page, link]);

export class StoppingRule {
  readonly #plan: Ruled;
  readonly #loads = new Map<string, Sample[]>();
  /** Lanes by place, and the last block before which it was looked at. */
  readonly #settled = new Map<string, { readonly block: number; readonly lanes: readonly string[] }>();

  constructor(plan: Ruled, loads: readonly Measured[]) {
    this.#plan = plan;
    for (const load of loads) this.add(load);
  }

  add(load: Measured): void {
    if (!this.#plan.until) return;
    const added = samplesOf([load], this.#plan.metric);
    const loads = this.#loads.get(keyOf(load));
    if (loads) loads.push(...added);
    else this.#loads.set(keyOf(load), [...added]);
  }

  /** Whether a lane has loads enough by the blocks before `block`, so that it need not run in it. */
  isEnough(place: Place & Pick<Sample, "lane">, block: number): boolean {
    const { until, lanes } = this.#plan;
    if (!until) return false;
    const key = keyOf(place);
    let settled = this.#settled.get(key);
    // Within a block every lane has its turn, whatever the first ones say; a load of an earlier one was deferred.
    if (settled === undefined || (block > settled.block && settled.lanes.length < lanes.length)) {
      const before = (this.#loads.get(key) ?? []).filter((load) => load.block < block);
      settled = { block, lanes: settledLanes(before, lanes, until) };
      this.#settled.set(key, settled);
    }
    return settled?.lanes.includes(place.lane) ?? false;
  }
}
