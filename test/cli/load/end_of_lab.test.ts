// What ended a lab during a load is named, by the program that the lab's command line starts. No browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RunError, UserError } from "../../../cli/base/errors.ts";
import { farSide } from "../../../cli/load/far_side.ts";
import { labFailure } from "../../../cli/load/lab.ts";
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

test("a lab that left no record says why; what would fail every attempt is thrown", () => {
  const of = (code: number | null, stderr = "", signal: NodeJS.Signals | null = null, timedOut = false): string =>
    labFailure({ exit: { code, signal, stderr }, timedOut }, "the client", 30_000);
  assert.equal(of(null, "", "SIGTERM", true), "the client had not ended after 30 s");
  assert.equal(of(137), "the client was killed (SIGKILL)");
  assert.equal(of(1), "the client ended with status 1 and left no record");
  assert.equal(of(1, "first\ntrilane-flows: flow 1 broke\n"), "flow 1 broke");
  assert.throws(() => of(2, "trilane-fetch: --lane: none"), new UserError("--lane: none"));
  assert.throws(() => of(null, "spawn ENOENT"), new RunError("spawn ENOENT"));
});
