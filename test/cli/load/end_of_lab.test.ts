// What ended a lab during a load is named, by the program that the lab's command line starts. No browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { farSide } from "../../../cli/load/far_side.ts";
import { endDuringLoad } from "../../../cli/load/observe.ts";
import { stockServing } from "../../../cli/load/serving/serving.ts";

test("a killed program is named with its signal; what it ran is the browser, with its own", () => {
  const of = (code: number | null, signal: NodeJS.Signals | null, outermost = "trilane-replay"): string =>
    endDuringLoad({ code, signal, stderr: "" }, outermost);
  assert.equal(of(null, "SIGKILL"), "trilane-replay was killed during the load (SIGKILL)");
  assert.equal(of(null, "SIGKILL", "trilane-shaper"), "trilane-shaper was killed during the load (SIGKILL)");
  assert.equal(of(137, null), "the browser ended during the load (SIGKILL)");
  assert.equal(of(1, null), "the browser ended during the load (exit status 1)");
});

test("behind live servers no trilane-replay runs: the lab's program is trilane-shaper", async () => {
  const definition = { live: {} };
  const server = { name: "live", definition, live: { far: ["bash", "live_lab.sh", "--"], own: null } };
  const { lab, outermost } = await farSide({
    ...{ home: "/h", recording: { name: "page", digest: "" }, lane: "h2", byBrowser: false, serving: stockServing },
    ...{ server, evidence: null, scratch: "/s" },
  });
  assert.deepEqual([lab.recording, outermost], [null, "trilane-shaper"]);
});
