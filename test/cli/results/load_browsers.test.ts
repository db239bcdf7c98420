// Which browser each load ran with: stored with it, and unknown in results of before.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openResults, openResultsFile } from "../../../cli/results/results.ts";
import { withHome } from "../report/fixture.ts";
import { fastPlan, fastRun, storedLoads } from "../sweep/fast_runner.ts";
import { pageLoad } from "../sweep/page_load.ts";

const digest = (of: string): string => of.repeat(64);

test("each load tells its browser; results of before the table can be read, only or to go on, and tell none", async () => {
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
    const path = join(home, "results.db");
    const database = new DatabaseSync(path);
    database.exec("DROP TABLE load_browser");
    database.close();
    const read = openResultsFile(path);
    assert.equal(read.loadsOf(1).length, 3);
    assert.equal(read.loadsOf(1)[0]?.browser_version, null);
    read.close();
    openResults(home).close();
    assert.deepEqual(browsers(), Array(3).fill([null, null]));
  });
});
