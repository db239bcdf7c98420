// The range of an option that stands for a plan's setting is the one that the schema of plans has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { planRange } from "../../../../cli/sweep/plan/plan_range.ts";

test("the range of a setting, and of a setting of the plan's until", () => {
  assert.deepEqual(planRange("repetitions"), { least: 1, most: 10_000, above: false, whole: true });
  for (const setting of ["decided_percent", "interval_percent"])
    assert.deepEqual(planRange(setting, "per cent"), {
      ...{ least: 0, most: 50, above: true, whole: false },
      unit: "per cent",
    });
});

test("the range of a setting of cross traffic, and of a plan of flows", () => {
  assert.deepEqual(planRange("page_start_s"), { least: 1, most: 3600, above: false, whole: false });
  assert.deepEqual(planRange("sample_ms", "ms", "flow-plan"), {
    ...{ least: 1, most: 1000, above: false, whole: true },
    unit: "ms",
  });
});
