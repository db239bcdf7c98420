// A run that is asked to end: the load in flight is kept, nothing further is begun, and the next run goes on.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parseTime_ms } from "../../../cli/base/option.ts";
import { earlyEnd } from "../../../cli/engine/early_end.ts";
import { openResults } from "../../../cli/results/store/results.ts";
import { tempFolder } from "../../temp_folder.ts";
import { fastPlan, fastRun, validLoad } from "../instruments/page/run/fast_runner.ts";

let home: string;
beforeEach(() => {
  home = tempFolder("trilane-end-");
});

const options = { "stop-file": undefined, "stop-after": undefined };

test("a stop file ends the run after the load in flight; while it is there nothing begins", async () => {
  const plan = fastPlan();
  const ended = earlyEnd(home, options);
  let measured = 0;
  const first = await fastRun({
    home,
    plan,
    earlyEnd: ended,
    measure: (request) => {
      if (++measured === 5) writeFileSync(join(home, "stop"), "");
      return validLoad(request);
    },
  });
  assert.deepEqual([first.state, first.done], ["stopped", 5]);
  assert.match(first.endReason ?? "", /stop is there: remove it before the next run$/);
  const second = await fastRun({ home, plan, measure: validLoad, earlyEnd: ended });
  assert.deepEqual([second.state, second.done, second.wall_ms], ["stopped", 5, 0]);
  rmSync(join(home, "stop"));
  const third = await fastRun({ home, plan, measure: validLoad, earlyEnd: earlyEnd(home, options) });
  assert.deepEqual([third.state, third.done, third.endReason], ["finished", third.all, null]);
  using results = openResults(home);
  assert.deepEqual(results.loadsOf(1).length, third.all);
});

test("with several labs those in flight are finished, each stored", async () => {
  const labs = { most: 3, mayShare: () => true };
  let begun = 0;
  const outcome = await fastRun({
    home,
    plan: fastPlan(),
    labs,
    earlyEnd: () => (begun >= 3 ? "enough" : null),
    measure: async (request) => {
      begun++;
      await delay(5);
      return validLoad(request);
    },
  });
  assert.deepEqual([outcome.state, outcome.endReason, outcome.done], ["stopped", "enough", 3]);
});

test("a run's time: a length of time, and over when it is", () => {
  assert.deepEqual(
    ["90s", "1.5min", "8h", "2d"].map((text) => parseTime_ms(text, "x")),
    [90_000, 90_000, 28_800_000, 172_800_000],
  );
  for (const text of ["", "8", "0s", "h", "-1h", "8 hours"])
    assert.throws(() => parseTime_ms(text, "--stop-after"), /--stop-after must be a time as 90s, 30min or 8h/);
  assert.equal(earlyEnd(home, { ...options, "stop-after": "1h" })(), null);
  assert.equal(earlyEnd(home, { ...options, "stop-after": "0.000001s" })(), "its 0.000001s are over");
});
