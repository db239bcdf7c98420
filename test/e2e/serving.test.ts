// What a choice of how origins serve does to real loads: think time is waited for, on every lane alike; transports are as
// asked, in the servers' own words and in the kernel's; the evidence is there, on one clock, and says what the load says.
// Wide: cli/load, native-host/replay.
// Beside others: what is held to a time is tried again.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { parseLink } from "../../cli/link/link.ts";
import type { LoadRequest, PageLoad } from "../../cli/load/load.ts";
import { settleServing } from "../../cli/load/serving/serving.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { openResults } from "../../cli/results/store/results.ts";
import type { ReplayReport } from "../../schemas/generated/replay_report.ts";
import { withPlainSpaces } from "../cli/report/written_report.ts";
import { run } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { anyDisturbance, untimedLoad } from "./untimed_load.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");
const folder = tempFolder("trilane-serving-");
const home = join(folder, "home");

let recording: LoadRequest["recording"];
before(async () => {
  recording = await withArchive(home, (archive) => ensureSynth(archive, "object-1MB"));
});

type Asked = Pick<LoadRequest, "lane"> & Partial<Pick<LoadRequest, "serving" | "evidence" | "link">>;

async function load(asked: Asked): Promise<PageLoad> {
  const reasonsSeen: string[] = [];
  for (let attempt = 0; attempt < 4; attempt++) {
    const link = parseLink("20mbit/20ms");
    const result = await untimedLoad({ home, recording, link, timeout_ms: 60_000, ...asked });
    const { status, reasons } = result.log._trilane;
    if (status === "valid") return result;
    reasonsSeen.push(...reasons);
  }
  assert.fail(`${asked.lane}: no valid load of 4: ${reasonsSeen.join("; ")}`);
}

const pltOf = (result: PageLoad): number => result.log._trilane.metrics.plt_ms ?? Number.NaN;

for (const lane of ["h1", "h2", "h3"] as const) {
  test(`${lane}: a server that thinks a second over its page makes the load a second longer`, async () => {
    const plain_ms: number[] = [];
    const thinking: PageLoad[] = [];
    const more_ms = () => Math.min(...thinking.map(pltOf)) - Math.min(...plain_ms);
    // What a busy machine adds is never negative: the least of some, or of one where it is clear.
    while (thinking.length === 0 || (thinking.length < 8 && Math.abs(more_ms() - 1000) > 100)) {
      plain_ms.push(pltOf(await load({ lane })));
      thinking.push(await load({ lane, serving: settleServing({ think: { ms: 1000 } }) }));
    }
    assert.ok(more_ms() > 800 && more_ms() < 1400, `${more_ms().toFixed(0)} ms longer`);
    for (const { log } of thinking) assert.deepEqual(log._trilane.serving?.think, { ms: 1000 });
  });
}

interface TcpLine {
  readonly event: string;
  readonly time_ns: number;
  readonly connection: number;
  readonly congestion_control?: string;
  readonly paced?: boolean;
  readonly cwnd_packets?: number;
  readonly bytes_sent?: number;
}

const linesOf = (path: string): TcpLine[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as TcpLine);

const tuned = settleServing({ transport: { preset: "tuned", tcp: { congestion_control: "reno" } } });

test("h2: transports as asked, and evidence of them", async () => {
  const evidence = join(folder, "evidence-h2");
  const result = await load({ lane: "h2", serving: tuned, evidence });
  const facts = result.log._trilane;
  assert.equal(facts.evidence, evidence);
  assert.deepEqual(readdirSync(evidence).toSorted(), [
    "flow-counters.json",
    "load.har",
    "packets.pcapng",
    "qlog",
    "replay.json",
    "shaper.json",
    "tcp.jsonl",
  ]);
  const { transport } = JSON.parse(readFileSync(join(evidence, "replay.json"), "utf8")) as ReplayReport;
  assert.deepEqual(
    [transport.tcp.congestion_control, transport.tcp.initial_window_packets, transport.tcp.pacing],
    ["reno", 32, true],
  );
  assert.equal(transport.tcp.slow_start_after_idle, false);
  const lines = linesOf(join(evidence, "tcp.jsonl"));
  const opened = lines.filter(({ event }) => event === "opened");
  assert.ok(opened.length > 0);
  assert.ok(opened.every((line) => line.congestion_control === "reno" && line.paced === true));
  // The window that a connection begins with, before any packet could be acknowledged.
  const [first] = lines.filter(({ event }) => event === "sample");
  assert.ok((first?.cwnd_packets ?? 0) >= 32, JSON.stringify(first));
  const sent = lines.filter(({ event }) => event === "closed").map(({ bytes_sent }) => bytes_sent ?? 0);
  assert.ok(Math.max(...sent) > 1e6, "no connection sent the object");
  // The shaper's clock: every sample lies between its beginning and its end.
  assert.ok(facts.shaper !== null && facts.replay !== null);
  const { start_ns, end_ns } = facts.shaper;
  for (const { time_ns } of lines.filter(({ event }) => event !== "closed"))
    assert.ok(time_ns >= start_ns && time_ns <= end_ns);
  assert.deepEqual(readdirSync(join(evidence, "qlog")), []);
  const kept = JSON.parse(readFileSync(join(evidence, "load.har"), "utf8")) as PageLoad;
  assert.equal(pltOf(kept), pltOf(result));
});

interface QlogRecord {
  readonly time?: number;
  readonly data?: { readonly congestion_window?: number };
  readonly trace?: { readonly description?: string };
}

const recordsOf = (path: string): QlogRecord[] =>
  readFileSync(path, "utf8")
    .split("\u001e")
    .filter((text) => text.trim() !== "")
    .map((text) => JSON.parse(text) as QlogRecord);

test("h3: a qlog of each connection, whose times count from a moment on the shaper's clock", async () => {
  const evidence = join(folder, "evidence-h3");
  const quic = { congestion_control: "reno", batching: "sendmmsg", initial_window_packets: 32 } as const;
  const serving = settleServing({ transport: { quic } });
  await load({ lane: "h3", serving, evidence });
  const report = JSON.parse(readFileSync(join(evidence, "replay.json"), "utf8")) as ReplayReport;
  assert.equal(report.transport.quic.congestion_control, "reno");
  assert.equal(report.transport.quic.batching, "sendmmsg");
  const connections = report.connections.filter(({ lane }) => lane === "h3");
  assert.ok(connections.length > 0);
  for (const { qlog, opened_ns, closed_ns } of connections) {
    assert.ok(qlog !== null);
    const path = join(evidence, "qlog", qlog.file);
    assert.ok(existsSync(path), qlog.file);
    assert.ok(qlog.start_ns >= opened_ns - 1e6 && qlog.start_ns <= opened_ns + 50e6);
    const records = recordsOf(path);
    assert.match(records[0]?.trace?.description ?? "", new RegExp(`CLOCK_MONOTONIC ${qlog.start_ns} ns`));
    const windows = records.flatMap(({ data }) => data?.congestion_window ?? []);
    assert.equal(windows[0], 32 * report.transport.quic.max_udp_payload);
    const last_ms = Math.max(...records.flatMap(({ time }) => (time === undefined ? [] : [time])));
    const ended_ns = qlog.start_ns + last_ms * 1e6;
    assert.ok(closed_ns !== null && Math.abs(ended_ns - closed_ns) < 1e9, `${ended_ns} and ${closed_ns}`);
  }
});

test("h3: a controller of ours keeps of its window what it is to keep, loss by loss, and takes nothing back", async () => {
  const evidence = join(folder, "evidence-controller");
  const serving = settleServing({ transport: { quic: { congestion_control: "cubic-n2" } } });
  await load({ lane: "h3", serving, evidence, link: parseLink("20mbit/20ms,loss=2%") });
  const report = JSON.parse(readFileSync(join(evidence, "replay.json"), "utf8")) as ReplayReport;
  assert.equal(report.transport.quic.congestion_control, "cubic-n2");
  assert.equal(report.transport.quic.reductions_taken_back, false);
  const steps = readdirSync(join(evidence, "qlog")).flatMap((file) => {
    const windows = recordsOf(join(evidence, "qlog", file)).flatMap(({ data }) => data?.congestion_window ?? []);
    return windows.slice(1).map((window, index) => window / (windows[index] ?? Number.NaN));
  });
  const falls = steps.filter((step) => step < 1);
  assert.ok(falls.length > 0, "no packet was lost");
  for (const fall of falls) assert.ok(Math.abs(fall - 0.85) < 0.005, `${fall} of the window was kept`);
});

for (const tls of ["1.2", "1.3"] as const) {
  test(`h2: only TLS ${tls} where that is asked`, async () => {
    const result = await load({ lane: "h2", serving: settleServing({ tls }) });
    const replay = result.log._trilane.replay as unknown as ReplayReport;
    const versions = replay.connections.flatMap(({ tls_version }) => tls_version ?? []);
    assert.ok(versions.length > 0);
    assert.deepEqual([...new Set(versions)], [`TLSv${tls}`]);
  });
}

test("a load without evidence names none", async () => {
  const result = await load({ lane: "h2" });
  assert.equal(result.log._trilane.evidence, undefined);
  assert.equal(result.log._trilane.serving?.transport?.preset, "stock");
});

test("a race as asked on the command line: stored with the sweep and its loads, told in the report, evidence of each load", () => {
  const out = join(folder, "evidence-race");
  const words = [
    "race",
    "object-1kB",
    "--runs",
    "1",
    "--lanes",
    "h2,h3",
    "--no-filmstrip",
    "--link",
    "20mbit/20ms",
    "--home",
    home,
    ...anyDisturbance,
  ];
  const served = ["--think", "20", "--transport", "tuned", "--tcp-congestion", "bbr", "--evidence", out];
  const said = execFileSync(trilane, [...words, ...served], { encoding: "utf8", stdio: "pipe" });
  using results = openResults(home);
  const [sweep] = results.listSweeps();
  assert.ok(sweep);
  assert.deepEqual(sweep.plan.serving?.think, { ms: 20 });
  assert.equal(sweep.plan.serving?.transport?.preset, "custom");
  for (const { id, lane, block, attempt, status } of results.loadsOf(sweep.id)) {
    const facts = results.harOf(id).log._trilane;
    assert.deepEqual(facts.serving, sweep.plan.serving);
    const evidence = join(
      out,
      `sweep-${sweep.id}`,
      "object-1kB",
      "20mbit_20ms",
      `${lane}-block${block}-attempt${attempt}`,
    );
    assert.equal(facts.evidence, evidence);
    if (status !== "valid") continue;
    const replay = JSON.parse(readFileSync(join(evidence, "replay.json"), "utf8")) as ReplayReport;
    assert.equal(replay.think, "20");
    assert.equal(replay.transport.tcp.congestion_control, "bbr");
    assert.equal(replay.transport.tcp.pacing, true);
    const [request] = replay.requests.filter(({ outcome }) => outcome === "exact");
    assert.equal(request?.think_ns, 20e6);
  }
  const report = said.split(/\s+/).findLast((word) => word.endsWith(".html"));
  assert.ok(report, said);
  const html = withPlainSpaces(readFileSync(report, "utf8"));
  assert.match(html, /Served with server think time: 20 ms; transports: custom\./);
  assert.match(html, /<th scope="row">server think time<\/th><td>20 ms<\/td>/);
  assert.match(html, /<th scope="row">congestion control<\/th><td>bbr<\/td><td>cubic<\/td>/);
  assert.match(html, /<th scope="row">initial window<\/th><td>32 packets<\/td><td>32 packets<\/td>/);
  assert.match(html, /<th scope="row">after a pause<\/th><td>the window is kept<\/td>/);
});

test("what cannot be is refused before anything is run", () => {
  for (const [words, message] of [
    [["--tcp-initial-window", "0"], /--tcp-initial-window: must be a whole number from 1 to 1000/],
    [["--think", "soon"], /--think: must be none, recorded, or milliseconds/],
    [["--quic-congestion", "bbr"], /quic-congestion/],
  ] as const) {
    const { status, stderr } = run(home, ["race", "object-1kB", ...words]);
    assert.equal(status, 2, stderr);
    assert.match(stderr, message);
  }
});
