// Pages recorded from real servers, through the command: all that they ask for, to the byte, and replayed with all of it
// matched. Needs nginx, Caddy and dnsmasq; says so where one is missing. Times that are recorded: record_times.test.ts.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { Ajv } from "ajv";
import { checkout, programPath } from "../../cli/base/programs.ts";
import { parseLink } from "../../cli/link/link.ts";
import type { ArchivedExchange, RecordingDetail } from "../../cli/recording/archive/archive.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { tempFolder } from "../temp_folder.ts";
import { besideServer, makeLiveSite, noLiveSite } from "./live_site.ts";
import { untimedLoad } from "./untimed_load.ts";

const scratch = tempFolder("trilane-record-test-");
const home = join(scratch, "home");
const run = promisify(execFile);

const schema = JSON.parse(readFileSync(join(checkout, "schemas/recorded.schema.json"), "utf8")) as object;
const isRecorded = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);

const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const large = Buffer.alloc(3_000_000, "neither text nor zeros ");
const styles = Array.from({ length: 2000 }, (_, line) => `.c${line}{margin:${line}px}`).join("\n");
const library = Array.from({ length: 3000 }, (_, line) => `window.v${line}=${line};`).join("\n");

// A redirect, styles, a script of another host, a frame of a third, workers of three kinds, requests with bodies, one of
// which asks first, one that names a range, one for the head alone, one that is missing, one of a host that does not
// exist, cookies, an empty file, a question that waits for a click, and a picture that nobody sees without scrolling.
const html = `<!doctype html><meta charset=utf-8><title>recorded</title>
<link rel=stylesheet href=/styles.css><link rel=stylesheet href=/lying.css><script src=https://cdn.site.test/library.js></script>
<img src=/old.gif><img src=/missing.gif><img src=https://gone.test/gone.gif><iframe src=https://frame.test/></iframe>
<script>
alert("we value your privacy");
fetch("/post", { method: "POST", body: new Uint8Array([0, 1, 2, 253, 254, 255]) });
fetch("https://api.site.test/put.json?x=1", { method: "PUT", body: "large ".repeat(20000), headers: { "x-asked": "1" } });
fetch("/large.bin").then((response) => response.arrayBuffer());
fetch("/range.txt", { headers: { range: "bytes=10-19" } });
fetch("/empty.txt", { method: "HEAD" }).then(() => fetch("/empty.txt"));
new Worker("/worker.js");
new SharedWorker("/shared.js");
navigator.serviceWorker.register("/service.js");
</script>
<div style="height:9000px"></div><img loading=lazy src=/lazy.gif width=10 height=10>`;

/** Half of it is other requests in each visit. */
const varying = `<!doctype html><link rel=stylesheet href=/styles.css><img src=/new.gif><script>
for (let i = 0; i < 3; i++) fetch("/varying/" + Math.random().toString().slice(2)).then((response) => response.text());
</script>`;

function makeFiles(): string {
  const root = join(scratch, "www");
  mkdirSync(root, { recursive: true });
  const files: Record<string, string | Buffer> = {
    "index.html": html,
    "varying.html": varying,
    "styles.css": styles,
    "large.bin": large,
    "small.html": "<!doctype html><link rel=stylesheet href=/styles.css>",
    "lying.css": "p{} /* not gzip */",
    "library.js": library,
    "new.gif": gif,
    "lazy.gif": gif,
    "inner.gif": gif,
    "frame.html": "<!doctype html><img src=/inner.gif>",
    "worker.js": `fetch("/from-worker.json")`,
    "shared.js": `fetch("/from-shared.json")`,
    "service.js": `oninstall = (event) => event.waitUntil(fetch("/from-service.json"))`,
    "from-worker.json": `{"worker":1}`,
    "from-shared.json": `{"shared":1}`,
    "from-service.json": `{"service":1}`,
    "range.txt": "0123456789abcdefghijklmnopqrstuvwxyz",
    "empty.txt": "",
    "favicon.ico": gif,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  return root;
}

const root = makeFiles();
const cors = `add_header Access-Control-Allow-Origin * always; add_header Access-Control-Allow-Methods PUT always;
  add_header Access-Control-Allow-Headers * always; add_header Access-Control-Max-Age 0 always;`;
const siteFolder = join(scratch, "site");
mkdirSync(siteFolder);
const skip = noLiveSite(["nginx", "caddy"]);
const site = skip
  ? null
  : makeLiveSite(siteFolder, [
      {
        hosts: ["site.test", "cdn.site.test"],
        address: "203.0.113.1",
        root,
        program: "nginx",
        directives: `location = /old.gif { return 302 /new.gif; }
          location = /index.html { add_header Set-Cookie "a=1; path=/" always; add_header Set-Cookie "b=2; path=/" always; }
          location = /lying.css { gzip off; add_header Content-Encoding gzip always; }
          location = /post { return 200 "posted"; }
          location /varying/ { return 200 $uri; }`,
      },
      {
        hosts: ["api.site.test"],
        address: "2600::7",
        root,
        program: "nginx",
        directives: `location / { ${cors} if ($request_method = OPTIONS) { return 204; } return 200 '{"put":true}'; }`,
      },
      {
        hosts: ["frame.test"],
        address: "203.0.113.3",
        root,
        program: "nginx",
        directives: "index frame.html;",
        chainLength: 4,
      },
      { hosts: ["h3.test"], address: "203.0.113.4", root, program: "caddy", directives: "" },
    ]);

const program = join(checkout, "cli", "trilane");

// Theirs alone, so that what they leave can be seen.
const temporary = join(scratch, "tmp");
mkdirSync(temporary);
const env = { ...process.env, TMPDIR: temporary };

/** Without the visit that measures servers' times, a second one of each page; the first recording has it. */
const untimed = "--no-time-servers";

async function record(words: readonly string[], before: readonly string[] = []): Promise<string> {
  assert.ok(site);
  const [first = "", ...rest] = [...site.words, ...before, program, "record", ...words];
  const { stdout } = await run(first, [...rest, "--home", home, "--trust", site.authority], { env });
  return stdout;
}

const show = (name: string): Promise<RecordingDetail> => withArchive(home, (archive) => archive.show(name));

const bodyOf = ({ body_sha256 }: ArchivedExchange): Buffer =>
  body_sha256 === null ? Buffer.alloc(0) : readFileSync(join(home, "bodies", body_sha256.slice(0, 2), body_sha256));

const decoded = (exchange: ArchivedExchange): Buffer =>
  exchange.response_headers.some(([name, value]) => name === "content-encoding" && value === "gzip")
    ? gunzipSync(bodyOf(exchange))
    : bodyOf(exchange);

const line = ({ method, scheme, host, path, status }: ArchivedExchange): string =>
  `${method} ${scheme}://${host}${path} ${status}`;

/** What nginx says that it sent: method, path, status and the body's bytes. */
function sentByNginx(): string[] {
  const log = readFileSync(join(siteFolder, "access.log"), "utf8");
  return [...log.matchAll(/"(\S+) (\S+) HTTP\/2\.0" (\d+) (\d+)/g)].map(([, method, path, status, bytes]) =>
    [method, path, status, bytes].join(" "),
  );
}

const expected = [
  "GET https://site.test/ 200",
  "GET https://site.test/styles.css 200",
  "GET https://site.test/lying.css 200",
  "GET https://cdn.site.test/library.js 200",
  "GET https://site.test/old.gif 302",
  "GET https://site.test/new.gif 200",
  "GET https://site.test/missing.gif 404",
  "GET https://frame.test/ 200",
  "GET https://frame.test/inner.gif 200",
  "POST https://site.test/post 200",
  "OPTIONS https://api.site.test/put.json?x=1 204",
  "PUT https://api.site.test/put.json?x=1 200",
  "GET https://site.test/large.bin 200",
  "GET https://site.test/range.txt 206",
  "HEAD https://site.test/empty.txt 200",
  "GET https://site.test/empty.txt 200",
  "GET https://site.test/worker.js 200",
  "GET https://site.test/from-worker.json 200",
  "GET https://site.test/shared.js 200",
  "GET https://site.test/from-shared.json 200",
  "GET https://site.test/service.js 200",
  "GET https://site.test/from-service.json 200",
  "GET https://site.test/lazy.gif 200",
  "GET https://site.test/favicon.ico 200",
];

test("a page is recorded whole: frames, workers, preflights, redirects, lies, bodies both ways, to the byte", {
  skip,
}, async () => {
  const told = await record(["https://site.test/", "--name", "whole", "--scroll"]);
  const { recording, exchanges } = await show("whole");
  assert.equal(recording.url, "https://site.test/");
  assert.match(recording.source, /^live: Chrom\w+ \d+/);
  assert.deepEqual(exchanges.map(line).toSorted(), expected.toSorted(), told);
  for (const { recorded } of exchanges) assert.ok(isRecorded(recorded), JSON.stringify(isRecorded.errors));
  const found = (request: string): ArchivedExchange => {
    const exchange = exchanges.find((each) => line(each) === request);
    assert.ok(exchange, request);
    return exchange;
  };

  // The redirect's body is the one that a browser does not read.
  const sizes = exchanges
    .filter(({ status }) => status !== 302)
    .map(({ method, path, status, body_size }) => [method, path, status, body_size].join(" "));
  assert.deepEqual(
    sizes.toSorted(),
    sentByNginx()
      .filter((each) => !each.includes(" 302 "))
      .toSorted(),
  );
  for (const [name, content] of [
    ["styles.css", styles],
    ["new.gif", gif],
    ["large.bin", large],
    ["from-worker.json", `{"worker":1}`],
    ["from-shared.json", `{"shared":1}`],
    ["from-service.json", `{"service":1}`],
  ] as const)
    assert.ok(decoded(found(`GET https://site.test/${name} 200`)).equals(Buffer.from(content)), name);
  const script = found("GET https://cdn.site.test/library.js 200");
  assert.deepEqual(decoded(script), Buffer.from(library));
  assert.equal(script.body_origin, "recorded");
  assert.equal(script.recorded.transfer_size_from, "wire");
  assert.ok(script.body_size < library.length / 2, "as it was compressed on the wire");
  const lying = found("GET https://site.test/lying.css 200");
  assert.equal(bodyOf(lying).toString(), "p{} /* not gzip */");
  assert.deepEqual(
    lying.response_headers.filter(([name]) => name === "content-encoding").map(([, value]) => value),
    ["gzip"],
  );
  assert.equal(decoded(found("GET https://site.test/range.txt 206")).toString(), "abcdefghij");

  const document = found("GET https://site.test/ 200");
  assert.deepEqual(
    document.response_headers.filter(([name]) => name === "set-cookie").map(([, value]) => value),
    ["a=x; path=/", "b=x; path=/"],
    "crossed out: --keep-credentials was not given",
  );
  assert.ok(!document.request_headers.some(([name, value]) => name === "user-agent" && /headless/i.test(value)));
  const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  assert.equal(
    found("POST https://site.test/post 200").request_body_sha256,
    sha256(Uint8Array.of(0, 1, 2, 253, 254, 255)),
  );
  assert.equal(found("PUT https://api.site.test/put.json?x=1 200").request_body_sha256, sha256("large ".repeat(20000)));

  assert.deepEqual(recording.notes.failed_urls, ["https://site.test/lying.css", "https://gone.test/gone.gif"]);
  assert.equal(document.address, "203.0.113.1");
  assert.equal(found("PUT https://api.site.test/put.json?x=1 200").address, "2600::7");
  for (const { recorded } of exchanges) assert.equal(recorded.protocol, "h2");
  const tlsOf = ({ recorded }: ArchivedExchange) =>
    recorded.tls as { names: string[]; chain_bytes: number; version: string; record_bytes?: number; group?: string };
  assert.deepEqual(tlsOf(document).names, ["site.test", "cdn.site.test"]);
  assert.equal(tlsOf(document).version, "TLS 1.3");
  // nginx fills its records, and its OpenSSL knows no group of the browser's that is newer.
  assert.ok((tlsOf(document).record_bytes ?? 0) > 1448, `${tlsOf(document).record_bytes}`);
  assert.match(tlsOf(document).group ?? "", /^X25519/);
  const longChain = tlsOf(found("GET https://frame.test/ 200")).chain_bytes;
  assert.ok(longChain > tlsOf(document).chain_bytes + 900, `${longChain}`);
  // One server for both hosts, whose certificate has both names: one connection.
  assert.equal(script.recorded.connection, document.recorded.connection);
});

for (const lane of ["h1", "h2", "h3"] as const) {
  test(`the recorded page is replayed over ${lane} with all of it matched`, { skip }, async () => {
    const { recording } = await show("whole");
    const { name, digest, url, notes } = recording;
    const failedUrls = notes.failed_urls as string[];
    const link = parseLink("20mbit/20ms");
    const { log } = await untimedLoad({
      ...{ home, lane, link, timeout_ms: 20_000, settle_ms: 1500 },
      recording: { name, digest, url, failedUrls },
    });
    const { status, reasons, counts } = log._trilane;
    assert.equal(status, "valid", reasons.join("; "));
    assert.deepEqual([counts.missed, counts.fuzzy, counts.off_lane], [0, 0, 0]);
    // All but the lazy picture and the icon.
    assert.ok(counts.matched >= expected.length - 4, JSON.stringify(counts));
  });
}

for (const lane of ["h1", "h2", "h3"] as const) {
  test(`a replay that is recorded over ${lane} is the recording, to the byte and the header`, { skip }, async () => {
    const { exchanges } = await show("whole");
    const name = `again-${lane}`;
    const replay = [programPath("trilane-replay"), "--home", home, "--recording", "whole", "--"];
    const words = ["https://site.test/", "--name", name, "--lane", lane, "--link", "20mbit/20ms", "--scroll", untimed];
    const [first = "", ...rest] = [...replay, program, "record", ...words];
    // Where the replay serves its addresses are the machine's own.
    await run(first, [...rest, "--allow-local-network", "--home", home, "--trust", join(home, "ca", "ca.pem")]);
    const again = await show(name);
    const compared = (each: ArchivedExchange) => ({
      request: line(each),
      sent: each.request_body_sha256,
      address: each.address,
      // The redirect's body is made up, as its length says.
      body: each.status === 302 ? each.body_size : each.body_sha256,
      headers: each.response_headers,
    });
    const sorted = (of: readonly ArchivedExchange[]) =>
      of.map(compared).toSorted((a, b) => a.request.localeCompare(b.request));
    assert.deepEqual(sorted(again.exchanges), sorted(exchanges));
    const protocols = new Set(again.exchanges.map(({ recorded }) => recorded.protocol));
    assert.deepEqual([...protocols], [lane === "h1" ? "http/1.1" : lane]);
  });
}

test("lanes are forced: HTTP/1.1 and HTTP/3 where the site has them", { skip }, async () => {
  for (const [lane, protocol, url] of [
    ["h1", "http/1.1", "https://site.test/small.html"],
    ["h3", "h3", "https://h3.test/small.html"],
  ] as const) {
    await record([url, "--name", `lane-${lane}`, "--lane", lane, untimed]);
    const { exchanges } = await show(`lane-${lane}`);
    assert.deepEqual([...new Set(exchanges.map(({ recorded }) => recorded.protocol))], [protocol]);
    const sheet = exchanges.find(({ path }) => path === "/styles.css");
    assert.ok(sheet);
    assert.equal(sheet.recorded.transfer_size_from, "wire");
    assert.deepEqual(decoded(sheet), Buffer.from(styles));
  }
});

test("several visits of a page that differs are one recording, which has what each of them asked for", {
  skip,
}, async () => {
  const told = await record(["https://site.test/varying.html", "--name", "visits", "--visits", "3", untimed]);
  assert.match(told, /visit 2 asked for 3 requests more\n {2}visit 3 asked for 3 requests more/);
  const { recording, exchanges } = await show("visits");
  const [drawn, fixed] = [true, false].map((isDrawn) =>
    exchanges.filter(({ path }) => path.startsWith("/varying/") === isDrawn),
  );
  assert.deepEqual(fixed?.map(line).toSorted(), [
    "GET https://site.test/favicon.ico 200",
    "GET https://site.test/new.gif 200",
    "GET https://site.test/styles.css 200",
    "GET https://site.test/varying.html 200",
  ]);
  assert.equal(drawn?.length, 9);
  for (const each of drawn ?? []) {
    assert.equal(bodyOf(each).toString(), each.path, "each with its own answer");
    assert.equal(each.recorded.visits, 1);
  }
  for (const each of fixed ?? []) assert.equal(each.recorded.visits, undefined);
  assert.deepEqual((recording.notes.recorded as { added: number[] }).added, [3, 3]);
  assert.deepEqual(readdirSync(temporary), []);
});

test("trailers are kept, over HTTP/2", { skip }, async () => {
  const server = join(scratch, "trailers.mjs");
  writeFileSync(
    server,
    `import { readFileSync } from "node:fs";
    import { createSecureServer } from "node:http2";
    const read = (name) => readFileSync(${JSON.stringify(siteFolder)} + "/" + name);
    const server = createSecureServer({ key: read("server0.key"), cert: read("server0.pem") });
    server.on("stream", (stream) => {
      stream.respond({ ":status": 200, "content-type": "text/html" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "server-timing": "db;dur=3", "x-sum": "abc" }));
      stream.end("<!doctype html>with trailers");
    });
    server.listen(443, "203.0.113.53");`,
  );
  const start = besideServer(server, 443);
  const resolve = ["--resolve", "cdn.site.test=203.0.113.53"];
  await record(["https://cdn.site.test/", "--name", "trailers", untimed, ...resolve], ["sh", "-c", start, "sh"]);
  const { exchanges } = await show("trailers");
  const document = exchanges.find(({ path }) => path === "/");
  assert.deepEqual(document?.recorded.trailers, [
    ["server-timing", "db;dur=3"],
    ["x-sum", "abc"],
  ]);
  assert.equal(document && bodyOf(document).toString(), "<!doctype html>with trailers");
});

test("what cannot be recorded is told in a line, and nothing is stored or left", { skip }, async () => {
  const failing = async (words: string[], pattern: RegExp, status: number): Promise<void> => {
    const error = await record(words).then(
      () => null,
      (reason: unknown) => reason as { code: number; stderr: string },
    );
    assert.ok(error, words.join(" "));
    assert.match(error.stderr, pattern);
    assert.equal(error.stderr.trim().split("\n").length, 1, error.stderr);
    assert.equal(error.code, status, error.stderr);
  };
  await failing(["https://gone.test/", "--name", "gone"], /gone\.test\/: the page did not load: net::ERR_NAME_NOT/, 1);
  await failing(["https://site.test/small.html", "--name", "whole"], /"whole" exists: choose another --name/, 2);
  await failing(["https://site.test/small.html", "--name", "forced", "--lane", "h3"], /did not load: net::ERR_QUIC/, 1);
  await failing(["https://site.test/", "https://site.test/2", "--name", "x"], /--name names one recording/, 2);
  await failing(["ftp://site.test/"], /only http and https/, 2);
  await failing(["https://site.test/", "--link", "fast"], /fast/, 2);
  const names = (await withArchive(home, (archive) => archive.list())).map(({ name }) => name);
  assert.ok(!names.includes("gone") && !names.includes("forced"));
  assert.deepEqual(readdirSync(temporary), []);
});

test("interrupted, twice as npm does it, it ends at once, stores nothing and leaves nothing", {
  skip,
  timeout: 60_000,
}, async () => {
  assert.ok(site);
  const [first = "", ...rest] = [...site.words, program, "record", "https://site.test/", "--name", "interrupted"];
  const child = spawn(
    first,
    [...rest, "--idle", "200000", "--timeout", "300", "--home", home, "--trust", site.authority],
    {
      env,
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    },
  );
  let told = "";
  child.stderr.on("data", (chunk: Buffer) => {
    told += chunk.toString();
  });
  const ended = once(child, "close");
  while (readdirSync(temporary).length === 0 && child.exitCode === null && child.signalCode === null) await delay(20);
  await delay(1500);
  assert.ok(child.pid);
  process.kill(-child.pid, "SIGINT");
  await delay(20);
  process.kill(-child.pid, "SIGINT");
  await ended;
  assert.equal(told.trim(), "trilane: interrupted: the page was not stored");
  assert.deepEqual(readdirSync(temporary), []);
  const names = (await withArchive(home, (archive) => archive.list())).map(({ name }) => name);
  assert.ok(!names.includes("interrupted"));
});
