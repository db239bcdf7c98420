// What is asked of a page whose load timed out, and of which page nothing is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { timingsSoFar } from "../../../cli/browser/page.ts";
import { earlyMetrics } from "../../../extension/capture/web_vitals.ts";

const answer = {
  timings: {
    navigations: 1,
    requestStart: 40,
    responseStart: 90,
    firstContentfulPaint: 220,
    largestContentfulPaint: 300,
  },
};

const ask = (documents: readonly string[], evaluate: () => Promise<unknown>) =>
  timingsSoFar({ evaluate }, documents, 20);

test("first byte and first paint of a page whose load event does not come are known, and no others", async () => {
  const timings = await ask(["https://a.example/"], async () => answer);
  const { plt_ms, ttfb_ms, dcl_ms, fcp_ms, lcp_ms, unavailable } = earlyMetrics(timings, "it timed out");
  assert.deepEqual([plt_ms, ttfb_ms, dcl_ms, fcp_ms, lcp_ms], [null, 90, null, 220, null]);
  assert.deepEqual([unavailable.plt_ms, unavailable.lcp_ms], ["it timed out", "it timed out"]);
  assert.match(unavailable.dcl_ms ?? "", /not parsed/);
});

test("the empty page of a load without a document is not asked, nor one that replaced itself, nor is a busy one waited for", async () => {
  assert.equal(await ask([], async () => answer), null);
  assert.equal(await ask(["https://a.example/", "https://b.example/"], async () => answer), null);
  assert.equal(await ask(["https://a.example/"], () => new Promise(() => {})), null);
  assert.equal(await ask(["https://a.example/"], () => Promise.reject(new Error("the page's process ended"))), null);
});
