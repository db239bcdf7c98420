// What the results keep of requests that were not matched exactly, told once for all loads in which they came.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Lane } from "../../../../cli/base/lanes.ts";
import { randomSource } from "../../../../cli/base/random.ts";
import { parseLink } from "../../../../cli/link/link.ts";
import { openResults, type Results } from "../../../../cli/results/store/results.ts";
import { planOf } from "../../../../cli/sweep/plan/plan.ts";
import type { HarEntry } from "../../../../schemas/generated/page_load.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { pageLoadOf } from "../../report/fixture.ts";

type Match = Pick<HarEntry["_trilane"], "match" | "instead">;

const link = "3mbit/50ms";

function begin(results: Results, lanes: Lane[]) {
  const plan = planOf({ name: "test", pages: ["page"], lanes, links: [link], repetitions: 3 }, "test");
  const cell = { page: "page", recording_digest: "aaaa", link, link_profile: parseLink(link) };
  const cells = lanes.map((lane) => ({ ...cell, lane }));
  return results.beginSweep(
    { name: "test", plan, plan_digest: "1", seed: 1, command: [], environment: {}, cells },
    false,
  ).sweep.id;
}

function addLoad(results: Results, sweep: number, lane: Lane, block: number, requests: readonly [string, Match][]) {
  const random = randomSource(1);
  const urls = requests.map(([url]) => url);
  const load = pageLoadOf({ page: "page", link, lane, plt_ms: 900, urls, status: "valid", reasons: [] }, random);
  load.log.entries.forEach((entry, index) => {
    delete entry._trilane.match;
    Object.assign(entry._trilane, requests[index]?.[1]);
  });
  const cell = results.cellsOf(sweep).find((each) => each.lane === lane)?.id ?? 0;
  results.recordLoad({ cell, block, attempt: 0, position: 0, started_at: "2026-01-01T00:00:00.000Z", load });
}

const exact: Match = { match: "exact" };
const missed: Match = { match: "missed" };
const fuzzy = (url: string, likeness: number): Match => ({
  match: "fuzzy",
  instead: { url, difference: "query", likeness },
});

async function withResults(use: (results: Results, home: string) => void | Promise<void>): Promise<void> {
  const home = tempFolder("trilane-unmatched-");
  using results = openResults(home);
  await use(results, home);
}

test("a request with another time stamp in each load is told once, with the loads of each lane", async () => {
  await withResults((results) => {
    const sweep = begin(results, ["h1", "h3"]);
    const recorded = "https://a.test/hit?t=1000000";
    addLoad(results, sweep, "h1", 0, [
      ["https://a.test/", exact],
      ["https://a.test/hit?t=1000001", fuzzy(recorded, 0.75)],
      ["https://a.test/gone?t=1", missed],
    ]);
    addLoad(results, sweep, "h1", 1, [
      ["https://a.test/hit?t=1000002", fuzzy(recorded, 0.5)],
      ["https://a.test/hit?t=1000003", fuzzy(recorded, 0.5)],
      ["https://a.test/gone?t=2", missed],
    ]);
    addLoad(results, sweep, "h3", 0, [
      ["https://a.test/hit?t=1000004", fuzzy(recorded, 0.75)],
      ["https://a.test/never-sent", {}],
    ]);
    assert.deepEqual(results.unmatchedOf(sweep), [
      {
        page: "page",
        method: "GET",
        url: "https://a.test/gone?t=1",
        outcome: "missed",
        recorded_url: null,
        difference: null,
        similarity: null,
        loads: { h1: 2 },
      },
      {
        page: "page",
        method: "GET",
        url: "https://a.test/hit?t=1000001",
        outcome: "fuzzy",
        recorded_url: recorded,
        difference: "query",
        similarity: 0.5,
        loads: { h1: 2, h3: 1 },
      },
    ]);
  });
});

test("a sweep takes its own with it", async () => {
  await withResults(async (results, home) => {
    const sweep = begin(results, ["h1"]);
    addLoad(results, sweep, "h1", 0, [["https://a.test/", missed]]);
    results.release(sweep);
    await results.removeSweeps([sweep]);
    using database = new DatabaseSync(join(home, "results.db"));
    assert.equal(database.prepare("SELECT count(*) AS rows FROM document").get()?.rows, 0);
  });
});
