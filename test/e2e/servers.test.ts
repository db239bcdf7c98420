// Servers of others in front of a recording: each that is installed answers all requests with the recorded bodies on each lane that it can
// serve, and a race verifies its lanes by the server's log. One that is not installed is skipped by its name.
// Wide: cli/load, native-host/origin_server, native-host/replay.
// Beside others: all but tests of time.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { checkout } from "../../cli/base/programs.ts";
import { notInstalled } from "../../cli/install/requirements.ts";
import { fetchesOf } from "../../cli/instruments/fetch/store/fetch_runs.ts";
import { installedServer, type ServerProgram, serverPrograms } from "../../cli/load/servers/programs.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { openResults } from "../../cli/results/store/results.ts";
import { timedTest } from "../calm_machine.ts";
import { run } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { answerOf, servedFetch } from "./server_lab.ts";
import { anyDisturbance } from "./untimed_load.ts";

const home = tempFolder("trilane-servers-");

const page = "carlucci-small";
const recording = { name: page, digest: "" };
let urls: string[] = [];

before(async () => {
  assert.equal(run(home, ["synth", page]).status, 0);
  const shown = await withArchive(home, (archive) => archive.show(page));
  recording.digest = shown.recording.digest;
  urls = shown.exchanges.map(({ host, path }) => `https://${host}${path}`);
});

const fetched = async (lane: "h1" | "h2" | "h3", server: ServerProgram | null): Promise<string[]> =>
  (await servedFetch({ home, recording, urls, lane, server })).records.map(answerOf);

for (const server of serverPrograms)
  test(`${server} answers each request with its recorded body`, { skip: notInstalled([server]) ?? false }, async () => {
    const { noH3 } = await installedServer(server);
    for (const lane of noH3 === null ? (["h1", "h2", "h3"] as const) : (["h1", "h2"] as const))
      assert.deepEqual(await fetched(lane, server), await fetched(lane, null), lane);
  });

timedTest(
  "a first flight is the initial window that the server was given: ten packets, or as many as it is asked for",
  async (calm, context) => {
    const missing = notInstalled(["nginx"]);
    if (missing !== null) return context.skip(missing);
    const large = "object-1MB";
    assert.equal(run(home, ["synth", large]).status, 0);
    const { recording: of, exchanges } = await withArchive(home, (archive) => archive.show(large));
    const [first] = exchanges;
    const asked = {
      home,
      recording: of,
      urls: [`https://${first?.host}${first?.path}`],
      link: "1gbit/200ms,queue=2000p",
    };
    for (const [server, lane, replayOptions, packet_bytes, packets] of [
      ["nginx", "h2", [], 1500, 10],
      ["nginx", "h2", ["--tcp-initcwnd", "20"], 1500, 20],
      [null, "h2", ["--tcp-initcwnd", "20"], 1500, 20],
      [null, "h3", ["--quic-initcwnd", "32"], 1378, 32],
    ] as const) {
      const flight = async () => (await servedFetch({ ...asked, server, lane, replayOptions })).firstFlight_bytes ?? 0;
      const window_bytes = packets * packet_bytes;
      // Tickets and settings, in packets of their own, are of the window, and the last one may not be full.
      const isRight = (bytes: number): boolean => bytes <= window_bytes * 1.05 && bytes >= window_bytes * 0.65;
      const seen = [await flight()];
      if (!isRight(seen[0] ?? 0)) {
        calm.disturbed("a busy machine joins flights");
        seen.push(await flight());
      }
      assert.ok(isRight(seen.at(-1) ?? 0), `${server ?? "replay"} over ${lane}: ${seen} of ${window_bytes} bytes`);
    }
  },
);

test("a race over nginx's lanes and the replay's: loads verified by its log, rows by server", {
  skip: notInstalled(["nginx"]) ?? false,
}, () => {
  const words = ["race", page, "--servers", "replay,nginx", "--lanes", "h2", "--runs", "1"];
  const { stdout, stderr, status } = run(home, [...words, "--no-filmstrip", ...anyDisturbance]);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^h2\+nginx /m);
  assert.match(stdout, /^h2\+replay /m);
  using results = openResults(home);
  const [sweep] = results.listSweeps();
  assert.ok(sweep);
  const loads = results.loadsOf(sweep.id).filter(({ status: is, lane }) => is === "valid" && lane === "h2+nginx");
  const { server, protocols, first_flight_bytes } = results.harOf(loads[0]?.id ?? assert.fail(stdout)).log._trilane;
  assert.ok((first_flight_bytes ?? 0) >= 1200 && (first_flight_bytes ?? 0) < 20_000, `${first_flight_bytes} bytes`);
  assert.equal(server?.program, "nginx");
  assert.match(server.version ?? "", /^1\.\d+/);
  assert.match(server.configuration ?? "", /listen 443 ssl http2;/);
  assert.equal(server.logged, urls.length);
  assert.ok((server.cpu_ms ?? 0) > 0);
  assert.deepEqual(protocols, { h2: urls.length });
  const [path = ""] = /\/\S+\.html/.exec(stdout) ?? [];
  assert.match(readFileSync(path, "utf8"), /Servers in the lanes/);
});

test("a repeat visit to nginx: the page comes as early data, by the server's log", {
  skip: notInstalled(["nginx"]) ?? false,
}, () => {
  const own = join(home, "early");
  const words = ["race", page, "--servers", "nginx", "--lanes", "h2-0rtt", "--runs", "1", "--link", "20mbit/60ms"];
  const { stdout, stderr, status } = run(own, [...words, "--no-filmstrip", ...anyDisturbance]);
  assert.equal(status, 0, stderr + stdout);
  using results = openResults(own);
  const load = results.loadsOf(results.listSweeps()[0]?.id ?? 0).find(({ status: is }) => is === "valid");
  const { repeat = null } = results.harOf(load?.id ?? assert.fail(stdout)).log._trilane;
  assert.ok(repeat !== null && repeat.early_data >= 1 && repeat.resumed >= repeat.early_data, JSON.stringify(repeat));
});

test("fetch has servers as rows: each lane of nginx's and the replay's gives the same bytes, compared by download", {
  skip: notInstalled(["nginx"]) ?? false,
}, () => {
  const words = ["fetch", "--page", page, "--servers", "replay,nginx", "--lanes", "h2,h3", "--runs", "1"];
  const { stdout, stderr, status } = run(home, [...words, "--link", "10mbit/10ms", urls[0] ?? "", ...anyDisturbance]);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^h3\+nginx is left out: nginx 1\.\d+\S* is built without HTTP\/3/m);
  for (const row of ["h2+replay", "h3+replay", "h2+nginx"]) assert.ok(stdout.includes(`\n${row} `), stdout);
  assert.match(stdout, /h2\+nginx connected [\d.]+ % (faster|slower) than h2\+replay .*; its download took/s);
  using results = openResults(home);
  const sweep = results.listAllSweeps()[0] ?? assert.fail();
  assert.match(String(sweep.environment.server_nginx), /^1\.\d+/);
  const fetches = fetchesOf(results, sweep.id);
  assert.deepEqual(new Set(fetches.map(({ status: is }) => is)), new Set(["valid"]));
  assert.equal(new Set(fetches.map(({ record }) => record?.body_sha256)).size, 1);
});

test("packets for each call that sends: of nginx as many as its TLS records fill, and fewer if these are smaller", {
  skip: notInstalled(["nginx", "strace"]) ?? false,
}, () => {
  const own = join(home, "calls");
  const template = readFileSync(join(checkout, "cli", "load", "servers", "templates", "nginx.conf"), "utf8");
  const configuration = join(home, "nginx-small.conf");
  writeFileSync(configuration, template.replace("ssl_early_data on;", "ssl_early_data on; ssl_buffer_size 4k;"));
  const words = ["fetch", "--page", "object-5MB", "--servers", "nginx", "--server", `small=nginx:${configuration}`];
  const terms = ["--link", "100mbit/4ms", "--lanes", "h1", "--runs", "1", "--syscalls", "1", ...anyDisturbance];
  const { stdout, stderr, status } = run(own, [...words, ...terms]);
  assert.equal(status, 0, stderr + stdout);
  const said =
    /Packets for each call of the server that sends: ([\d.]+) over h1\+nginx, ([\d.]+)\s+over\s+h1\+small/.exec(
      stdout.replaceAll("\n", " "),
    );
  const [usual, small] = [Number(said?.[1]), Number(said?.[2])];
  // Records of 16 kB and of 4 kB in packets of 1448 bytes.
  assert.ok(usual > 8 && usual < 14, `${usual} of 11.3\n${stdout}`);
  assert.ok(small > 2 && small < 4, `${small} of 2.9`);
});

test("a configuration of one's own serves a folder under the recording's name", {
  skip: notInstalled(["nginx"]) ?? false,
}, () => {
  const served = join(home, "www");
  mkdirSync(served);
  const body = "from a folder\n".repeat(500);
  const name = new URL(urls[0] ?? "").pathname.slice(1) || "index.html";
  writeFileSync(join(served, name), body);
  for (const folder of [home, served]) chmodSync(folder, 0o755);
  const template = readFileSync(join(checkout, "cli", "load", "servers", "templates", "nginx.conf"), "utf8");
  const configuration = join(home, "nginx-folder.conf");
  writeFileSync(configuration, template.replace("proxy_pass http://recording;", `root ${served};`));
  const words = ["fetch", urls[0] ?? "", "--page", page, "--server", `own=nginx:${configuration}`];
  const terms = ["--link", "20mbit/4ms", "--lanes", "h2", "--runs", "1", ...anyDisturbance];
  const { stderr, status } = run(home, [...words, ...terms]);
  assert.equal(status, 0, stderr);
  using results = openResults(home);
  const [fetched] = fetchesOf(results, results.listAllSweeps()[0]?.id ?? 0);
  assert.deepEqual(
    [fetched?.lane, fetched?.record?.status, fetched?.record?.body_sha256],
    ["h2+own", 200, createHash("sha256").update(body).digest("hex")],
  );
});

test("a server that does not come up is one line before anything is measured", () => {
  const words = ["race", page, "--server", "mine=echo out of order; exit 3", "--lanes", "h2", "--runs", "1"];
  const { status, stderr } = run(home, words);
  assert.equal(status, 2);
  assert.match(stderr, /^trilane: server mine ended before it listened \(exit status 3\): out of order$/m);
  assert.doesNotMatch(stderr, /invalid|of 1 run/);
});
