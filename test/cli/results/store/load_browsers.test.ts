// Which browser each load ran with: stored with it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fastPlan, fastRun, storedLoads } from "../../instruments/page/run/fast_runner.ts";
import { withHome } from "../../report/fixture.ts";
import { pageLoad } from "../../sweep/page_load.ts";

const digest = (of: string): string => of.repeat(64);

test("each load is stored with its browser", async () => {
  await withHome(async (home) => {
    const plan = fastPlan({ pages: ["a"], lanes: ["h1"], links: ["1mbit/20ms"], repetitions: 3 });
    const versions = ["156.0", "157.0", ""];
    await fastRun({
      home,
      plan,
      measure: async ({ recording, lane, link }) => {
        const load = pageLoad({ page: recording.name, recording_digest: recording.digest, lane, link });
        load.log.browser.version = versions.shift() ?? "";
        load.log._trilane.environment.browser_sha256 = digest("a");
        return load;
      },
    });
    const browsers = () => storedLoads(home).map((load) => [load.browser_version, load.browser_sha256]);
    assert.deepEqual(browsers(), [
      ["156.0", digest("a")],
      ["157.0", digest("a")],
      // It did not start.
      [null, null],
    ]);
  });
});
