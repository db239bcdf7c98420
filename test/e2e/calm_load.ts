// A measured load for tests of time: measured again, on a calmer machine, while nothing is wrong with it but that the machine
// disturbed it (test/calm_machine.ts).
import assert from "node:assert/strict";
import { isDisturbed } from "../../cli/measure/disturbance.ts";
import { type LoadOptions, measureLoad, type PageLoad } from "../../cli/measure/load.ts";
import type { Calm } from "../calm_machine.ts";

export function calmLoad(calm: Calm, options: LoadOptions): Promise<PageLoad> {
  return calm.measure(async () => {
    const value = await measureLoad(options);
    const { status, reasons, lane, page } = value.log._trilane;
    if (status === "valid") return { value };
    assert.ok(reasons.every(isDisturbed), `${page} ${lane}: ${reasons.join("; ")}`);
    return { disturbed: `${page} ${lane}: ${reasons.join("; ")}` };
  });
}
