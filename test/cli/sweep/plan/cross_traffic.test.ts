// cli/sweep/plan/cross_traffic.ts: flows beside a sweep's loads, from the plan to what a load is given.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadRequest } from "../../../../cli/instruments/page/run/request.ts";
import { flowRunOf } from "../../../../cli/link/flows/flow_run.ts";
import { readMix } from "../../../../cli/link/flows/mix.ts";
import { loadTraffic } from "../../../../cli/sweep/plan/cross_traffic.ts";
import { planDigest, planOf } from "../../../../cli/sweep/plan/plan.ts";

const least = { name: "x", pages: ["page"], lanes: ["h2"], links: ["1mbit/50ms"], repetitions: 1, timeout_s: 20 };
const plan = (change: object = {}) => planOf({ ...least, ...change }, "x");
const amid = { cross_traffic: { flows: ["2*tcp:bbr", "quic@1000ms,up"] } };

test("a plan has its flows in their one form, and when the page begins", () => {
  assert.deepEqual(plan(amid).cross_traffic, { flows: ["2*tcp:bbr", "quic:cubic@1s,up"], page_start_s: 5 });
  assert.equal(plan().cross_traffic, undefined);
});

test("cross traffic is part of the digest, the way it is written is not, and plans without it keep theirs", () => {
  const [without, with5, again, with6] = [
    {},
    amid,
    { cross_traffic: { flows: ["2*tcp:bbr@0s,down", "quic:cubic@1s,up"], page_start_s: 5 } },
    { cross_traffic: { ...amid.cross_traffic, page_start_s: 6 } },
  ].map((change) => planDigest(plan(change)));
  assert.equal(with5, again);
  assert.equal(new Set([without, with5, with6]).size, 3);
});

test("a load is told the flows until after its time-out, and when to begin", () => {
  const made = plan(amid);
  const flows = readMix(amid.cross_traffic.flows, null);
  const expected = {
    run: flowRunOf(flows, { for_s: 5 + 20 + 60, sample_ms: 10, ping_ms: null }),
    words: ["2*tcp:bbr", "quic:cubic@1s,up"],
    pageStart_ms: 5000,
  };
  assert.deepEqual(loadTraffic(made), expected);
  const cell = { page: "page", link: "l", lane: "h2", link_profile: { seed: 1 }, recording_digest: "0" };
  const requestOf = (asked: typeof made) =>
    loadRequest(
      { home: "/", plan: asked, urlOf: () => "https://a.example/", signal: new AbortController().signal },
      cell as Parameters<typeof loadRequest>[1],
      0,
    );
  assert.deepEqual(requestOf(made).crossTraffic, expected);
  assert.equal(requestOf(plan()).crossTraffic, undefined);
});
