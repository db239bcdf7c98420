// Firefox through the real lab: valid loads on its lanes, with the protocol that browser and server both say, and what it cannot tell is
// missing, not 0. Skipped where no Firefox is installed (apt install firefox-esr).
// Wide: cli/browser/firefox, cli/load, native-host/replay.
// Beside others: nothing here goes by time.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { allLanes, type Lane, laneFacts } from "../../cli/base/lanes.ts";
import { browserProgram } from "../../cli/base/programs.ts";
import { scratchParent } from "../../cli/browser/scratch.ts";
import { parseLink } from "../../cli/link/link.ts";
import { readReplayReport } from "../../cli/load/reports.ts";
import { openResults } from "../../cli/results/store/results.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite } from "./site.ts";
import { anyDisturbance, untimedLoad } from "./untimed_load.ts";

function installed(): string | null {
  try {
    return browserProgram("firefox");
  } catch {
    return null;
  }
}

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");

function promisedRun(program: string, words: readonly string[]) {
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    execFile(program, words, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const firefox = installed();
const skip = firefox === null ? "no Firefox is installed" : false;
const home = tempFolder("trilane-firefox-");

const image = Uint8Array.from(Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"));
const page = "https://page.test/";
/** Two origins, a frame and a worker. */
const site = recordSite(home, "page", [
  {
    url: page,
    body:
      "<!doctype html><h1>x</h1><img src=/1.gif><iframe src=https://b.test/></iframe>" +
      "<script>const worker = new Worker('/worker.js'); worker.onmessage = () => new Image().src = '/3.gif';</script>",
  },
  { url: `${page}1.gif`, type: "image/gif", body: image },
  { url: `${page}3.gif`, type: "image/gif", body: image },
  {
    url: `${page}worker.js`,
    type: "text/javascript",
    body: "fetch('/data.json').then((answer) => answer.json()).then(() => postMessage(1));",
  },
  { url: `${page}data.json`, type: "application/json", body: "{}" },
  { url: "https://b.test/", body: "<!doctype html><img src=/4.gif>" },
  { url: "https://b.test/4.gif", type: "image/gif", body: image },
]);

async function load(lane: Lane, evidence?: string) {
  const kept = evidence === undefined ? {} : { evidence };
  const options = { home, recording: await site, lane, link: parseLink("10mbit/50ms"), timeout_ms: 30_000, ...kept };
  return (await untimedLoad({ ...options, settle_ms: 300, browser: firefox ?? "" })).log;
}

interface QlogEvent {
  readonly time: number;
  readonly name: string;
  readonly data: { readonly header?: { readonly packet_type?: string }; readonly frames?: readonly object[] };
}

/** As a reader takes it: JSON text sequences (RFC 7464) whose first record is the header (draft-ietf-quic-qlog-main-schema), then events. */
function readQlog(text: string): void {
  const [before, ...records] = text.split("\u001e");
  assert.equal(before, "", "a record separator comes first");
  const [header, ...events] = records.map((each): unknown => JSON.parse(each));
  const { qlog_version, qlog_format, trace } = header as Record<string, unknown>;
  assert.deepEqual([typeof qlog_version, qlog_format], ["string", "JSON-SEQ"]);
  assert.equal((trace as { vantage_point?: { type?: string } }).vantage_point?.type, "client");
  const packets = (events as QlogEvent[]).filter(({ name }) => /packet_(sent|received)$/.test(name));
  for (const name of ["packet_sent", "packet_received"])
    assert.ok(
      packets.some((each) => each.name.endsWith(name)),
      `${packets.length} packets, none ${name}`,
    );
  for (const { time, data } of packets) {
    assert.ok(Number.isFinite(time));
    assert.match(data.header?.packet_type ?? "", /^(initial|handshake|0RTT|1RTT|retry)$/);
  }
  assert.ok(packets.some(({ data }) => (data.frames ?? []).length > 0));
}

for (const lane of allLanes.filter((each) => !laneFacts[each].clear && !laneFacts[each].repeat)) {
  test(`${lane}: all of a page's requests are answered on it, and browser and server agree`, { skip }, async () => {
    const evidence = lane === "h3" ? join(home, "evidence") : undefined;
    const { browser, entries, _trilane } = await load(lane, evidence);
    assert.equal(_trilane.status, "valid", _trilane.reasons.join("; "));
    assert.equal(browser.name, "Firefox");
    assert.ok(entries.length >= 6, `${entries.length} entries`);
    for (const { request, _protocol, _trilane: facts } of entries)
      if (_protocol !== undefined) assert.equal(facts.served?.protocol, _protocol, request.url);
    // A third word: the page's own timeline.
    const told = entries.filter(({ _trilane: { next_hop } }) => next_hop !== undefined);
    assert.ok(told.length >= 4, `${told.length} requests of which the page's timeline says the protocol`);
    for (const { request, _protocol, _trilane: facts } of told) assert.equal(facts.next_hop, _protocol, request.url);
    assert.deepEqual(_trilane.background, []);
    const { connections, unused_connections } = _trilane.counts;
    assert.ok(connections >= 2, `${connections} connections to two hosts`);
    assert.ok(unused_connections, "connections that carry nothing are counted");
    const { plt_ms, ttfb_ms, fcp_ms, cls, tbt_ms, unavailable } = _trilane.metrics;
    assert.ok(ttfb_ms && fcp_ms && plt_ms && ttfb_ms < fcp_ms && ttfb_ms < plt_ms);
    assert.deepEqual([cls, tbt_ms], [null, null]);
    if (evidence !== undefined) {
      const replay = await readReplayReport(join(evidence, "replay.json"));
      const quic = replay?.connections.filter((each) => each.lane === "h3").length;
      const qlogs = readdirSync(join(evidence, "qlog-browser"));
      assert.equal(qlogs.length, quic, "a qlog of each QUIC connection");
      for (const each of qlogs) readQlog(readFileSync(join(evidence, "qlog-browser", each), "utf8"));
    }
    assert.match(
      `${unavailable.cls} ${unavailable.tbt_ms}`,
      /does not report layout shifts .*does not report long tasks/,
    );
  });
}

test("a page that opens a second window: it is blocked as any browser does, and the load is whole", {
  skip,
}, async () => {
  const recording = await recordSite(home, "window", [
    {
      url: page,
      body: "<!doctype html><h1>x</h1><script>document.title = String(window.open('/other', 'w', 'width=300') === null)</script><img src=/1.gif>",
    },
    { url: `${page}1.gif`, type: "image/gif", body: image },
  ]);
  const options = { home, recording, lane: "h2" as const, link: parseLink("10mbit/50ms"), timeout_ms: 30_000 };
  const { entries, _trilane } = (await untimedLoad({ ...options, browser: firefox ?? "" })).log;
  assert.deepEqual([_trilane.status, _trilane.reasons, _trilane.background], ["valid", [], []]);
  assert.ok(entries.every(({ request }) => !request.url.endsWith("/other")));
});

/** Firefox's own process with a profile in a folder whose name begins so; null: none. */
function firefoxIn(folder: string): number | null {
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    const words = commandLineOf(name);
    if (/firefox/.test(words[0] ?? "") && words[words.indexOf("--profile") + 1]?.startsWith(folder))
      return Number(name);
  }
  return null;
}

function commandLineOf(pid: string): string[] {
  try {
    return readFileSync(join("/proc", pid, "cmdline"), "utf8").split("\0");
  } catch {
    return []; // it has ended
  }
}

/** To a server of its lab, over TLS. */
function isConnected(pid: number): boolean {
  try {
    return /:01BB 01 /.test(readFileSync(join("/proc", String(pid), "net", "tcp"), "utf8"));
  } catch {
    return false; // it has ended
  }
}

test("a crash in the middle of a load fails it with its reason, and leaves no process and no profile", {
  skip,
}, async () => {
  const recording = await recordSite(home, "endless", [
    { url: page, body: "<!doctype html><script>for (;;) fetch('/1.gif')</script>" },
    { url: `${page}1.gif`, type: "image/gif", body: image },
  ]);
  const options = { home, recording, lane: "h2" as const, link: parseLink("10mbit/50ms"), timeout_ms: 30_000 };
  const folder = join(scratchParent(), `trilane-load-${process.pid}-`);
  const loading = untimedLoad({ ...options, browser: firefox ?? "" });
  for (let pid = firefoxIn(folder); !pid || !isConnected(pid); pid = firefoxIn(folder))
    await new Promise((resolve) => setTimeout(resolve, 20));
  process.kill(firefoxIn(folder) ?? 0, "SIGKILL");
  const { status, reasons } = (await loading).log._trilane;
  assert.equal(status, "failed");
  assert.match(reasons.join(), /^the browser ended during the load \(SIGKILL\)/);
  assert.equal(firefoxIn(folder), null);
  assert.deepEqual(
    readdirSync(scratchParent()).filter((name) => name.startsWith(basename(folder))),
    [],
  );
});

test("a race of two browsers loads each lane in both, and keeps them apart", { skip }, async () => {
  const { name } = await site;
  const words = ["race", name, "--browser", "chromium,firefox", "--lanes", "h2", "--runs", "1", "--no-filmstrip"];
  const { status, stdout, stderr } = await promisedRun(trilane, [...words, "--home", home, ...anyDisturbance]);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^h2@chromium .*\n(?:.*\n)*h2@firefox /m);
  using results = openResults(home);
  const [sweep] = results.listSweeps();
  const loads = results.loadsOf(sweep?.id ?? 0);
  const engines = loads.map(({ lane, browser_version }) => [lane, /^Firefox /.test(browser_version ?? "")]);
  assert.deepEqual(Object.fromEntries(engines), { "h2@chromium": false, "h2@firefox": true });
  assert.ok(loads.every(({ connections }) => (connections ?? 0) > 0));
});
