// Which pages on which links of a running sweep have loads enough, where its plan says when (`until`). Keeps the loads
// that count; the rule itself is cli/stats/settled.ts's.
import type { PlanUntil } from "../../schemas/generated/sweep_plan.ts";
import type { Sample } from "../stats/sample.ts";
import { isSettled } from "../stats/settled.ts";

type Place = Pick<Sample, "page" | "link">;

const keyOf = ({ page, link }: Place): string => JSON.stringify([page, link]);

export class Enough {
  readonly #until: PlanUntil | undefined;
  readonly #lanes: readonly string[];
  readonly #loads = new Map<string, Sample[]>();
  readonly #settled = new Set<string>();
  /** The block that a place was last looked at before. */
  readonly #seen = new Map<string, number>();

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

  /** Whether the loads of the blocks before `block` are enough, so that it need not run. */
  isEnough(place: Place, block: number): boolean {
    const key = keyOf(place);
    if (!this.#until || this.#settled.has(key)) return this.#settled.has(key);
    // Within a block every lane has its turn, whatever the first ones say.
    if (this.#seen.get(key) === block) return false;
    this.#seen.set(key, block);
    const before = (this.#loads.get(key) ?? []).filter((load) => load.block < block);
    if (isSettled(before, this.#lanes, this.#until)) this.#settled.add(key);
    return this.#settled.has(key);
  }
}
