// `trilane list` and `trilane remove`: what there is, in 80 columns and as a document; nothing goes that was not named.
// Wide: cli/commands/list.ts, cli/commands/remove.ts, cli/results/store.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { addedFlows } from "../../../cli/instruments/flows/store/flow_runs.ts";
import { parseLink } from "../../../cli/link/link.ts";
import { withArchive } from "../../../cli/recording/archive/client.ts";
import { openResults } from "../../../cli/results/store/results.ts";
import { planOf } from "../../../cli/sweep/plan/plan.ts";
import type { FlowPlanDocument } from "../../../schemas/generated/flow_plan.ts";
import type { List } from "../../../schemas/generated/list.ts";
import { run } from "../../product.ts";
import { schemaErrors } from "../../schemas/schema_errors.ts";
import { tempFolder } from "../../temp_folder.ts";
import { exchange } from "../recording/archive/example_recording.ts";
import { assertRefused } from "../refusal.ts";
import { pageLoad } from "../sweep/page_load.ts";

const link_profile = parseLink("3mbit/50ms");
let home: string;

beforeEach(() => {
  home = tempFolder("trilane-list-");
});

const trilane = (...words: string[]) => run(home, words);

function documentOf(schema: string, ...words: string[]): unknown {
  const { status, stdout, stderr } = trilane(...words, "--json");
  assert.equal(status, 0, stderr);
  const document: unknown = JSON.parse(stdout);
  assert.equal(schemaErrors(schema, document), null);
  return document;
}

const list = () => documentOf("list", "list") as List;

async function record(...names: string[]): Promise<void> {
  await withArchive(home, async (archive) => {
    for (const name of names) {
      const recording = { name, url: "https://a.example/", source: "test", notes: {}, replace: false };
      await archive.write(recording, (writer) =>
        writer.add({
          exchange: exchange("/", { body_origin: "filled" }),
          body: Buffer.alloc(123_456),
        }),
      );
    }
  });
}

/** A sweep of `page` over two lanes with one valid load and one failed; released, so that it is nobody's. */
function sweep(page: string, finished: boolean): number {
  const plan = planOf(
    { name: page, pages: [page], lanes: ["h1", "h3"], links: ["3mbit/50ms"], repetitions: 5 },
    "test",
  );
  const cells = plan.lanes.map((lane) => ({ page, recording_digest: "aaaa", lane, link: "3mbit/50ms", link_profile }));
  const results = openResults(home);
  const begun = { name: page, plan, plan_digest: page, seed: 7, command: ["trilane"], environment: {}, cells };
  const { id } = results.beginSweep(begun, false).sweep;
  const [cell] = results.cellsOf(id);
  assert.ok(cell);
  for (const [attempt, status] of (["failed", "valid"] as const).entries()) {
    const load = pageLoad({ page, recording_digest: "aaaa", lane: "h1", link: link_profile, status });
    results.recordLoad({ cell: cell.id, block: 0, attempt, position: 0, started_at: "2026-01-01T00:00:00.000Z", load });
  }
  if (finished) results.finishSweep(id);
  results.release(id);
  results.close();
  return id;
}

test("an empty home: what to do next, and nothing made", () => {
  const { status, stdout } = trilane("list");
  assert.equal(status, 0);
  assert.match(stdout, /trilane import/);
  assert.match(stdout, /trilane sweep/);
  assert.deepEqual([list().recordings, list().sweeps], [[], []]);
  assert.equal(existsSync(join(home, "archive.db")) || existsSync(join(home, "results.db")), false);
});

/** A sweep of flows, in which nothing has run yet; it is nobody's. */
function flowSweep(): number {
  const results = openResults(home);
  const plan: FlowPlanDocument = {
    name: "shares",
    links: ["3mbit/50ms"],
    mixes: [{ flows: ["tcp"] }],
    for_s: 5,
    repetitions: 4,
  };
  const flowCells = [{ mix: "tcp:cubic", link: "3mbit/50ms", link_profile, lane: null }];
  const head = { name: "shares", plan_digest: "flows", seed: 7, command: [], environment: {} };
  const { id } = results.begin(addedFlows({ ...head, plan, flowCells }), false).sweep;
  results.release(id);
  results.close();
  return id;
}

test("a sweep of flows is listed with its mixes and removed; what needs runs of one kind says so in one line", async () => {
  sweep("shop", true);
  const id = String(flowSweep());
  assert.match(trilane("list").stdout, /^2 shares +1 mix +- +1 +0 of 4 +unfinished +/m);
  const [listed] = list().sweeps;
  assert.deepEqual([listed?.kind, listed?.mixes, listed?.lanes], ["flows", 1, []]);
  for (const [words, error] of [
    [["compare", "1", id], /^sweep 1 is of pages, sweep 2 of flows: /],
    [["bundle", id], /^sweep 2 has no runs yet: /],
  ] as const)
    await assertRefused([...words, "--home", home], error);
  assert.equal(trilane("remove", "--sweep", id).status, 0);
  assert.deepEqual(
    list().sweeps.map(({ kind }) => kind),
    ["pages"],
  );
});

test("recordings and sweeps are listed in at most 80 columns", async () => {
  const long = `${"long-".repeat(19)}name1`;
  await record("shop", long);
  sweep("shop", true);
  sweep(long, false);
  const { stdout } = trilane("list");
  for (const line of stdout.split("\n")) assert.ok(line.length <= 80, `${line.length} columns: ${line}`);
  assert.match(stdout, /^shop +1 +1 +1 +1 +123 kB +\d{4}-\d\d-\d\d$/m);
  assert.match(stdout, /^long-\S*…\S*name1 /m);
  assert.match(stdout, /^1 shop +1 +2 +1 +1 of 10 +finished +\d{4}-\d\d-\d\d$/m);
  assert.match(stdout, /^2 long-\S* +1 +2 +1 +1 of 10 +unfinished +/m);
  const { recordings, sweeps } = list();
  assert.deepEqual(
    recordings.map(({ name }) => name),
    [long, "shop"],
  );
  assert.deepEqual(
    sweeps.map(({ id, state, cells, planned, attempts, valid }) => ({ id, state, cells, planned, attempts, valid })),
    [
      { id: 2, state: "unfinished", cells: 2, planned: 10, attempts: 2, valid: 1 },
      { id: 1, state: "finished", cells: 2, planned: 10, attempts: 2, valid: 1 },
    ],
  );
});

test("what is named is removed, and nothing else", async () => {
  await record("a", "b", "c");
  const [first, second] = [sweep("a", true), sweep("b", false)];
  assert.deepEqual(documentOf("removed", "remove", "a", "c", "--sweep", String(first)), {
    schema: "trilane/removed/1",
    recordings: ["a", "c"],
    sweeps: [first],
  });
  assert.deepEqual(
    list().recordings.map(({ name }) => name),
    ["b"],
  );
  assert.deepEqual(
    list().sweeps.map(({ id, attempts }) => [id, attempts]),
    [[second, 2]],
  );
  const reports = join(home, "reports");
  mkdirSync(reports, { recursive: true });
  const own = [`${second}-b.html`, `${second}-b-lcp.html`];
  const others = [`${second}1-b.html`, `${second}-notes.txt`];
  for (const name of [...own, ...others]) writeFileSync(join(reports, name), "");
  assert.equal(trilane("remove", "--sweep", String(second)).stdout, "removed 1 sweep\n");
  assert.deepEqual(readdirSync(reports).toSorted(), others.toSorted());
  assert.deepEqual(list().sweeps, []);
});

test("one thing that is not there, and nothing is removed", async () => {
  await record("a");
  const id = String(sweep("a", true));
  for (const [words, names] of [
    [["a", "nosuch"], /nosuch/],
    [["a", "--sweep", "99"], /99/],
    [["--sweep", id, "--sweep", "99"], /99/],
    [["nosuch", "--sweep", id], /nosuch/],
    [[id], /recording "1": not in the archive: sweep 1 is removed with `trilane remove --sweep 1`/],
    [["a", "--sweep", "one"], /one/],
    [[], /nothing to remove/],
  ] as const)
    await assertRefused(["remove", ...words, "--home", home], names);
  assert.equal(list().recordings.length, 1);
  assert.equal(list().sweeps.length, 1);
});

test("a sweep that is being run is listed as running, and stays", () => {
  const id = sweep("a", false);
  const results = openResults(home);
  const plan = planOf({ name: "a", pages: ["a"], lanes: ["h1", "h3"], links: ["3mbit/50ms"], repetitions: 5 }, "test");
  const cells = results.cellsOf(id).map(({ id: _id, sweep: _sweep, ...cell }) => cell);
  const asked = { name: "a", plan, plan_digest: "a", seed: 7, command: [], environment: {}, cells };
  assert.equal(results.beginSweep(asked, false).resumed, true); // by this process, which lives
  assert.equal(list().sweeps[0]?.state, "running");
  const { status, stderr } = trilane("remove", "--sweep", String(id));
  assert.equal(status, 2);
  assert.match(stderr, /is being run/);
  results.close();
  assert.equal(list().sweeps.length, 1);
});
