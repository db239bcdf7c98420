// Sweeps of fetches in the commands that know all sweeps: list, export, remove; what takes pages says so. And `trilane fetch --dry-run`.
// Wide: cli/commands/fetch.ts, cli/instruments/fetch.

import assert from "node:assert/strict";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { bareLane } from "../../../cli/instruments/fetch/metrics/fetched.ts";
import { fetchCellsOf, fetchPlanOf } from "../../../cli/instruments/fetch/plan/plan.ts";
import { addedFetches, recordFetch, storedFetchCellsOf } from "../../../cli/instruments/fetch/store/fetch_runs.ts";
import { openResults } from "../../../cli/results/store/results.ts";
import type { FetchExport } from "../../../schemas/generated/fetch_export.ts";
import { output } from "../../product.ts";
import { schemaErrors } from "../../schemas/schema_errors.ts";
import { tempFolder } from "../../temp_folder.ts";
import { fetchRecord } from "../instruments/fetch/records.ts";
import { assertRefused } from "../refusal.ts";

let home: string;

beforeEach(() => {
  home = tempFolder("trilane-fetches-");
});

const trilane = (...words: string[]) => output(home, words);

/** Two objects over two lanes; h3 failed. */
function storeSweep(): number {
  const objects = ["https://a.example/", "https://b.example/"];
  const plan = fetchPlanOf({ name: "ours", objects, lanes: ["h2", "h3"], repetitions: 1 }, "test");
  const results = openResults(home);
  const facts = { name: plan.name, plan, plan_digest: "d".repeat(64), seed: 1, command: ["trilane"], environment: {} };
  const { sweep } = results.begin(addedFetches({ ...facts, fetchCells: fetchCellsOf(plan) }), false);
  for (const { id, object, lane } of storedFetchCellsOf(results, sweep.id)) {
    const error = lane === "h3" ? ({ stage: "connect", reason: "Connection refused" } as const) : null;
    recordFetch(results, {
      ...{ cell: id, block: 0, attempt: 0, position: id, started_at: new Date().toISOString(), wall_ms: 9 },
      status: error ? "failed" : "valid",
      reasons: error ? ["connect: Connection refused"] : [],
      record: fetchRecord({ url: object, final_url: object, lane: bareLane(lane), error }),
      cost: null,
    });
  }
  results.finishSweep(sweep.id);
  results.release(sweep.id);
  results.close();
  return sweep.id;
}

test("a sweep of fetches is listed, compared, bundled, exported and removed", () => {
  const id = String(storeSweep());
  assert.match(trilane("list").stdout, /^1 ours +2 objects +2 +- +2 of 4 +finished +/m);
  const compared = trilane("compare", id, id);
  assert.equal(compared.status, 3);
  assert.match(compared.stderr, /^trilane: so few fetches cannot show any change: [^\n]+\n$/);
  const bundle = join(home, "ours.tar.zst");
  assert.match(trilane("bundle", id, "--out", bundle).stdout, /^4 fetches, no recordings, /);
  assert.match(trilane("reproduce", bundle, "--out", join(home, "ours")).stdout, /the same as in the bundle/);
  const csv = trilane("export", id, "--format", "csv").stdout.trimEnd().split("\r\n");
  assert.equal(csv.length, 5);
  const { stdout } = trilane("export", "--json");
  const document = JSON.parse(stdout) as FetchExport;
  assert.equal(schemaErrors("fetch-export", document), null);
  assert.deepEqual(
    document.summaries.map(({ lane, valid, failed }) => [lane, valid, failed]),
    [
      ["h2", 2, 0],
      ["h3", 0, 2],
    ],
  );
  assert.match(trilane("export", id, "--format", "har").stderr, /has fetches: --format must be one of csv, json/);
  assert.equal(trilane("remove", "--sweep", id).status, 0);
  assert.match(trilane("list").stdout, /no sweeps yet/);
});

test("--dry-run says what would be fetched, and asks nobody", () => {
  const words = ["https://nowhere.invalid/", "--lanes", "all", "--tls", "1.2,1.3", "--dry-run"];
  const { stdout } = trilane("fetch", ...words);
  assert.match(stdout, /^over +h1 \(TLS 1\.2\), h1, h2 \(TLS 1\.2\), h2, h2-0rtt, h3, h3-0rtt$/m);
  assert.match(stdout, /^size +1 object x 7 x 9 repetitions = 63 fetches$/m);
  const planned: unknown = JSON.parse(trilane("fetch", ...words, "--json").stdout);
  assert.equal(schemaErrors("fetches-planned", planned), null);
  assert.match(trilane("list").stdout, /no sweeps yet/);
});

test("words that cannot be are one line each", async () => {
  const wrong = [
    [[], /no object: name a URL/],
    [["ftp://a.example/"], /is no URL/],
    [["none.txt"], /none\.txt: there is no such file/],
    [["https://a.example/", "--lanes", "h4"], /--lanes must be of h1, h2, h2-0rtt, h3, h3-0rtt/],
    [["https://a.example/", "--link", "10mbit/50ms"], /a lab reaches no network/],
    [["https://a.example/", "--page", "object-10kB"], /a page's servers are in a lab/],
    [["https://a.example/", "--connect", "nonsense"], /--connect must be ADDRESS or ADDRESS:PORT/],
    [["https://a.example/", "--connect", "[::1]:70000"], /--connect must be/],
    [["https://a.example/", "--trust", "none.pem"], /none\.pem: no file of certificates/],
    [["https://a.example/", "--trust", import.meta.filename], /fetch\.slow\.test\.ts: has no certificates in PEM/],
    [["https://a.example/", "--user-agent", "Prüfer"], /user-agent: must be printable ASCII/],
    [
      ["https://a.example/", "--connect", "::ffff:1.2.3.4"],
      /--connect: ::ffff:1\.2\.3\.4 is 1\.2\.3\.4, written as IPv6: write 1\.2\.3\.4/,
    ],
    [["https://a.example/", "--connect", "fe80::1%eth0"], /connect: must be an address/],
    [["https://a.example/", "--timeout", "0.0005"], /--timeout: must be a number from 0\.001/],
  ] as const;
  for (const [words, says] of wrong) await assertRefused(["fetch", ...words, "--home", home], says);
  assert.match(trilane("list").stdout, /no sweeps yet/);
});
