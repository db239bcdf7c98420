// cli/link/flows/flow_run.ts: what both ends of a mix are given.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flowRunOf, runFlow } from "../../../../cli/link/flows/flow_run.ts";
import { formatFlow } from "../../../../cli/link/flows/flow_words.ts";
import { readMix } from "../../../../cli/link/flows/mix.ts";
import { schemaErrors } from "../../../schemas/schema_errors.ts";

test("a run has each flow by itself, in whole milliseconds", () => {
  const words = ["2*quic:cubic-n2@0.5s,migrate=2s", "tcp:bbr@29.999s,paced,up,for=30.001s,size=8MB"];
  const run = flowRunOf(readMix(words, null), { for_s: 60.0005, sample_ms: 5, ping_ms: 100 });
  assert.equal(schemaErrors("flow-run", run), null);
  const quic = { transport: "quic", congestion: "cubic-n2", migrate_ms: 2000, direction: "down" };
  const times = { start_ms: 500, duration_ms: null, size_bytes: null };
  const tcp = {
    transport: "tcp",
    congestion: "bbr",
    paced: true,
    direction: "up",
    start_ms: 29_999,
    duration_ms: 30_001,
  };
  assert.deepEqual(run, {
    ...{ schema: "trilane/flow-run/1", for_ms: 60_001, sample_ms: 5, ping_ms: 100 },
    flows: [
      { ...quic, ...times },
      { ...quic, ...times },
      { ...tcp, size_bytes: 8_000_000 },
    ],
  });
  assert.deepEqual(run.flows.map(runFlow).map(formatFlow), [
    "quic:cubic-n2@500ms,migrate=2s",
    "quic:cubic-n2@500ms,migrate=2s",
    "tcp:bbr@29.999s,paced,up,for=30.001s,size=8MB",
  ]);
});
