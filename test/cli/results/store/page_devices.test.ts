// A sweep is resumed only if its pages are loaded on the device that they were loaded on before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { namedDevices, usualDevice } from "../../../../cli/browser/device.ts";
import { deviceEnvironment } from "../../../../cli/results/store/page_devices.ts";
import { openResults } from "../../../../cli/results/store/results.ts";
import { unusualDevice } from "../../../../cli/sweep/plan/recording_trial.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { fastPlan, sweepOf } from "../../instruments/page/run/fast_runner.ts";
import { refusedIn } from "../../refused.ts";

test("a sweep is not resumed if a recording of the same digest is for another device now", () => {
  const home = tempFolder("trilane-devices-");
  using results = openResults(home);
  const asked = sweepOf(fastPlan());
  const page = asked.cells[0]?.page ?? "";
  const on = (device: object) => ({
    ...asked,
    environment: {
      ...asked.environment,
      ...deviceEnvironment([[page, unusualDevice({ notes: { device: { ...device } } })]]),
    },
  });
  const id = results.beginSweep(on(usualDevice), false).sweep.id;
  results.release(id);
  assert.throws(
    () => results.beginSweep(on(namedDevices.phone ?? {}), false),
    refusedIn(/^recording \w+ is for another device than when sweep 1 began: .* or begin again with --new$/),
  );
  assert.equal(results.beginSweep(on(usualDevice), false).resumed, true);
});
