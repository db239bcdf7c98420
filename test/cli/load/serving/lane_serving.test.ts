// cli/load/serving/serving.ts: what a lane's settings change of a plan's serving, and what they leave.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadRequest } from "../../../../cli/instruments/page/run/request.ts";
import { laneServing, presets } from "../../../../cli/load/serving/serving.ts";
import { cellsOf, planDigest, planOf } from "../../../../cli/sweep/plan/plan.ts";

const settings = { tuned: { preset: "tuned" as const }, bbr: { tcp: { congestion_control: "bbr" as const } } };
const serving = { think: { ms: 20 }, transport: { tcp: { pacing: true } } };

test("a lane's settings change its transports alone, one by one, or all with a preset", () => {
  assert.equal(laneServing({ serving, settings }, "h2").transport.tcp.pacing, true);
  const bbr = laneServing({ serving, settings }, "h2:bbr");
  assert.deepEqual([bbr.think, bbr.transport.tcp.pacing], [{ ms: 20 }, true]);
  assert.equal(bbr.transport.tcp.congestion_control, "bbr");
  const tuned = laneServing({ serving, settings }, "h2:tuned");
  assert.deepEqual(tuned.transport, { preset: "tuned", ...presets.tuned });
  assert.deepEqual(tuned.think, { ms: 20 });
});

test("each cell is asked for on its lane, with its settings, and with the same luck on the link", () => {
  const links = ["3mbit/50ms"];
  const lanes = ["h3", "h2", "h2:bbr"];
  const plan = planOf(
    { name: "x", pages: ["page"], lanes, links, repetitions: 1, settings: { bbr: settings.bbr } },
    "x",
  );
  const { signal } = new AbortController();
  const requests = cellsOf(plan).map((cell, id) =>
    loadRequest(
      { home: "/nowhere", plan, urlOf: (page) => `https://${page}/`, signal },
      { id, sweep: 1, recording_digest: "", ...cell },
      0,
    ),
  );
  assert.deepEqual(
    requests.map(({ lane, serving }) => [lane, serving?.transport.tcp.congestion_control]),
    [
      ["h3", "cubic"],
      ["h2", "cubic"],
      ["h2", "bbr"],
    ],
  );
  assert.equal(new Set(requests.map(({ link }) => link.seed)).size, 1);
});

test("settings are part of what a sweep is", () => {
  const digest = (settings: object) =>
    planDigest(
      planOf(
        {
          name: "x",
          pages: ["page"],
          lanes: ["h2:a"],
          links: ["3mbit/50ms"],
          repetitions: 1,
          settings: { a: settings },
        },
        "x",
      ),
    );
  assert.notEqual(digest({ preset: "tuned" }), digest({ tcp: { pacing: true } }));
});
