// What a trial load showed is made once, kept with its reasons, and said as the loads will be.
import assert from "node:assert/strict";
import { test } from "node:test";
import { trialFinding } from "../../../cli/pages/trial_finding.ts";
import type { Recording } from "../../../cli/recording/archive/archive.ts";
import { openResults } from "../../../cli/results/store/results.ts";
import { tempFolder } from "../../temp_folder.ts";

const recording: Recording = {
  id: 1,
  name: "shop",
  url: "https://shop.test/",
  source: "har: Chrome 47",
  created_at: "2026-01-01T00:00:00.000Z",
  recorded_at: null,
  digest: "d".repeat(64),
  notes: {},
  exchanges: 1,
  hosts: 1,
  addresses: 1,
  body_bytes: 1,
  filled: 0,
};

test("a recording that was tried is not tried again, and its reasons are those of its trial", async () => {
  const home = tempFolder("trilane-recording-trial-");
  for (const outside of [[], ["asked for 1 of 65 recorded requests"]]) {
    const results = openResults(home);
    results.recordTrial(recording.digest, { moment_ms: 1000, outside });
    assert.deepEqual(results.trialOf(recording.digest), { moment_ms: 1000, outside });
    assert.equal(results.trialOf("another"), null);
    results.close();
    const said: string[] = [];
    // A trial would fail: there is no such recording.
    assert.deepEqual(await trialFinding(home, recording, { say: (line) => said.push(line) }), {
      outside,
      failure: null,
    });
    assert.deepEqual(said, []);
  }
});
