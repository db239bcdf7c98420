// cli/instruments/flows/run/outcome.ts: what is said of a page that was loaded amid flows.

import assert from "node:assert/strict";
import { test } from "node:test";
import { flowCellResults, flowTable } from "../../../../../cli/instruments/flows/run/outcome.ts";
import type { RunCell } from "../../../../../cli/instruments/flows/run/tasks.ts";
import type { FlowRunRow } from "../../../../../cli/instruments/flows/store/flow_runs.ts";
import { readMix } from "../../../../../cli/link/flows/mix.ts";
import { parseLink } from "../../../../../cli/link/link.ts";

const cell = (id: number, lane: RunCell["lane"]): RunCell => ({
  ...{ id, sweep: 1, mix: "tcp:bbr", lane, link: "5mbit/50ms", link_profile: parseLink("5mbit/50ms") },
  flows: readMix(["tcp:bbr"], null),
});

const run = (id: number, of: number, status: FlowRunRow["status"]): FlowRunRow => ({
  ...{ id, cell: of, block: id, attempt: 0, position: id, status, reasons: [], mix: "tcp:bbr", link: "5mbit/50ms" },
  ...{ lane: "h3", started_at: "2026-11-24T00:00:00Z", wall_ms: 1, result: null },
});

test("the page load time is the median over valid runs, with an interval once there are enough", () => {
  const runs = Array.from({ length: 9 }, (_, id) => run(id, 1, "valid"));
  const [summed] = flowCellResults([cell(1, "h3")], [...runs, run(99, 1, "invalid")], ({ id }) =>
    id === 99 ? 9e6 : 1000 + id * 10,
  );
  assert.equal(summed?.plt?.median_ms, 1040);
  assert.ok((summed?.plt?.low_ms ?? 0) >= 1000 && (summed?.plt?.high_ms ?? 0) <= 1080);
  assert.match(
    flowTable(summed ? [summed] : []).join("\n"),
    /^5mbit\/50ms, page over h3: PLT 1040 ms \(10\d0 to 10\d0 ms\)\n/,
  );
});

test("without a valid run there is none; without a page nothing is said of one", () => {
  const [without] = flowCellResults([cell(1, "h1")], [run(1, 1, "failed")], () => 5);
  assert.deepEqual(without?.plt, { median_ms: null, low_ms: null, high_ms: null });
  assert.match(flowTable(without ? [without] : []).join("\n"), /^5mbit\/50ms, page over h1: no PLT\n/);
  const [flowsAlone] = flowCellResults([cell(1, null)], [run(1, 1, "valid")]);
  assert.equal(flowsAlone?.plt, undefined);
  assert.doesNotMatch(flowTable(flowsAlone ? [flowsAlone] : []).join("\n"), /page/);
});
