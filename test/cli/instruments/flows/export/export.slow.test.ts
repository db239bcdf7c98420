// Runs of flows for other tools: CSV with a row per run and flow, series, JSON by its schema, and flent's files.
// Wide: cli/commands/export.ts, cli/instruments/flows/export.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { flowColumns } from "../../../../../cli/instruments/flows/export/csv.ts";
import { flentDocument, flentName } from "../../../../../cli/instruments/flows/export/flent.ts";
import { seriesColumns } from "../../../../../cli/instruments/flows/export/series_csv.ts";
import { flowResult } from "../../../../../cli/instruments/flows/metrics/flow_result.ts";
import { packRecords } from "../../../../../cli/instruments/flows/records/stored_records.ts";
import { addedFlows, flowCellsOf, recordFlowRun } from "../../../../../cli/instruments/flows/store/flow_runs.ts";
import { parseLink } from "../../../../../cli/link/link.ts";
import { openResults } from "../../../../../cli/results/store/results.ts";
import { output } from "../../../../product.ts";
import { inlined } from "../../../../schemas/mutations.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { madeRecords, start_ns, steadily } from "../metrics/made_records.ts";

const link = "5mbit/50ms,queue=30kB";

function records(late_bps: number) {
  const windows = Array.from({ length: 60 }, (_, place): [number, number] => [14_480 * (1 + (place % 3)), 60]);
  const replies = Array.from({ length: 50 }, (_, place) => ({ sent_ns: start_ns + place * 1e8, rtt_ns: 60e6 }));
  const quic = { asked: { transport: "quic", congestion: "cubic-n2" } as const, rates_bps: steadily(3e6, 6), windows };
  const tcp = { rates_bps: steadily(late_bps, 6), windows };
  return madeRecords({ flows: [quic, tcp], for_ms: 6050, ping: { sent: 50, received: 50, replies } });
}

const home = tempFolder("trilane-flow-export-");

before(() => {
  using results = openResults(home);
  const words = ["quic:cubic-n2", "tcp:cubic"];
  const { sweep } = results.begin(
    addedFlows({
      ...{ name: "shares", plan_digest: "flows-1", seed: 7, command: ["trilane", "flows"], environment: {} },
      plan: { name: "shares", links: [link], mixes: [{ flows: words }], for_s: 6, repetitions: 5 },
      flowCells: [{ mix: words.join(" + "), link, link_profile: parseLink(link), lane: null }],
    }),
    false,
  );
  const [cell] = flowCellsOf(results, sweep.id);
  const times = { started_at: "2026-01-01T00:00:00.500Z", wall_ms: 7000 };
  for (let block = 0; block < 5; block++) {
    const made = records(1e6 + block * 1e5);
    const facts = { cell: cell?.id ?? 0, block, attempt: 0, position: block, ...times, pageLoad: null };
    const left = { result: flowResult(made, [0, 1]), series: packRecords(made) };
    recordFlowRun(results, { ...facts, status: "valid", reasons: [], ...left });
  }
  const none = { result: null, series: null, pageLoad: null };
  const failed = { cell: cell?.id ?? 0, block: 5, attempt: 0, position: 5, ...times, ...none };
  recordFlowRun(results, { ...failed, status: "failed", reasons: ["the lab ended"] });
});

function run(...words: string[]) {
  const { status, stdout, stderr } = output(home, ["export", ...words], { cwd: home, env: { NO_COLOR: "1" } });
  return { status, out: stdout, err: stderr };
}

/** By the names in the first line. None of the fields here has a comma or a quote. */
function rowsOf(csv: string): Record<string, string>[] {
  const [head = "", ...lines] = csv.trimEnd().split("\r\n");
  const names = head.split(",");
  return lines.map((line) => {
    const fields = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? "",
    );
    return Object.fromEntries(names.map((name, place) => [name, fields[place] ?? ""]));
  });
}

test("csv: a row for each run and flow, and one without a flow for a run that left nothing", () => {
  const { status, out, err } = run("--format", "csv");
  assert.equal(status, 0, err);
  const rows = rowsOf(out);
  assert.equal(rows.length, 11);
  assert.deepEqual(
    Object.keys(rows[0] ?? {}),
    flowColumns.map(({ name }) => name),
  );
  const { transport, congestion, goodput_bps, share, link: its, down_bps, link_jain } = rows[0] ?? {};
  assert.deepEqual([transport, congestion, goodput_bps, share], ["quic", "cubic-n2", "3000000", "0.75"]);
  assert.deepEqual([its, down_bps, link_jain], [link, "5000000", "0.8"]);
  assert.deepEqual([rows[10]?.status, rows[10]?.flow, rows[10]?.reasons], ["failed", "", "the lab ended"]);
});

test("series: each sample of each end, with the goodput since the one before", () => {
  const { status, out, err } = run("--format", "series", "--load", "1");
  assert.equal(status, 0, err);
  const rows = rowsOf(out);
  assert.deepEqual(
    Object.keys(rows[0] ?? {}),
    seriesColumns.map(({ name }) => name),
  );
  const received = rows.filter(({ end, flow }) => end === "receiver" && flow === "0");
  assert.deepEqual(
    received.map(({ time_ms, goodput_bps }) => [time_ms, goodput_bps]),
    [1050, 2050, 3050, 4050, 5050, 6050].map((time_ms, place) => [String(time_ms), place === 0 ? "" : "3000000"]),
  );
  const sent = rows.filter(({ end, flow }) => end === "sender" && flow === "1");
  assert.deepEqual(
    [sent.length, sent[1]?.cwnd_bytes, sent[1]?.goodput_bps, sent[1]?.sent_bytes],
    [60, "28960", "", ""],
  );
});

test("json: by its schema, with medians and intervals over the valid runs", () => {
  const { out } = run("--json");
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, keywords: ["metric", "setting"] });
  addFormats.default(ajv);
  const document = JSON.parse(out) as {
    runs: unknown[];
    summaries: [{ runs: number; down: Record<string, { median: number; low: number }> }];
  };
  const validate = ajv.compile(inlined("flow-export.schema.json"));
  assert.ok(validate(document), JSON.stringify(validate.errors));
  assert.deepEqual([document.runs.length, document.summaries.length], [6, 1]);
  const [{ runs, down }] = document.summaries;
  assert.equal(runs, 5);
  assert.ok(Math.abs((down.share_ratio?.median ?? 0) - 3 / 1.2) < 1e-9);
  assert.equal(typeof down.share_ratio?.low, "number");
});

test("flent: series by the names of its tests, in Mbit/s, and what each truly is", () => {
  const started_at = "2026-01-01T00:00:00.500Z";
  const its = { run: 3, mix: "quic:cubic-n2 + tcp:cubic", link, started_at, version: "0.2.0", records: records(1e6) };
  const document = flentDocument(its) as {
    metadata: Record<string, unknown>;
    version: number;
    x_values: number[];
    results: Record<string, (number | null)[]>;
    raw_values: Record<string, { t: number; val?: number; tcp_cwnd?: number; tcp_rtt?: number }[]>;
  };
  assert.deepEqual([document.version, document.metadata.NAME], [4, "tcp_ndown"]);
  assert.deepEqual(document.metadata.TEST_PARAMETERS, { download_streams: "2", upload_streams: "0" });
  assert.match(String(document.metadata.NOTE), /TCP download::1 is quic:cubic-n2; TCP download::2 is tcp:cubic/);
  assert.equal(document.x_values.length, 30);
  for (const values of Object.values(document.results)) assert.equal(values.length, 30);
  assert.ok(Math.abs((document.results["TCP download::1"]?.[10] ?? 0) - 3) < 1e-9);
  assert.ok(Math.abs((document.results["TCP download sum"]?.[10] ?? 0) - 4) < 1e-9);
  assert.equal(document.results["Ping (ms) ICMP"]?.[3], 60);
  // The flow begins after 50 ms: a quarter of its first step is missing.
  assert.ok(Math.abs((document.results["TCP download::1"]?.[0] ?? 0) - 3 * 0.75) < 1e-9);
  const sampled = document.raw_values["TCP download::1"]?.find(({ tcp_cwnd }) => tcp_cwnd !== undefined);
  assert.deepEqual([sampled?.tcp_rtt, sampled !== undefined && sampled.t > Date.parse(started_at) / 1000], [60, true]);
  const up = flentDocument({
    ...its,
    records: madeRecords({
      flows: [{ rates_bps: [1e6] }, { rates_bps: [1e6], asked: { direction: "up" } }],
      for_ms: 1050,
    }),
  }) as typeof document;
  assert.equal(up.metadata.NAME, "rrul_be_nflows");
  assert.ok("TCP upload BE::1" in up.results && !("Ping (ms) ICMP" in up.results));
  assert.equal(flentName(its), "quic-cubic-n2-tcp-cubic-5mbit-50ms-queue-30kB-run-3.flent.gz");
});

test("flent: a file for each valid run in a folder, or one run's file", () => {
  const all = run("--format", "flent", "--out", "runs");
  assert.equal(all.status, 0, all.err);
  const files = readdirSync(join(home, "runs"));
  assert.equal(files.length, 5);
  const document: unknown = JSON.parse(gunzipSync(readFileSync(join(home, "runs", files[0] ?? ""))).toString());
  assert.ok(typeof document === "object" && document !== null && "raw_values" in document);
  const one = run("--format", "flent", "--load", "2", "--out", "two.flent.gz", "--json");
  assert.deepEqual(JSON.parse(one.out), {
    ...{ schema: "trilane/file-written/1", kind: "flent", sweep: 1, loads: 1 },
    path: join(home, "two.flent.gz"),
  });
});

test("what cannot be exported is one line with the remedy, and nothing is written", () => {
  for (const [words, message] of [
    [["--format", "har"], /sweep 1 has flows: --format must be one of csv, series, json, flent \(got "har"\)/],
    [["--format", "flent"], /name a file that ends in \.flent\.gz, or a folder, with --out/],
    [["--format", "flent", "--out", "all.flent.gz"], /there are 5 runs: name a folder, or one run with --load/],
    [["--format", "flent", "--load", "6", "--out", "six.flent.gz"], /no valid run has left series/],
    [["--format", "csv", "--load", "99"], /no run 99 in sweep 1/],
  ] as const) {
    const { status, out, err } = run(...words);
    assert.deepEqual([status, out], [2, ""], words.join(" "));
    assert.match(err, /^trilane: [^\n]+\n$/);
    assert.match(err, message);
  }
  assert.ok(!existsSync(join(home, "all.flent.gz")) && !existsSync(join(home, "six.flent.gz")));
});
