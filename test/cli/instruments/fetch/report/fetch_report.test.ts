// The report of a sweep of fetches: the answer first, each part where there is something to show, failures with their reasons, counted
// fetches in no time, and nothing that must be fetched.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchesByPurpose } from "../../../../../cli/instruments/fetch/answer/summary.ts";
import type { FetchReportData } from "../../../../../cli/instruments/fetch/report/fetch_data.ts";
import { buildFetchReport } from "../../../../../cli/instruments/fetch/report/fetch_report.ts";
import {
  addedFetches,
  fetchesOf,
  recordFetch,
  type StoredFetch,
  storedFetchCellsOf,
} from "../../../../../cli/instruments/fetch/store/fetch_runs.ts";
import type { FetchSweep } from "../../../../../cli/instruments/fetch/store/stored_plan.ts";
import { storedFetches } from "../../../../../cli/instruments/fetch/stored.ts";
import { figureFiles } from "../../../../../cli/report/figure_files.ts";
import { writeReportFile } from "../../../../../cli/report/report_files.ts";
import { openResults } from "../../../../../cli/results/store/results.ts";
import type { FetchCost } from "../../../../../schemas/generated/fetch_cost.ts";
import { withHome } from "../../../report/fixture.ts";
import { withPlainSpaces } from "../../../report/written_report.ts";
import { storedFetch } from "../records.ts";

const cost: FetchCost = {
  schema: "trilane/fetch-cost/1",
  server: null,
  client_calls: [{ name: "recvmmsg", calls: 90, errors: 0, seconds: 0.01 }],
  server_calls: null,
  unavailable: { server: "strace adds to what it counts", server_calls: "the server is none of a lab’s" },
};

const repetitions = 6;
const lanes = ["h2", "h3"] as const;

/** Six repetitions over h2 and h3, and one in which calls are counted, whose times are far off. */
function fetches(hosts: number, failing = -1): StoredFetch[] {
  return Array.from({ length: hosts }, (_, host) =>
    Array.from({ length: repetitions + 1 }, (_, block) =>
      lanes.map((lane) => {
        const slow = block === repetitions ? 9000 : 0;
        const rtt = 20 + host;
        const fails = host === failing && lane === "h3";
        const error = { stage: "timeout", reason: "the server did not answer in time over QUIC" } as const;
        return storedFetch({
          ...{ object: `https://h${host}.example/`, lane, block, cost: block === repetitions ? cost : null },
          status: fails ? "failed" : "valid",
          reasons: fails ? ["timeout: the server did not answer in time over QUIC"] : [],
          record: {
            ...{ lane, established_ms: fails ? null : (lane === "h3" ? rtt : 2 * rtt) + slow },
            first_byte_ms: fails ? null : (lane === "h3" ? 2 * rtt : 3 * rtt) + slow + block / 10,
            download_ms: fails ? null : 500 + slow,
            ...(fails ? { error, body_bytes: null, unavailable: { established_ms: error.reason } } : {}),
          },
        });
      }),
    ).flat(),
  ).flat();
}

const sweep: FetchSweep = {
  ...{ id: 3, name: "fetch shops", kind: "fetches", plan_digest: "0123456789abcdef", seed: 1 },
  plan: {
    name: "fetch shops",
    objects: ["https://h0.example/"],
    lanes: ["h2", "h3"],
    tls: ["1.3"],
    ip: [4],
    repetitions,
  },
  ...{ created_at: "2026-11-26T10:00:00Z", finished_at: "2026-11-26T10:05:00Z" },
  ...{ command: ["trilane", "fetch", "urls.txt"], environment: { kernel: "6.1" } },
};

function dataOf(all: readonly StoredFetch[]): FetchReportData {
  const cells = lanes.map((lane, index) => ({
    ...{ id: index + 1, sweep: 3, object: "https://h0.example/", lane, tls: "1.3" as const, ip: 4 as const },
    ...{ link: null, link_profile: null },
  }));
  const systems = { systemOf: () => "AS64500", nameOf: () => "Example", prefixes: 1 };
  const own = { version: "0.2.0", sweep, cells, fetches: all, linkTests: [], hosts: [], systems };
  return { ...own, ...fetchesByPurpose(all, repetitions) };
}

const answerOf = (report: string): string => /<p class="answer">(.*?)<\/p>/.exec(report)?.[1] ?? "";

test("the answer is of timed fetches alone; counted ones have a table of calls", () => {
  const report = withPlainSpaces(buildFetchReport(dataOf(fetches(6))));
  assert.match(
    answerOf(report),
    /^h3 connects 50\.0 % faster than h2 \(95 %: 50\.0 to 50\.0, in the median 2\d\.\d ms; n = 6 objects\)/,
  );
  assert.doesNotMatch(report, /90\d\d ms/);
  assert.match(report, /<code>recvmmsg<\/code>/);
  assert.match(report, /System calls were counted in 12 fetches of their own/);
  assert.doesNotMatch(report, /class="excluded"/);
});

test("each part has its heading and place in the contents; hosts have their autonomous system", () => {
  const report = withPlainSpaces(buildFetchReport(dataOf(fetches(6))));
  for (const id of ["lanes", "connect", "delivery", "dns", "helped", "systems", "hosts", "cost", "method", "data"]) {
    assert.match(report, new RegExp(`<section id="${id}">`), id);
    assert.match(report, new RegExp(`<a href="#${id}">`), id);
  }
  assert.doesNotMatch(report, /<section id="published">/);
  assert.match(report, /AS64500 Example/);
});

test("a host without HTTP/3 is told with its reason, and its fetches among those that failed", () => {
  const report = withPlainSpaces(buildFetchReport(dataOf(fetches(6, 2))));
  assert.match(report, /<p class="excluded">7 of 84 fetches failed\. <a href="#failures">/);
  assert.match(report, /h2\.example[\s\S]{0,200}no<br><small>time-out: the server did not answer in time over QUIC/);
  assert.match(report, /<section id="failures">/);
});

test("fetches that do not count are said once, and apart from those that failed", () => {
  const [first, ...rest] = fetches(6, 2);
  assert.ok(first);
  const disturbed: StoredFetch = { ...first, status: "invalid", reasons: ["the machine disturbed the run"] };
  const report = withPlainSpaces(buildFetchReport(dataOf([disturbed, ...rest])));
  const excluded = "1 of 84 attempts does not count: the machine disturbed it.";
  assert.ok(report.includes(`<p class="excluded">7 of 84 fetches failed. ${excluded} <a href="#failures">`));
  assert.equal(report.match(/attempts? do(?:es)? not count/g)?.length, 1);
  assert.doesNotMatch(report, /failed or/);
});

test("nothing came: the report says so, and is whole", () => {
  const none = fetches(1, 0).filter(({ lane }) => lane === "h3");
  const report = withPlainSpaces(buildFetchReport(dataOf(none)));
  assert.match(report, /<section id="failures">/);
  assert.match(buildFetchReport(dataOf([])), /No fetch succeeded\./);
});

test("it needs nothing from outside, and its figures can be saved as files", () => {
  const report = withPlainSpaces(buildFetchReport(dataOf(fetches(6))));
  assert.doesNotMatch(report, /<(?:img|link|script|iframe)[^>]+(?:src|href)="https?:/);
  assert.match(report, /default-src &#39;none&#39;/);
  const files = figureFiles(report);
  assert.ok(
    files.some(({ name }) => /^Connection-established.*\.svg$/.test(name)),
    files.map(({ name }) => name).join(" "),
  );
});

test("stored, its cost comes back, and `report` writes it like any other sweep's", async () => {
  await withHome(async (home) => {
    using results = openResults(home);
    const fetchCells = lanes.map((lane) => ({
      ...{ object: "https://h0.example/", lane, tls: "1.3" as const, ip: 4 as const, link: null, link_profile: null },
    }));
    const { name, plan, plan_digest, seed, command, environment } = sweep;
    const asked = { name, plan, plan_digest, seed, command, environment, fetchCells };
    const { id } = results.begin(addedFetches(asked), true).sweep;
    const cells = storedFetchCellsOf(results, id);
    for (const [position, fetch] of fetches(1).entries()) {
      const cell = cells.find(({ lane }) => lane === fetch.lane);
      assert.ok(cell);
      recordFetch(results, { ...fetch, cell: cell.id, position });
    }
    const stored = fetchesOf(results, id);
    assert.deepEqual(
      stored.map((each) => each.cost),
      fetches(1).map((each) => each.cost),
    );
    results.finishSweep(id);
    const path = await writeReportFile(home, results.anySweep(id), await storedFetches.report(results, id, {}));
    assert.match(path, /fetch-shops\.html$/);
    assert.equal(results.attemptsOf(results.anySweep(id)).length, stored.length);
  });
});
