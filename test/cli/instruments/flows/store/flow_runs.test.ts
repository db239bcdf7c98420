// cli/instruments/flows/store/flow_runs.ts: a sweep of flows is stored beside those of pages, resumed by one runner, and removed whole.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, test } from "node:test";
import { begunSweep } from "../../../../../cli/engine/session.ts";
import {
  addedFlows,
  flowCellsOf,
  flowPageLoadOf,
  flowRunsOf,
  flowSeriesOf,
  type NewFlowRun,
  type NewFlowSweep,
  recordFlowRun,
} from "../../../../../cli/instruments/flows/store/flow_runs.ts";
import { parseLink } from "../../../../../cli/link/link.ts";
import { openResults, type Results } from "../../../../../cli/results/store/results.ts";
import type { FlowResult } from "../../../../../schemas/generated/flow_result.ts";
import { examplesOf } from "../../../../schemas/mutations.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { pageLoad } from "../../../sweep/page_load.ts";

const link_profile = parseLink("3mbit/50ms");

const result = examplesOf("flow-result").values().next().value as unknown as FlowResult;

const asked: NewFlowSweep = {
  name: "shares",
  plan: { name: "shares", links: ["3mbit/50ms"], mixes: [{ flows: ["tcp:cubic"] }], for_s: 5, repetitions: 3 },
  plan_digest: "flows-1",
  seed: 7,
  command: ["trilane", "flows"],
  environment: { node: "24" },
  flowCells: [
    { mix: "tcp:cubic", link: "3mbit/50ms", link_profile, lane: null },
    { mix: "tcp:reno", link: "3mbit/50ms", link_profile, lane: null },
    { mix: "tcp:reno", link: "3mbit/50ms", link_profile, lane: "h3" },
  ],
};

function run(cell: number, block: number, more: Partial<NewFlowRun> = {}): NewFlowRun {
  const times = { started_at: "2026-01-01T00:00:00.000Z", wall_ms: 5100 };
  const none = { result: null, series: null, pageLoad: null };
  return { cell, block, attempt: 0, position: block, status: "valid", reasons: [], ...times, ...none, ...more };
}

describe("flow runs", () => {
  let home: string;
  let results: Results;
  beforeEach(() => {
    home = tempFolder("trilane-flow-runs-");
    results = openResults(home);
  });
  afterEach(() => {
    results.close();
    rmSync(home, { recursive: true, force: true });
  });

  test("the recording of a sweep is noted with its cells, which are no pages for that", () => {
    const { sweep } = results.begin(addedFlows({ ...asked, recording_digest: "aaaa" }), true);
    assert.equal(results.recordingOf(sweep.id), "aaaa");
    recordFlowRun(results, run(flowCellsOf(results, sweep.id)[0]?.id ?? 0, 0));
    assert.deepEqual([results.cellsOf(sweep.id), results.loadsOf(sweep.id)], [[], []]);
    const without = results.begin(addedFlows(asked), true).sweep;
    assert.equal(results.recordingOf(without.id), null);
  });

  test("a sweep is resumed with the recording that it began with, or begun again", () => {
    const begun = (recording_digest: string | null, fresh = false) =>
      begunSweep(results, addedFlows({ ...asked, recording_digest }), { fresh, shard: undefined });
    const first = begun("aaaa")?.sweep.id ?? 0;
    results.release(first);
    for (const other of ["bbbb", null])
      assert.throws(
        () => begun(other),
        /^UserError: the recording has changed since sweep 1 began \(aaaa, now (bbbb|none)\): .* --new$/,
      );
    const again = begun("aaaa");
    assert.deepEqual([again?.sweep.id, again?.resumed], [first, true]);
    results.release(first);
    assert.equal(begun("bbbb", true)?.resumed, false);
  });

  test("a sweep whose recording an earlier version did not note is resumed", () => {
    results.release(results.begin(addedFlows(asked), false).sweep.id);
    const again = begunSweep(results, addedFlows({ ...asked, recording_digest: "aaaa" }), {
      fresh: false,
      shard: undefined,
    });
    assert.equal(again?.resumed, true);
  });

  test("cells and runs are read as they were stored, with series and page load where there are some", () => {
    const { sweep, resumed } = results.begin(addedFlows(asked), false);
    assert.deepEqual([sweep.kind, resumed, sweep.plan], ["flows", false, asked.plan]);
    const cells = flowCellsOf(results, sweep.id);
    assert.deepEqual(
      cells.map(({ id, sweep: _, ...cell }) => cell),
      asked.flowCells,
    );
    const [first, , third] = cells.map(({ id }) => id);
    const failed = run(first ?? 0, 0, { status: "failed", reasons: ["flow 1: connection refused"] });
    recordFlowRun(results, failed);
    const load = pageLoad({ page: "page", recording_digest: "aaaa", lane: "h3", link: link_profile });
    const whole = run(third ?? 0, 1, { result, series: new Uint8Array([1, 2, 3]), pageLoad: load });
    const id = recordFlowRun(results, whole);
    const stored = flowRunsOf(results, sweep.id);
    assert.deepEqual(
      stored.map(({ mix, lane, status, reasons, result, block }) => [mix, lane, status, reasons, result, block]),
      [
        ["tcp:cubic", null, "failed", ["flow 1: connection refused"], null, 0],
        ["tcp:reno", "h3", "valid", [], result, 1],
      ],
    );
    assert.deepEqual([...(flowSeriesOf(results, id) ?? [])], [1, 2, 3]);
    assert.deepEqual(flowPageLoadOf(results, id), load);
    assert.deepEqual(
      [flowSeriesOf(results, stored[0]?.id ?? 0), flowPageLoadOf(results, stored[0]?.id ?? 0)],
      [null, null],
    );
    assert.deepEqual(results.progressOf(sweep), { cells: 3, planned: 9, attempts: 2, valid: 1, running: true });
  });

  test("a planned run is valid once, whoever runs it", () => {
    const { sweep } = results.begin(addedFlows(asked), false);
    const [cell] = flowCellsOf(results, sweep.id);
    recordFlowRun(results, run(cell?.id ?? 0, 0));
    assert.throws(() => recordFlowRun(results, run(cell?.id ?? 0, 0, { attempt: 1 })), /UNIQUE/);
    assert.equal(flowRunsOf(results, sweep.id).length, 1);
  });

  test("the same mix, link and lane stand once in a sweep, without a lane too", () => {
    const flowCells = [...asked.flowCells, ...asked.flowCells.slice(0, 1)];
    assert.throws(() => results.begin(addedFlows({ ...asked, flowCells }), false), /UNIQUE/);
    assert.deepEqual(results.listAllSweeps(), []);
  });

  test("an unfinished sweep is gone on with, by one runner at a time", () => {
    const { sweep } = results.begin(addedFlows(asked), false);
    assert.throws(() => results.begin(addedFlows(asked), false), /sweep 1 is being run by process/);
    results.release(sweep.id);
    const again = results.begin(addedFlows(asked), false);
    assert.deepEqual([again.sweep.id, again.resumed], [sweep.id, true]);
    results.finishSweep(sweep.id);
    assert.equal(results.begin(addedFlows(asked), false).sweep.id, 2);
    assert.equal(results.begin(addedFlows(asked), true).sweep.id, 3);
  });

  test("what asks for page loads is told in one line what the sweep is", () => {
    const { sweep } = results.begin(addedFlows(asked), false);
    assert.throws(() => results.sweep(sweep.id), /^UserError: sweep 1 has flows and no page loads: [^\n]+$/);
    assert.deepEqual([results.listSweeps(), results.newestSweep(asked.plan_digest)], [[], null]);
    assert.deepEqual(
      results.listAllSweeps().map(({ id, kind }) => [id, kind]),
      [[1, "flows"]],
    );
  });

  test("a removed sweep leaves no row", async () => {
    const { sweep } = results.begin(addedFlows(asked), false);
    const [cell] = flowCellsOf(results, sweep.id);
    for (let block = 0; block < 3; block++) recordFlowRun(results, run(cell?.id ?? 0, block));
    results.release(sweep.id);
    await results.removeSweeps([sweep.id], 0);
    const database = new DatabaseSync(join(home, "results.db"), { readOnly: true });
    const rows = ["sweep", "cell", "attempt", "document"].map(
      (table) => database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows,
    );
    database.close();
    assert.deepEqual(rows, [0, 0, 0, 0]);
  });
});
