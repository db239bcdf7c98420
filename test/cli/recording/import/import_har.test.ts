// Each producer's shape of HAR, imported without an archive. The fixtures are small and written by hand. Over 500 lines: one short
// test a shape, all on the same helpers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import jpeg from "jpeg-js";
import type { NewExchange } from "../../../../cli/recording/archive/archive.ts";
import { type ImportedPage, type ImportOptions, importHar } from "../../../../cli/recording/import/import_har.ts";
import { noteLines } from "../../../../cli/recording/import/notes.ts";
import { refusedIn } from "../../refused.ts";

const fixtures = join(import.meta.dirname, "../../../fixtures/har");
const readFixture = (name: string): unknown => JSON.parse(readFileSync(join(fixtures, `${name}.har`), "utf8"));
const imported = (name: string, options?: ImportOptions): ImportedPage => importHar(readFixture(name), options);

function find(page: ImportedPage, path: string, nth = 0): NewExchange {
  const found = page.exchanges.filter(({ exchange }) => exchange.path === path)[nth];
  assert.ok(found, `no exchange ${path}`);
  return found;
}
const bytes = ({ body }: NewExchange): Buffer => Buffer.from(body ?? []);
const header = ({ exchange }: NewExchange, name: string): string[] =>
  exchange.response_headers.filter(([candidate]) => candidate === name).map(([, value]) => value);

test("Chrome DevTools: the load begins at its redirect, not where the page's title says", () => {
  const page = imported("chrome-devtools");
  assert.equal(page.url, "http://shop.example/");
  assert.equal(page.source, "har: WebInspector 537.36");
  assert.equal(page.recorded_at, "2026-01-05T10:00:00.000Z");
  const redirect = find(page, "/");
  assert.equal(redirect.exchange.status, 301);
  assert.equal(redirect.exchange.scheme, "http");
  assert.equal(redirect.exchange.port, 80);
  assert.deepEqual(redirect.exchange.response_headers, [["location", "https://shop.example/start"]]);
  assert.equal(redirect.exchange.body_origin, "empty");
});

test("Chrome DevTools: text is compressed again to the size that the sum of headers and body leaves", () => {
  const document = find(imported("chrome-devtools"), "/start");
  assert.equal(document.exchange.body_origin, "recompressed");
  assert.equal(bytes(document).length, document.exchange.recorded.transfer_size);
  const size = document.exchange.recorded.transfer_size;
  assert.ok(typeof size === "number" && size > 250 && size < 430, `${size}`);
  assert.match(brotliDecompressSync(bytes(document)).toString(), /Übersicht[\s\S]*10 €[\s\S]*<\/html>\n$/);
});

test("Chrome DevTools: headers of the connection, of other lanes, and illegal ones are gone, the others are split and kept", () => {
  const document = find(imported("chrome-devtools", { credentials: "kept" }), "/start");
  assert.deepEqual(header(document, "set-cookie"), ["a=1; path=/", "b=2; path=/"]);
  assert.deepEqual(header(document, "strict-transport-security"), ["max-age=31536000"]);
  assert.deepEqual(header(document, "content-encoding"), ["br"]);
  assert.deepEqual(document.exchange.response_headers.map(([name]) => name).toSorted(), [
    "content-encoding",
    "content-type",
    "set-cookie",
    "set-cookie",
    "strict-transport-security",
  ]);
  assert.deepEqual(document.exchange.request_headers, [["accept-encoding", "gzip, deflate, br, zstd"]]);
  // They are kept where no lane sends them.
  assert.deepEqual(document.exchange.recorded.unsent_headers, [
    ["alt-svc", 'h3=":443"; ma=86400'],
    ["x bad name", "1"],
    ["x-bad-value", "a\u0001b"],
  ]);
});

test("Chrome DevTools: what is not to be replayed is left out and counted", () => {
  const { notes, exchanges } = imported("chrome-devtools");
  assert.deepEqual(notes.skipped, { "not http": 1, websocket: 1, failed: 1, "from cache": 1 });
  assert.equal(exchanges.length, 6);
  assert.equal(notes.entries, exchanges.length + 4);
  assert.equal(notes.illegal_headers, 2);
});

test("Chrome DevTools: a response known only from the disk cache is kept, at its codec's usual size", () => {
  const script = find(imported("chrome-devtools"), "/site.js");
  assert.equal(script.exchange.recorded.transfer_size, null);
  assert.equal(gunzipSync(bytes(script)).toString(), 'document.body.dataset.ready = "yes";\n');
  // It has no address of its own: it comes from where its host's others come from.
  assert.equal(script.exchange.address, find(imported("chrome-devtools"), "/site.css").exchange.address);
});

test("Chrome DevTools: a picture without its body is filled to the byte in the dimensions that the HTML names", () => {
  const picture = find(imported("chrome-devtools"), "/hero.jpg");
  assert.equal(picture.exchange.body_origin, "filled");
  assert.equal(bytes(picture).length, 20_480);
  const { width, height } = jpeg.decode(bytes(picture), { tolerantDecoding: false });
  assert.deepEqual({ width, height }, { width: 640, height: 360 });
});

test("Chrome DevTools: a form's request body, and a path without fragment, as on the wire", () => {
  const cart = find(imported("chrome-devtools"), "/api/cart?x=%7B1%7D");
  assert.equal(cart.exchange.method, "POST");
  assert.equal(Buffer.from(cart.requestBody ?? []).toString(), "id=7&n=a+b");
  assert.equal(cart.exchange.status, 204);
  assert.equal(cart.exchange.body_origin, "empty");
});

test("Chrome DevTools: an IPv6 address loses its brackets, a private one is mapped, each recorded one to one", () => {
  const page = imported("chrome-devtools");
  assert.equal(find(page, "/start").exchange.address, "2001:db8::10");
  assert.equal(find(page, "/").exchange.address, "203.0.113.10");
  assert.equal(find(page, "/hero.jpg").exchange.address, "198.18.0.1");
  assert.equal(page.notes.addresses_mapped, 1);
  assert.equal(page.notes.addresses_invented, 0);
});

test("Firefox: text goes back into the charset of the wire; sizes with headers in them are not taken for bodies", () => {
  const page = imported("firefox");
  const document = find(page, "/");
  assert.equal(document.exchange.body_origin, "recorded");
  assert.equal(bytes(document).length, 46);
  assert.ok(bytes(document).includes(Buffer.from([0xfc, 0xdf, 0x65])), "üße in ISO 8859-1");
  assert.deepEqual(header(document, "x-firefox-spdy"), []);
  assert.equal(page.notes.charset_changed, 0);
  assert.equal(bytes(find(page, "/schrift.woff2")).length, 9001);
  assert.equal(bytes(find(page, "/schrift.woff2")).toString("latin1", 0, 4), "wOF2");
});

test("Firefox: missing JSON is filled so that it parses and its encoded size is the recorded one", () => {
  const data = find(imported("firefox"), "/daten.json");
  assert.deepEqual(header(data, "content-encoding"), ["zstd"]);
  assert.equal(bytes(data).length, 700);
  const text = zstdDecompressSync(bytes(data)).toString();
  assert.equal(text.length, 5000);
  assert.equal(typeof JSON.parse(text), "object");
});

test("Firefox: private and lab addresses are mapped, one for each", () => {
  const page = imported("firefox");
  assert.deepEqual(
    page.exchanges.map(({ exchange }) => exchange.address),
    ["198.18.0.1", "198.18.0.1", "198.18.0.2"],
  );
  assert.equal(page.notes.addresses_mapped, 2);
});

test("WebPageTest: the first page by default, another by number, none beyond", () => {
  assert.equal(imported("webpagetest").exchanges.length, 3);
  const second = imported("webpagetest", { page: 2 });
  assert.equal(bytes(find(second, "/")).toString(), "<title>second</title>");
  assert.equal(second.notes.skipped["other page"], 5);
  assert.throws(() => imported("webpagetest", { page: 3 }), /no page 3: it has 2 pages/);
});

test("WebPageTest: its own fields say sizes, addresses, dimensions", () => {
  const page = imported("webpagetest");
  assert.equal(page.source, "har: Chrome 131.0.0.0");
  assert.equal(find(page, "/").exchange.address, "2001:db8:1::7");
  assert.equal(bytes(find(page, "/")).length, 150);
  assert.match(gunzipSync(bytes(find(page, "/"))).toString(), /<p>three$/);
  const dot = bytes(find(page, "/dot.gif"));
  assert.equal(dot.length, 43);
  assert.equal(dot.toString("latin1", 0, 6), "GIF89a");
  assert.deepEqual([dot.readUInt16LE(6), dot.readUInt16LE(8)], [3, 5]);
  assert.equal(find(page, "/").exchange.recorded.protocol, "h3");
});

test("WebPageTest: text that the HAR cuts off keeps its beginning and is filled to its whole and encoded size", () => {
  const page = imported("webpagetest");
  const css = find(page, "/news.css");
  assert.equal(css.exchange.body_origin, "filled");
  assert.equal(bytes(css).length, 4000);
  const text = brotliDecompressSync(bytes(css)).toString();
  assert.equal(text.length, 20_000);
  assert.ok(text.startsWith("p { color: black }\n.lead { font-weight: bo\n/*"));
  assert.ok(text.endsWith("*/"));
  assert.equal(page.notes.cut_off, 1);
  assert.equal(page.notes.skipped["pushed twice"], 1);
});

test("WebPageTest: a load begins with the first answer of its start URL that is a page, or with the one asked for", () => {
  const whole = imported("webpagetest", { document: 1 });
  assert.deepEqual(whole.notes.documents, [202, 200]);
  const page = imported("webpagetest");
  assert.deepEqual(page, imported("webpagetest", { document: 2 }));
  assert.equal(find(page, "/").exchange.status, 200);
  assert.equal(page.notes.skipped["before the document"], 1);
  assert.equal(page.exchanges.length, whole.exchanges.length - 1);
  assert.throws(() => imported("webpagetest", { document: 3 }), /no response 3 to https:\/\/news.example\/: it has 2/);
});

test("browsertime: no bodies and no addresses; each host has an address of its own", () => {
  const page = imported("browsertime");
  assert.equal(page.url, "https://blog.example/post");
  assert.deepEqual(
    page.exchanges.map(({ exchange }) => exchange.address),
    ["198.18.0.1", "198.18.0.2", "198.18.0.2"],
  );
  assert.equal(page.notes.addresses_invented, 2);
  const document = find(page, "/post");
  assert.equal(bytes(document).length, 2500);
  assert.equal(gunzipSync(bytes(document)).length, 9000);
  const photo = find(page, "/photo");
  assert.equal(bytes(photo).length, 5003);
  assert.equal(bytes(photo).toString("latin1", 8, 12), "WEBP");
  assert.equal(find(page, "/ping").exchange.body_origin, "empty");
});

test("browsertime: a document without its text is filled, and asks for nothing", () => {
  const html = gunzipSync(bytes(find(imported("browsertime"), "/post"))).toString();
  assert.match(html, /^<!doctype html><title>filled<\/title><!--[^<]*-->$/);
});

test("the same HAR gives the same recording", () => {
  for (const name of ["chrome-devtools", "firefox", "webpagetest", "browsertime"])
    assert.deepEqual(imported(name), imported(name), name);
});

test("the notes in words leave out what is zero and name what is not", () => {
  const lines = noteLines(imported("chrome-devtools").notes).join("\n");
  assert.match(lines, /1 as recorded, 2 compressed again, 1 filled, 2 empty/);
  assert.match(lines, /; left out: .*\b1 WebSocket \(its messages are not replayed/);
  assert.doesNotMatch(lines, /^0 /m);
});

// Bad input: one line that names the entry, thrown before anything is written.

type Json = Record<string, unknown>;
const entry = (changes: { request?: Json; response?: Json; entry?: Json } = {}): Json => ({
  startedDateTime: "2026-01-05T10:00:00.000Z",
  request: { method: "GET", url: "https://a.example/", headers: [], ...changes.request },
  response: { status: 200, headers: [], content: { size: 1, mimeType: "text/html", text: "x" }, ...changes.response },
  ...changes.entry,
});
const har = (
  entries: unknown[],
  pages: unknown[] = [{ id: "p", startedDateTime: "2026-01-05T10:00:00.000Z", title: "a" }],
): Json => ({ log: { version: "1.2", creator: { name: "test", version: "1" }, pages, entries } });

test("what holds no page is refused in one line that says what it has instead", () => {
  const call = entry({
    request: { url: "https://a.example/api" },
    response: { content: { mimeType: "application/json" } },
  });
  const socket = entry({ request: { url: "wss://a.example/" }, response: { status: 101 } });
  const posted = entry({ request: { method: "POST" }, response: { content: { mimeType: "application/json" } } });
  const without = (side: "request" | "response", field: string): Json => entry({ [side]: { [field]: undefined } });
  for (const [json, message] of [
    [null, /not HAR \(it has no log\)/],
    [[], /not HAR/],
    [{ log: {} }, /log.entries is missing/],
    [har([]), /has no entries/],
    [har([call, call, socket], []), /^2 API calls, 1 WebSocket, no page$/],
    [har([posted, without("request", "url")], []), /^1 API call, 1 entry with no URL, no page$/],
    [har(["x"]), /^has no HTTP response to replay \(1 with nothing in it\)/],
    [har([entry({ response: { status: 0 } })]), /no HTTP response to replay \(1 failed or aborted\)/],
    [har([entry({ response: { content: { size: 1e12 } } })]), /no response of a size that a page can have/],
  ] as const)
    assert.throws(() => importHar(json), refusedIn(message), `${message}`);
});

test("a bad entry costs itself, and is counted under its reason", () => {
  const without = (side: "request" | "response", field: string): Json => entry({ [side]: { [field]: undefined } });
  for (const [bad, reason] of [
    ["x", "not an object"],
    [entry({ entry: { request: null } }), "no request"],
    [without("request", "url"), "no URL"],
    [entry({ request: { url: "/a.css" } }), "bad URL"],
    [entry({ request: { url: "x\ny" } }), "bad URL"],
    [entry({ request: { method: "G T" } }), "bad method"],
    [entry({ entry: { response: null } }), "no response"],
    [without("response", "status"), "no status"],
    [entry({ response: { status: "error" } }), "no status"],
    [entry({ response: { status: -999 } }), "failed"],
    [entry({ request: { url: "https://a.example/x" }, response: { content: { size: 1e12 } } }), "too large"],
    [entry({ response: { content: { _file: "../../etc/passwd" } } }), "body elsewhere"],
  ] as const) {
    const page = importHar(har([entry(), bad]));
    assert.deepEqual(page.notes.skipped, { [reason]: 1 });
    assert.equal(page.exchanges.length, 1);
    assert.match(noteLines(page.notes)[0] ?? "", /^1 of 2 entries imported; left out: 1 /);
  }
  const failed = importHar(
    har([entry(), entry({ request: { url: "https://a.example/x" }, response: { status: "error" } })]),
  );
  assert.deepEqual(failed.notes.failed_urls, ["https://a.example/x"]);
});

test("what an entry need not have is done without, and said", () => {
  const second = (changes: Parameters<typeof entry>[0]): Json =>
    entry({ ...changes, request: { url: "https://a.example/b", ...changes?.request } });
  const read = (changes: Parameters<typeof entry>[0]) => {
    const page = importHar(har([entry(), second(changes)]));
    assert.equal(page.exchanges.length, 2);
    return { ...page.exchanges[1]?.exchange, notes: page.notes, body: page.exchanges[1]?.body };
  };
  const guessed = read({ request: { method: null } });
  assert.deepEqual([guessed.method, guessed.notes.methods_guessed], ["GET", 1]);
  assert.equal(read({ request: { method: undefined, postData: { text: "a" } } }).method, "POST");
  assert.deepEqual(read({ response: { headers: null } }).response_headers, [["content-type", "text/html"]]);
  assert.deepEqual(read({ response: { headers: { "X-A": "1", "x-b": ["2", 3] } } }).response_headers, [
    ["x-a", "1"],
    ["x-b", "2"],
    ["x-b", "3"],
  ]);
  assert.deepEqual(read({ response: { headers: "HTTP/1.1 200 OK\r\nX-A: 1\r\n" } }).response_headers, [["x-a", "1"]]);
  assert.deepEqual(read({ response: { headers: [{ value: "x" }, ["x-a", "1"], { name: "x-b" }] } }).response_headers, [
    ["x-a", "1"],
    ["x-b", ""],
  ]);
  const notBase64 = read({ response: { content: { size: 3, text: "<?>", encoding: "base64" } } });
  assert.deepEqual([notBase64.body?.toString(), notBase64.notes.not_base64], ["<?>", 1]);
});

test("a host with the root's dot is the host without it, as DNS has it", () => {
  const url = "https://shop.example./x";
  const { exchanges } = importHar(
    har([
      entry({ request: { url }, entry: { serverIPAddress: "203.0.113.9" } }),
      entry({ request: { url: "https://shop.example/y" }, entry: { serverIPAddress: "" } }),
    ]),
    { url },
  );
  assert.deepEqual(
    exchanges.map(({ exchange }) => [exchange.host, exchange.address]),
    [
      ["shop.example", "203.0.113.9"],
      ["shop.example", "203.0.113.9"],
    ],
  );
});

test("a host that DNS cannot hold is left out and told, and the rest of the page imported", () => {
  const odd = ["https://%2e/x", "https://a*b.example/x", `https://${"a".repeat(256)}.example/x`];
  const page = importHar(har([entry(), ...odd.map((url) => entry({ request: { url } }))]));
  assert.equal(page.exchanges.length, 1);
  assert.deepEqual(page.notes.skipped, { "illegal host": odd.length });
  assert.match(
    noteLines(page.notes).join("\n"),
    /^1 of 4 entries imported; left out: 3 from a host whose name DNS cannot hold$/m,
  );
});

test("localhost, and an address in a URL that no lab can serve from, have stand-ins; the others are connected to as they are", () => {
  const at = (host: string): Json => entry({ request: { url: `http://${host}/x` } });
  const local = ["127.0.0.1:3000", "[::1]:3000", "0.0.0.0", "localhost:3000", "app.localhost"];
  const unreachable = ["100.64.0.2", "224.0.0.1", "255.255.255.255", "[fe80::1]", "[ff02::1]", "[fd00:7472::2]"];
  const reachable = ["192.168.1.5", "223.255.255.255", "[2001:db8::5]"];
  const page = importHar(har([entry(), ...[...local, ...unreachable, ...reachable].map(at)]));
  const addresses = page.exchanges.slice(1).map(({ exchange }) => exchange.address);
  assert.deepEqual(addresses.slice(-3), ["192.168.1.5", "223.255.255.255", "2001:db8::5"]);
  const standIns = addresses.slice(0, -3);
  assert.ok(standIns.every((address) => address.startsWith("198.18.")));
  assert.equal(new Set(standIns).size, local.length + unreachable.length);
  assert.deepEqual(page.notes.skipped, {});
});

test("a page whose own URL is not among the entries begins with its first request, and says so", () => {
  const remarksOf = (title: string): readonly string[] =>
    importHar(har([entry()], [{ id: "p", title, startedDateTime: "2026-09-01T10:00:00.000Z" }])).notes.remarks;
  assert.deepEqual(remarksOf("https://a.example/shop"), [
    "the page's own URL, https://a.example/shop, is not among the entries: its load begins with https://a.example/ (--url)",
  ]);
  assert.deepEqual(remarksOf("https://a.example/#top"), []);
  assert.deepEqual(remarksOf("A shop"), []);
});

test("a HAR without pages is one page when its start URL is given; a start URL without a response is told", () => {
  const page = importHar(har([entry()], []), { url: "https://a.example/#top" });
  assert.equal(page.url, "https://a.example/");
  assert.deepEqual(page.notes.documents, [200]);
  assert.deepEqual(importHar(har([entry()]), { url: "https://b.example/" }).notes.documents, []);
  assert.throws(() => importHar(har([entry()]), { url: "b.example" }), /--url b.example: is not an http/);
});

test("what the browser had from before makes its cache warm; what it fetched itself, or a service worker had, does not", () => {
  const at = (path: string, more: Parameters<typeof entry>[0] = {}) =>
    entry({ request: { url: `https://a.example/${path}` }, ...more });
  const first = entry({});
  const twice = [at("b"), at("b", { entry: { _fromCache: "memory" } })];
  const worker = at("w", { entry: { _fromCache: "disk", _fetchedViaServiceWorker: true } });
  const bare = at("e", { response: { status: 304, content: { size: 0 } } });
  assert.equal(importHar(har([first, ...twice, worker, bare])).notes.cached_before, 0);
  const { notes } = importHar(
    har([first, ...twice, at("c", { entry: { _fromCache: "disk" } }), at("d", { response: { status: 304 } })]),
  );
  assert.equal(notes.cached_before, 2);
  assert.ok(noteLines(notes).includes("recorded with a warm cache (2 URLs from before), loaded with an empty one"));
});

test("a 304 with the body the HAR has is replayed as 200; without one it is for who asks on a condition", () => {
  const { exchanges, notes } = importHar(har([entry({ response: { status: 304 } })]));
  assert.equal(exchanges[0]?.exchange.status, 200);
  assert.equal(notes.not_modified, 1);
  const bare = entry({ request: { url: "https://a.example/b" }, response: { status: 304, content: { size: 0 } } });
  const kept = importHar(har([entry(), bare]));
  assert.deepEqual(kept.notes.skipped, {});
  assert.equal(kept.exchanges[1]?.exchange.status, 304);
  const whole = entry({ request: { url: "https://a.example/b" } });
  assert.deepEqual(importHar(har([entry(), bare, whole])).notes.skipped, { "not modified": 1 });
});

test("a response that broke off and was asked for again is left out; an empty one that may be meant stays", () => {
  const of = (response: Json): Json => entry({ request: { url: "https://a.example/x" }, response });
  const script = { mimeType: "text/javascript" };
  const whole = of({ content: { ...script, size: 3, text: "a=1" } });
  const skippedOf = (first: Json): unknown => importHar(har([entry(), first, whole])).notes.skipped;
  const again = { "tried again": 1 };
  assert.deepEqual(skippedOf(of({ content: { ...script, size: 0 } })), again);
  const poll = { size: 0, mimeType: "text/plain" };
  assert.deepEqual(skippedOf(of({ content: poll })), {});
  assert.deepEqual(skippedOf(of({ content: poll, headers: [{ name: "Content-Encoding", value: "gzip" }] })), again);
  const cut = { content: { ...script, size: 2, text: "a=" }, headers: [{ name: "Content-Length", value: "3" }] };
  assert.deepEqual(skippedOf(of(cut)), again);
  // Alone it is all there is.
  assert.deepEqual(importHar(har([entry(), of({ content: { ...script, size: 0 } })])).notes.skipped, {});
});

test("an answer to HEAD keeps its content-length, which frames nothing there", () => {
  const headers = [{ name: "Content-Length", value: "987654" }];
  const response = { headers, content: { size: 0, mimeType: "a/b" } };
  const lengthOf = (method: string): unknown =>
    importHar(
      har([entry(), entry({ request: { method, url: "https://a.example/big" }, response })]),
    ).exchanges[1]?.exchange.response_headers.find(([name]) => name === "content-length");
  assert.deepEqual(lengthOf("HEAD"), ["content-length", "987654"]);
  assert.equal(lengthOf("GET"), undefined);
});

test("the load event of a page that came from a cache is not one over a network", () => {
  const content = { size: 9, mimeType: "text/css", text: "a{color:red}" };
  const cached = entry({
    request: { url: "https://a.example/b" },
    response: { content, bodySize: 0, _transferSize: 0 },
  });
  const pages = [{ id: "p", startedDateTime: "2026-01-05T10:00:00.000Z", title: "a", pageTimings: { onLoad: 189 } }];
  const warm = importHar(har([entry(), cached, cached], pages)).notes;
  assert.equal(warm.load_event_ms, null);
  assert.ok(noteLines(warm).some((line) => line.includes("cache")));
  const cold = importHar(har([entry(), entry(), cached], pages)).notes;
  assert.equal(cold.load_event_ms, 189);
  assert.ok(!noteLines(cold).some((line) => line.includes("cache")));
});

test("entries are taken in the order in which they were sent", () => {
  const at = (path: string, startedDateTime: string): Json =>
    entry({ request: { url: `https://a.example${path}` }, entry: { startedDateTime } });
  const { exchanges } = importHar(
    har([at("/3", "2026-01-05T10:00:03Z"), at("/1", "2026-01-05T10:00:01Z"), at("/2", "2026-01-05T10:00:02Z")]),
  );
  assert.deepEqual(
    exchanges.map(({ exchange }) => exchange.path),
    ["/1", "/2", "/3"],
  );
});

test("what had a response and failed all the same is kept, and may fail again", () => {
  const entry = (url: string, _error: string | null) => ({
    request: { method: "GET", url, headers: [] },
    response: { status: 200, headers: [], content: { size: 4, text: "body" }, _error },
  });
  const entries = [
    entry("https://a.test/", null),
    entry("https://a.test/b", "net::ERR_BLOCKED_BY_ORB"),
    entry("https://a.test/c", ""),
    entry("https://a.test/d", "net::ERR_ABORTED"),
  ];
  const page = importHar({ log: { entries } }, { url: "https://a.test/" });
  assert.equal(page.exchanges.length, 4);
  assert.deepEqual(page.notes.failed_urls, ["https://a.test/b"]);
});

test("an unknown content-encoding is taken off with its header, a dictionary's is replaced by its codec", () => {
  const encoded = (value: string): NewExchange => {
    const text = "a".repeat(1000);
    const response = {
      headers: [
        { name: "Content-Encoding", value },
        { name: "Content-Type", value: "text/plain" },
      ],
      content: { size: 1000, mimeType: "text/plain", text },
    };
    const { exchanges, notes } = importHar(har([entry({ response })]));
    assert.equal(notes.encoding_changed, 1);
    assert.ok(exchanges[0]);
    return exchanges[0];
  };
  assert.deepEqual(header(encoded("sdch"), "content-encoding"), []);
  assert.equal(bytes(encoded("sdch")).length, 1000);
  assert.deepEqual(header(encoded("dcb"), "content-encoding"), ["br"]);
  assert.equal(brotliDecompressSync(bytes(encoded("dcb"))).length, 1000);
});

test("messages of sockets and event streams are named: they do not come at their times", () => {
  const socket = entry({
    request: { url: "wss://a.example/" },
    entry: { _webSocketMessages: [{ data: "a" }, { data: "b" }] },
  });
  const stream = entry({
    request: { url: "https://a.example/events" },
    response: { headers: [{ name: "Content-Type", value: "text/event-stream" }], content: { text: "data: 1\n\n" } },
  });
  const { remarks, skipped } = importHar(har([entry(), socket, stream])).notes;
  assert.match(remarks.join("\n"), /^2 WebSocket messages not replayed: .*\n1 event stream replayed as one body: /);
  assert.deepEqual(skipped, { websocket: 1 });
});

test("entries that do not say which page they are of: by a page's URL, by time, else the page is found", () => {
  const pages = [
    { id: 1, startedDateTime: "2026-01-05T10:00:00.000Z", title: "https://a.example/" },
    { id: 2, startedDateTime: "2026-01-05T10:01:00.000Z", title: "https://b.example/" },
  ];
  const at = (url: string, entryFields: Json): Json =>
    entry({ request: { url }, entry: { pageref: undefined, ...entryFields } });
  const urlsOf = (page: number | undefined, ...entries: Json[]): string[] =>
    importHar(har(entries, pages), { page }).exchanges.map(({ exchange: { host, path } }) => host + path);
  const timed = [
    at("https://a.example/", { startedDateTime: "2026-01-05T10:00:00.000Z" }),
    at("https://a.example/a", { startedDateTime: "2026-01-05T10:00:30.000Z" }),
    at("https://b.example/", { startedDateTime: "2026-01-05T10:00:59.990Z" }),
  ];
  assert.deepEqual(urlsOf(undefined, ...timed), ["a.example/", "a.example/a"]);
  assert.deepEqual(urlsOf(2, ...timed), ["b.example/"]);
  const untimed = ["https://a.example/", "https://a.example/a"].map((url) => ({
    ...at(url, { startedDateTime: null }),
    response: {
      status: 200,
      headers: [],
      content: { text: "x", mimeType: url.endsWith("/") ? "text/html" : "text/css" },
    },
  }));
  assert.deepEqual(urlsOf(undefined, ...untimed), ["a.example/", "a.example/a"]);
  const numbered = [at("https://a.example/", { pageref: 1 }), at("https://b.example/", { pageref: 2 })];
  assert.deepEqual(urlsOf(2, ...numbered), ["b.example/"]);
  const strays = [
    at("https://a.example/", { pageref: "one" }),
    at("https://a.example/b", { pageref: "one" }),
    at("https://b.example/", { pageref: "two" }),
  ];
  assert.deepEqual(urlsOf(1, ...strays.map((each) => ({ ...each, startedDateTime: null }))), [
    "a.example/",
    "a.example/b",
  ]);
});
