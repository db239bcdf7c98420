// A measured load for tests of time: one that the machine disturbed is taken all the same, and noted (test/calm_machine.ts).
import assert from "node:assert/strict";
import { excess_ms } from "../../cli/load/disturbance.ts";
import type { LoadRequest, PageLoad } from "../../cli/load/load.ts";
import { linkIsOut } from "../../cli/load/selftest/format.ts";
import type { Calm } from "../calm_machine.ts";
import { untimedLoad } from "./untimed_load.ts";

/** As a load is judged by default. */
const tolerated_ms = (plt_ms: number): number => Math.max(5, plt_ms / 100);

export async function calmLoad(calm: Calm, options: LoadRequest): Promise<PageLoad> {
  const load = await untimedLoad(options);
  const { status, reasons, lane, page, disturbance, metrics } = load.log._trilane;
  assert.equal(status, "valid", `${page} ${lane}: ${reasons.join("; ")}`);
  const added_ms = disturbance ? excess_ms(disturbance) : 0;
  if (added_ms > tolerated_ms(metrics.plt_ms ?? 0))
    calm.disturbed(`${page} ${lane}: by up to ${added_ms.toFixed(1)} ms`);
  return load;
}

/** Of a sweep that ended because no attempt counted: what it says of the machine, and of its link, which a busy machine delays, too. */
export function noteDisturbed(said: unknown, calm: Calm): void {
  const words = JSON.stringify(said ?? "");
  if (new RegExp(`the machine (disturbed|held up)|${linkIsOut}`).test(words)) calm.disturbed(words);
}
