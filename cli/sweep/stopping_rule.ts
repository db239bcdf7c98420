// Which lanes of which pages on which links of a running sweep have loads enough, where its plan says when (`until`). Keeps
// the loads that count; the rule itself is cli/results/verdict/stopping_decision.ts's.
import type { PlanUntil } from "../../schemas/generated/sweep_plan.ts";
import type { Sample } from "../results/verdict/sample.ts";
import { settledLanes } from "../results/verdict/stopping_decision.ts";

type Place = Pick<Sample, "page" | "link">;

const keyOf = ({ page, link }: Place): string => JSON.stringify([page, link]);

export class StoppingRule {
  readonly #until: PlanUntil | undefined;
  readonly #lanes: readonly string[];
  readonly #loads = new Map<string, Sample[]>();
  /** Lanes by place, and the last block before which it was looked at. */
  readonly #settled = new Map<string, { readonly block: number; readonly lanes: readonly string[] }>();

  constructor(until: PlanUntil | undefined, lanes: readonly string[], loads: readonly Sample[]) {
    this.#until = until;
    this.#lanes = lanes;
    for (const load of loads) this.add(load);
  }

  add(load: Sample): void {
    if (!this.#until) return;
    const loads = this.#loads.get(keyOf(load));
    if (loads) loads.push(load);
    else this.#loads.set(keyOf(load), [load]);
  }

  /** Whether a lane has loads enough by the blocks before `block`, so that it need not run in it. */
  isEnough(place: Place & Pick<Sample, "lane">, block: number): boolean {
    if (!this.#until) return false;
    const key = keyOf(place);
    let settled = this.#settled.get(key);
    // Within a block every lane has its turn, whatever the first ones say; a load of an earlier one was deferred.
    if (settled === undefined || (block > settled.block && settled.lanes.length < this.#lanes.length)) {
      const before = (this.#loads.get(key) ?? []).filter((load) => load.block < block);
      settled = { block, lanes: settledLanes(before, this.#lanes, this.#until) };
      this.#settled.set(key, settled);
    }
    return settled?.lanes.includes(place.lane) ?? false;
  }
}
