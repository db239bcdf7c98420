// HARs in the shapes of the programs that write them, small ones made from what is known of each program's quirks: which page is found,
// which answers it gets, and which bodies. The fixtures in test/fixtures/har are whole files of four of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { importHar } from "../../../../cli/recording/import/import_har.ts";

type Json = Record<string, unknown>;
type Headers = [name: string, value: string][];

const html = '<!doctype html><link rel=stylesheet href=/a.css><img src="/b.png"><script src=/c.js></script>';
const css = "body{background:#eee}";
const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const headers = (list: Headers): Json[] => list.map(([name, value]) => ({ name, value }));

interface Part {
  readonly url: string;
  readonly method?: string;
  readonly status?: unknown;
  readonly type?: string;
  readonly at_ms?: number;
  readonly asks?: Headers;
  readonly answers?: Headers;
  readonly content?: Json;
  readonly response?: Json;
  readonly request?: Json;
  /** The entry's own. */
  readonly more?: Json;
}

/** An entry with what the HAR specification requires. */
function entry(part: Part): Json {
  const { url, method = "GET", status = 200, type = "text/html", at_ms = 0, asks = [], answers = [] } = part;
  return {
    startedDateTime: new Date(Date.UTC(2024, 2, 4, 10, 0, 0) + at_ms).toISOString(),
    time: 40,
    request: {
      ...{ method, url, httpVersion: "HTTP/1.1", cookies: [], headers: headers(asks), queryString: [] },
      ...{ headersSize: -1, bodySize: -1, ...part.request },
    },
    response: {
      ...{
        status,
        statusText: "",
        httpVersion: "HTTP/1.1",
        cookies: [],
        redirectURL: "",
        headersSize: -1,
        bodySize: -1,
      },
      headers: headers([["Content-Type", type], ...answers]),
      content: { size: -1, mimeType: type, ...part.content },
      ...part.response,
    },
    cache: {},
    timings: { send: 0, wait: 40, receive: 0 },
    ...part.more,
  };
}

const site = "https://site.example/";
const referer: Headers = [["Referer", site]];
const document: Part = { url: site, content: { text: html } };
const sheet: Part = { url: `${site}a.css`, type: "text/css", at_ms: 50, asks: referer, content: { text: css } };
const picture: Part = {
  ...{ url: `${site}b.png`, type: "image/png", at_ms: 60, asks: referer },
  content: { text: png.toString("base64"), encoding: "base64" },
};
const script: Part = { url: `${site}c.js`, type: "text/javascript", at_ms: 55, asks: referer, content: { text: "1" } };
const three: readonly Part[] = [document, sheet, script, picture];

const each = (more: Partial<Part>): Json[] => three.map((part) => entry({ ...part, ...more }));
const pageOf = (id: string, title: string, more: Json = {}): Json => ({
  ...{ id, title, startedDateTime: "2024-03-04T10:00:00.000Z", pageTimings: { onContentLoad: 90, onLoad: 200 } },
  ...more,
});
const log = (name: string, entries: readonly unknown[], pages?: readonly unknown[], more: Json = {}): Json => ({
  log: { version: "1.2", creator: { name, version: "1" }, ...(pages ? { pages } : {}), entries, ...more },
});
const whole = ["/", "/a.css", "/b.png", "/c.js"];

interface Case {
  readonly har: Json;
  /** Default: the whole site. */
  readonly paths?: readonly string[];
  /** By path; default: those of the site. */
  readonly bodies?: Readonly<Record<string, string | Buffer>>;
  readonly url?: string;
}

const chrome = (part: Part, more: Json = {}): Json =>
  entry({
    ...part,
    asks: [
      [":authority", "site.example"],
      [":method", "GET"],
      [":path", "/"],
      [":scheme", "https"],
      ...(part.asks ?? []),
    ],
    request: { httpVersion: "h3" },
    response: { httpVersion: "h3", _transferSize: 300, _error: null },
    more: {
      ...{ _initiator: { type: "parser", url: site, lineNumber: 3 }, _priority: "High", _resourceType: "other" },
      ...{ _connectionId: "91", pageref: "page_1", serverIPAddress: "[2001:db8::1]", connection: "443", ...more },
    },
  });

const cases: Readonly<Record<string, Case>> = {
  "Chrome 29": {
    har: log(
      "WebInspector",
      each({
        response: { bodySize: 0 },
        more: { pageref: "page_1", connection: "4711", timings: { ssl: -1, dns: -1 } },
      }),
      [pageOf("page_1", site)],
    ),
  },
  "Chrome 133": {
    har: log(
      "WebInspector",
      three.map((part) => chrome(part)),
      [pageOf("page_1", site)],
    ),
  },
  "Chrome with messages, blobs and extensions": {
    har: log(
      "WebInspector",
      [
        ...three.map((part) => chrome(part)),
        chrome(
          { url: "wss://site.example/live", status: 101 },
          { _webSocketMessages: [{ type: "receive", time: 1, opcode: 1, data: "x" }], _resourceType: "websocket" },
        ),
        chrome({ url: "blob:https://site.example/1" }),
        chrome({ url: "chrome-extension://abc/x.js" }),
        chrome({ url: "data:image/gif;base64,R0lGODlhAQABAAAAACw=" }),
      ],
      [pageOf("page_1", site)],
    ),
  },
  "Firefox 62 to 111": {
    har: log(
      "Firefox",
      [
        ...each({
          more: { pageref: "page_1", serverIPAddress: "unknown", connection: "443", _securityState: "secure" },
        }),
        entry({
          url: "https://ads.example/x.js",
          status: 0,
          response: { headersSize: -1, content: { mimeType: "", size: 0 } },
          more: { pageref: "page_1" },
        }),
      ],
      [pageOf("page_1", "A title, no URL", { startedDateTime: "2024-03-04T12:00:00.000+02:00" })],
      { browser: { name: "Firefox", version: "111.0" } },
    ),
  },
  "Firebug's NetExport": {
    har: log(
      "Firebug",
      three.map(({ content, ...part }) =>
        entry({
          ...{ ...part, status: "200", more: { pageref: "page_0", startedDateTime: "2010-10-21T12:46:14.000+0200" } },
          content: part.type === "image/png" ? { text: null, size: 100 } : { text: content?.text },
        }),
      ),
      [pageOf("page_0", "Firebug", { startedDateTime: "2010-10-21T12:46:14.000+0200" })],
    ),
    bodies: { "/": html },
  },
  "Safari 17": {
    har: log(
      "WebKit Web Inspector",
      [
        ...each({ more: { pageref: "page_0", _fetchType: "Network Load", _priority: "high" } }),
        entry({
          ...picture,
          at_ms: 90,
          response: { _transferSize: 0, bodySize: 0 },
          more: { pageref: "page_0", _fetchType: "Memory Cache" },
        }),
      ],
      [pageOf("page_0", site, { pageTimings: { onLoad: null } })],
    ),
  },
  "Edge and IE 11": {
    har: log(
      "F12 Developer Tools",
      each({ more: { pageref: "0", serverIPAddress: "", connection: "" }, response: { httpVersion: "" } }),
      [{ startedDateTime: "2024-03-04T10:00:00.0000000Z", id: "0", title: site, pageTimings: {} }],
    ),
  },
  Fiddler: {
    har: log(
      "Fiddler",
      [
        entry({ url: "http://site.example:443/", method: "CONNECT", at_ms: -20, type: "" }),
        ...three.map((part) =>
          entry({
            ...part,
            more: {
              startedDateTime: `2024-03-04T02:00:00.${String(part.at_ms ?? 0).padStart(3, "0")}4567-08:00`,
              connection: "ClientPort:51000;EgressPort:51001",
              comment: "[#12]",
            },
          }),
        ),
      ],
      [],
      { comment: "exported @ 3/4/2024 2:00:00 AM" },
    ),
  },
  Charles: {
    har: log(
      "Charles Proxy",
      three.map((part) => entry({ ...part, more: { time: -1, serverIPAddress: "192.0.2.1" } })),
    ),
  },
  Proxyman: { har: log("Proxyman", each({ more: { _name: "", _isHTTPS: true, _id: "1", _clientName: "Chrome" } })) },
  "ZAP with a message that is null": {
    har: log("ZAP", [null, ...each({}), { request: null, response: null }, entry({ url: "about:blank", status: 0 })]),
  },
  "Playwright, embedded": {
    har: log(
      "Playwright",
      [
        ...each({ more: { pageref: "page@1", _frameref: "frame@1", _monotonicTime: 12.5, _serverPort: 443 } }),
        entry({
          url: "https://dead.example/",
          status: -1,
          more: { pageref: "page@1" },
          response: { _failureText: "x" },
        }),
      ],
      [pageOf("page@1", "Site")],
    ),
  },
  BrowserMob: {
    har: log(
      "BrowserMob Proxy",
      [
        ...each({ more: { pageref: "Page 1", comment: "", timings: { comment: "" } } }),
        entry({
          ...{ url: "https://none.example/", status: 0, more: { pageref: "Page 1" } },
          response: { statusText: "", comment: "No response received", httpVersion: "unknown", content: {} },
        }),
      ],
      [{ id: "Page 1", startedDateTime: "2024-03-04T10:00:00.000Z", title: "Page 1", pageTimings: { comment: "" } }],
    ),
  },
  "browsertime and puppeteer-har": {
    har: log(
      "Browsertime",
      each({
        more: { pageref: "page_1", _initiator: site, _initialPriority: "VeryHigh" },
        response: { _transferSize: 99 },
      }),
      [pageOf("page_1", `${site} run 1`, { _url: site })],
    ),
  },
  WebPageTest: {
    har: log(
      "WebPagetest",
      each({ more: { pageref: "page_1_0_1", _full_url: undefined, _protocol: "HTTP/2", _load_ms: "40", _number: 1 } }),
      [pageOf("page_1_0_1", "Run 1, First View for site.example", { _URL: site, _run: 1, _cached: 0 })],
    ),
  },
  "mitmproxy har_dump": {
    har: log(
      "mitmproxy har_contrib",
      each({
        more: { startedDateTime: undefined, serverIPAddress: "192.0.2.9", comment: "" },
        request: { httpVersion: "HTTP/2.0" },
      }).map((each, index) => ({ ...each, startedDateTime: `2024-03-04T10:00:00.00${index}123+00:00` })),
      [],
    ),
  },
  "Polly, binary as hex": {
    har: log(
      "Polly.JS",
      three.map((part) =>
        entry(
          part === picture
            ? { ...part, content: { text: png.toString("hex"), _isBinary: true } }
            : { ...part, more: { _id: "ab", _order: 0 } },
        ),
      ),
      [],
      { _recordingName: "site" },
    ),
  },
  "Polly, chunks as base64": {
    har: log(
      "Polly.JS",
      three.map((part) => {
        if (part !== sheet) return entry(part);
        const packed = gzipSync(css);
        const chunks = [packed.subarray(0, 9), packed.subarray(9)].map((chunk) => chunk.toString("base64"));
        return entry({
          ...{ ...part, answers: [["content-encoding", "gzip"]] },
          content: { text: JSON.stringify(chunks), encoding: "base64" },
        });
      }),
      [],
    ),
  },
  "a Node program's values for text": {
    har: log(
      "har-recorder",
      [
        ...three.map((part) =>
          entry(part === picture ? { ...part, content: { text: { type: "Buffer", data: [...png] } } } : part),
        ),
        entry({
          ...{ url: `${site}d.json`, type: "application/json", at_ms: 70, asks: referer },
          content: { text: { a: [1] }, size: 1e15 },
        }),
      ],
      [],
    ),
    paths: [...whole, "/d.json"],
    bodies: { "/d.json": '{"a":[1]}', "/b.png": png },
  },
  PhantomJS: {
    har: log(
      "PhantomJS",
      each({ more: { pageref: site, startedDateTime: {} }, response: { statusText: null }, content: { size: 100 } }),
      [{ id: site, title: "", startedDateTime: {}, pageTimings: { onLoad: 200 } }],
    ),
    bodies: {},
  },
  HttpWatch: {
    har: log(
      "HttpWatch Professional Edition",
      each({ more: { pageref: "page_0", startedDateTime: "2024-03-04T11:00:00.123+01:00" } }),
      [pageOf("page_0", "Site home", { startedDateTime: "2024-03-04T11:00:00.000+01:00" })],
      { browser: { name: "Internet Explorer", version: "10" } },
    ),
  },
  "a font of another host with an origin only, after a page that came from the cache": {
    har: log("proxy", [
      entry({ ...document, status: 304 }),
      entry(sheet),
      entry({
        ...{
          url: "https://fonts.example/f.woff2",
          type: "font/woff2",
          at_ms: 80,
          asks: [["Origin", "https://site.example"]],
        },
        content: { text: "AAAA", encoding: "base64" },
      }),
      entry({
        url: "https://other.example/x",
        at_ms: 90,
        asks: [["Referer", "https://other.example/"]],
        type: "image/gif",
      }),
    ]),
    paths: ["/", "/a.css", "/f.woff2"],
    bodies: { "/": html, "/a.css": css },
  },
  "sizes that no body has": {
    har: log("x", each({ response: { bodySize: 9e15 }, answers: [["Content-Length", "900000000000"]] })),
  },
  "a HAR whose headers were taken out": {
    har: log("WebInspector", each({ response: { headers: [] }, request: { headers: [] }, more: { pageref: "p" } }), [
      pageOf("p", site),
    ]),
  },
  "requests of a frame, a redirect and another page": {
    har: log("Charles Proxy", [
      entry({ url: "http://site.example/", status: 301, at_ms: -90, response: { redirectURL: site } }),
      ...each({}),
      entry({ url: `${site}frame`, at_ms: 70, asks: referer, content: { text: "<p>frame" } }),
      entry({ url: "https://next.example/", at_ms: 30_000, content: { text: "<p>" } }),
    ]),
    url: "http://site.example/",
    paths: ["/", "/", "/a.css", "/b.png", "/c.js", "/frame"],
    bodies: { "/frame": "<p>frame" },
  },
};

function decoded(body: Buffer, coding: string | undefined): Buffer {
  if (coding === "gzip") return gunzipSync(body);
  return coding === "br" ? brotliDecompressSync(body) : body;
}

const usual: Case["bodies"] = { "/": html, "/a.css": css, "/b.png": png, "/c.js": "1" };

for (const [name, { har, paths = whole, url = site, bodies = usual }] of Object.entries(cases))
  test(`the shape of ${name}`, () => {
    const page = importHar(JSON.parse(JSON.stringify(har)));
    assert.equal(page.url, url);
    assert.deepEqual(page.exchanges.map(({ exchange }) => exchange.path).toSorted(), paths);
    for (const [path, expected] of Object.entries(bodies)) {
      const found = page.exchanges.findLast(({ exchange }) => exchange.path === path);
      assert.ok(found, path);
      const coding = found.exchange.response_headers.find(([header]) => header === "content-encoding")?.[1];
      const body = decoded(Buffer.from(found.body ?? []), coding);
      assert.equal(body.toString("latin1"), Buffer.from(expected).toString("latin1"), path);
    }
  });
