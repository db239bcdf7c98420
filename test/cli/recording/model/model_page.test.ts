// A modelled page: each recorded request is named once, by what can ask for it; bodies keep their recorded sizes on the wire.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { ArchivedExchange, Header, JsonObject } from "../../../../cli/recording/archive/archive.ts";
import type { Compute } from "../../../../cli/recording/model/compute_option.ts";
import { type ModelledPage, modelPage } from "../../../../cli/recording/model/model_page.ts";

interface Given {
  readonly type?: string;
  readonly size?: number;
  readonly encoding?: "gzip" | "br";
  readonly sent_ms?: number;
  readonly initiator?: { type: string; urls: string[]; line: number | null };
  readonly headers?: readonly Header[];
  readonly more?: Partial<ArchivedExchange>;
  readonly recorded?: JsonObject;
}

let seq = 0;
function exchange(url: string, given: Given = {}): ArchivedExchange {
  const { type = "image/png", size = 3000, encoding, sent_ms = 0, initiator, headers = [], more, recorded } = given;
  const { protocol, hostname, pathname, search } = new URL(url);
  return {
    seq: seq++,
    method: "GET",
    scheme: protocol === "https:" ? "https" : "http",
    host: hostname,
    port: protocol === "https:" ? 443 : 80,
    path: `${pathname}${search}`,
    request_headers: [["accept", "*/*"]],
    address: "198.18.0.1",
    status: 200,
    response_headers: [
      ["content-type", type],
      ...(encoding ? [["content-encoding", encoding] as Header] : []),
      ...headers,
    ],
    body_origin: "filled",
    request_body_sha256: null,
    body_sha256: "0".repeat(64),
    body_size: size,
    recorded: {
      start_offset_ms: sent_ms,
      timings: { wait: 10, receive: 10 },
      ...(initiator ? { initiator } : {}),
      ...recorded,
    },
    ...more,
  };
}

const site = "https://site.example";
const page = (given: Given = {}): ArchivedExchange =>
  exchange(`${site}/`, { type: "text/html", size: 9000, encoding: "gzip", ...given });
const by = (type: string, path: string) => ({ type, urls: [`${site}${path}`], line: null });

function modelOf(
  exchanges: readonly ArchivedExchange[],
  compute: Compute = "timer",
  load_ms: number | null = null,
): ModelledPage {
  return modelPage({
    url: `${site}/`,
    exchanges,
    load_ms,
    compute,
    requestBodies: new Map(),
    images: new Map([[3, { width: 96, height: 72 }]]),
  });
}

function textOf(model: ModelledPage, path: string): string {
  const made = model.exchanges.find(({ exchange: { host, path: at } }) => `https://${host}${at}` === `${site}${path}`);
  assert.ok(made?.body, `no body was made for ${path}`);
  const encoding = made.exchange.response_headers.find(([name]) => name === "content-encoding")?.[1];
  const decode = encoding === "gzip" ? gunzipSync : encoding === "br" ? brotliDecompressSync : (bytes: Buffer) => bytes;
  return decode(made.body).toString();
}

/** The text without what only fills it. */
const codeOf = (model: ModelledPage, path: string): string =>
  textOf(model, path).replaceAll(/<!--[\s\S]*?-->|\/\*[\s\S]*?\*\//g, "");

test("tags in recorded order, a rule for the font, a call after the recorded computation", () => {
  const model = modelOf([
    page(),
    exchange(`${site}/a.css`, { type: "text/css", encoding: "br", sent_ms: 20, initiator: by("parser", "/") }),
    exchange(`${site}/a.js`, { type: "text/javascript", encoding: "gzip", sent_ms: 20, initiator: by("parser", "/") }),
    exchange("https://cdn.example/i.png?a=1&b=2", { sent_ms: 25, initiator: by("parser", "/") }),
    exchange(`${site}/f.woff2`, { type: "font/woff2", sent_ms: 45, initiator: by("parser", "/a.css") }),
    exchange(`${site}/by-script.png`, { sent_ms: 140, initiator: by("script", "/a.js") }),
  ]);
  const html = codeOf(model, "/");
  assert.match(
    html,
    /<link rel=stylesheet href="\/a\.css"><script src="[^"]*a\.js"><\/script><i class=m4>a<\/i><img src="https:\/\/cdn\.example\/i\.png\?a=1&amp;b=2" alt="" width=96 height=72>/,
  );
  assert.equal(codeOf(model, "/a.css"), '@font-face{font-family:m4;src:url("/f.woff2")}.m4{font-family:m4}');
  assert.equal(codeOf(model, "/a.js"), 't([["i",100,"/by-script.png"]]);');
});

test("bodies have the recorded sizes on the wire, and those that ask for nothing stay", () => {
  const model = modelOf([
    page({ size: 12_345, recorded: { decoded_size: 60_000 } }),
    exchange(`${site}/a.js`, { type: "text/javascript", size: 2000, sent_ms: 20, initiator: by("parser", "/") }),
    exchange(`${site}/i.png`, { sent_ms: 60, initiator: by("script", "/a.js") }),
    exchange(`${site}/b.js`, { type: "text/javascript", sent_ms: 20, initiator: by("parser", "/") }),
  ]);
  assert.deepEqual(
    model.exchanges.map(({ body }) => body?.length ?? null),
    [12_345, 2000, null, null],
  );
  assert.equal(model.facts.larger, 0);
});

test("a recorded script is replaced even where it asks for nothing: what it does is done by others", () => {
  const recorded = { body_origin: "recorded" as const };
  const model = modelOf([
    page({ more: recorded }),
    exchange(`${site}/a.js`, { type: "text/javascript", sent_ms: 20, more: recorded }),
  ]);
  assert.equal(codeOf(model, "/a.js"), "");
  assert.equal(textOf(model, "/a.js").length, 3000);
});

test("what does not fit into a script is its element's handler's to ask for", () => {
  const model = modelOf([
    page(),
    exchange(`${site}/a.js`, { type: "text/javascript", size: 10, sent_ms: 20, initiator: by("parser", "/") }),
    exchange(`${site}/i.png`, { sent_ms: 60, initiator: by("script", "/a.js") }),
  ]);
  assert.match(codeOf(model, "/"), /a\.js" onload="t\(\[\[&quot;i&quot;,20,&quot;\/i\.png&quot;\]\]\)" onerror=/);
  assert.equal(model.exchanges[1]?.exchange.body_origin, "filled");
});

test("asked for again: by fetch, past caches that may not keep it", () => {
  const model = modelOf([
    page(),
    exchange(`${site}/i.png`, { sent_ms: 20, initiator: by("parser", "/") }),
    exchange(`${site}/i.png`, { sent_ms: 30, initiator: by("parser", "/") }),
  ]);
  assert.match(codeOf(model, "/"), /<script>t\(\[\["x",0,"\/i\.png",\[\],\{"n":1,"r":1,/);
  for (const { exchange: made } of model.exchanges.slice(1))
    assert.ok(made.response_headers.some(([name, value]) => name === "cache-control" && value === "no-store"));
});

test("headers that forbid it are disarmed, and fonts and data may be read", () => {
  const model = modelOf([
    page({
      headers: [
        ["content-security-policy", "default-src 'none'"],
        ["x-frame-options", "DENY"],
      ],
    }),
    exchange("https://cdn.example/f.woff2", { type: "font/woff2", sent_ms: 20, initiator: by("parser", "/") }),
    exchange("https://api.example/x", {
      ...{ type: "application/json", sent_ms: 20, initiator: by("script", "/") },
      headers: [["access-control-allow-origin", "https://other.example"]],
    }),
  ]);
  const headers = (index: number) => Object.fromEntries(model.exchanges[index]?.exchange.response_headers ?? []);
  assert.equal(headers(0)["content-security-policy"], "upgrade-insecure-requests");
  assert.equal(headers(0)["x-content-security-policy"], "default-src 'none'");
  assert.equal(headers(0)["x-frame-options"], undefined);
  assert.equal(headers(1)["access-control-allow-origin"], "*");
  assert.equal(headers(2)["access-control-allow-origin"], "*");
});

test("a preflight is sent by a header that needs one, and lets the method through", () => {
  const api = "https://api.example/x";
  const model = modelOf([
    page(),
    exchange(api, {
      ...{ type: "text/plain", size: 0, sent_ms: 30, initiator: by("script", "/") },
      more: { method: "OPTIONS", request_headers: [["access-control-request-method", "PUT"]] },
    }),
    exchange(api, { type: "application/json", sent_ms: 40, more: { method: "PUT" } }),
  ]);
  assert.match(codeOf(model, "/"), /\["x",\d+,"https:\/\/api\.example\/x",\[\],\{"m":"PUT","h":1\b/);
  const allowed = Object.fromEntries(model.exchanges[1]?.exchange.response_headers ?? []);
  assert.equal(allowed["access-control-allow-methods"], "PUT");
  assert.equal(allowed["access-control-allow-headers"], "x-trilane");
});

test("after the load event, and the computation modes", () => {
  const exchanges = [
    page(),
    exchange(`${site}/soon.png`, { sent_ms: 300, initiator: by("script", "/") }),
    exchange(`${site}/late.png`, { sent_ms: 1200, initiator: by("script", "/") }),
  ];
  const timed = codeOf(modelOf(exchanges, "timer", 1000), "/");
  assert.match(timed, /<script>l\(\[\["i",200,"\/late\.png"\]\]\)<\/script>/);
  assert.match(timed, /t\(\[\["i",290,"\/soon\.png"/);
  assert.match(codeOf(modelOf(exchanges, "none", 1000), "/"), /t\(\[\["i",0,"\/soon\.png"/);
  assert.match(codeOf(modelOf(exchanges, "busy", 1000), "/"), /performance\.now\(\)<e/);
});

test("what rules show in sight is a box of its own, which is asked for first, and the rest a piece of a line", () => {
  const shown = (path: string, priority: string): ArchivedExchange =>
    exchange(`${site}${path}`, { sent_ms: 60, initiator: by("parser", "/a.css"), recorded: { priority } });
  const sheet = exchange(`${site}/a.css`, { type: "text/css", sent_ms: 20, initiator: by("parser", "/") });
  const css = textOf(modelOf([page(), sheet, shown("/logo.svg", "High"), shown("/foot.svg", "Low")]), "/a.css");
  assert.match(css, /\{display:inline-block;background:url\("\/logo\.svg"\)\}/);
  assert.match(css, /\{background:url\("\/foot\.svg"\)\}/);
});

test("pictures out of sight when recorded are out of sight, where final priorities are known", () => {
  const picture = (path: string, priority: string): ArchivedExchange =>
    exchange(`${site}${path}`, { sent_ms: 20, initiator: by("parser", "/"), recorded: { priority } });
  const known = codeOf(modelOf([page(), picture("/a.png", "High"), picture("/b.png", "Low")]), "/");
  assert.match(known, /<img src="\/a\.png" alt=""><img src="\/b\.png" alt="" style=position:absolute;top:9999px>/);
  assert.doesNotMatch(codeOf(modelOf([page(), picture("/b.png", "Low")]), "/"), /absolute/);
});

test("computation after what a stylesheet imports or shows begins when that has come", () => {
  const exchanges = [
    page(),
    exchange(`${site}/a.css`, { type: "text/css", sent_ms: 30, initiator: by("parser", "/") }),
    exchange(`${site}/b.css`, { type: "text/css", sent_ms: 60, initiator: by("parser", "/a.css") }),
  ];
  // It had come after 80 ms; the load event came 120 ms later.
  assert.match(
    codeOf(modelOf(exchanges, "timer", 200), "/"),
    /<script>o\(":\/\/site\.example\/b\.css",\[\["w",120,""\]\]\);/,
  );
  assert.doesNotMatch(codeOf(modelOf(exchanges, "none", 200), "/"), /<script>o\(/);
});

test("a URL cannot end its script or attribute", () => {
  const html = codeOf(
    modelOf([
      page(),
      exchange(`${site}/a`, {
        ...{ type: "text/html", sent_ms: 20, initiator: by("script", "/") },
        more: { path: `/a?x="'</script><b>` },
      }),
    ]),
    "/",
  );
  assert.doesNotMatch(html, /<\/script><b>/);
});

test("a page that polls 5000 times, each time when the last answer has come, is modelled whole", () => {
  const polls = Array.from({ length: 5000 }, (_, at) =>
    exchange(`${site}/poll/${at}`, {
      type: "application/json",
      size: 100,
      sent_ms: 100 + 50 * at,
      initiator: by("script", at === 0 ? "/" : `/poll/${at - 1}`),
      recorded: { resource_type: "xhr" },
    }),
  );
  const text = textOf(modelOf([page(), ...polls]), "/");
  assert.equal(new Set(text.match(/\/poll\/\d+(?=")/g)).size, 5000);
  assert.equal(text.match(/\/poll\/\d+(?=")/g)?.length, 5000);
});

test("each request is named with its host, whatever asks for it and whatever became of that", () => {
  const away = (path: string): string => `https://away.example${path}`;
  const refused = { more: { status: 404 } };
  const ofSheet = (path: string) => ({ initiator: by("parser", path) });
  const given: [string, Given][] = [
    ...(["font/woff2", "image/png", "text/css", "text/javascript", "application/json", "text/html"] as const).map(
      (type, place): [string, Given] => [away(`/${place}`), { type, initiator: by("parser", "/") }],
    ),
    [away("/timed.woff2"), { type: "font/woff2" }],
    [away("/put"), { type: "application/json", more: { method: "PUT" } }],
    [away("/head"), { type: "text/plain", more: { method: "HEAD" } }],
    [`${site}/gone.css`, { type: "text/css", initiator: by("parser", "/"), ...refused }],
    [away("/of-gone.woff2"), { type: "font/woff2", ...ofSheet("/gone.css") }],
    [away("/of-gone.png"), { type: "image/png", ...ofSheet("/gone.css") }],
    [`${site}/none`, { type: "text/html", initiator: by("parser", "/"), more: { status: 204 } }],
    [away("/of-none.png"), { type: "image/png", initiator: by("parser", "/none") }],
    [`${site}/a.css`, { type: "text/css", initiator: by("parser", "/") }],
    [away("/of-a.woff2"), { type: "font/woff2", ...ofSheet("/a.css") }],
  ];
  const made = [page(), ...given.map(([url, one], place) => exchange(url, { sent_ms: 20 + place * 30, ...one }))];
  const texts = modelOf([...made, exchange(`${site}/t`, { sent_ms: 900, more: { method: "TRACE" } })]).exchanges;
  const all = texts.map(({ body }) => (body === null ? "" : body[0] === 0x1f ? gunzipSync(body) : body).toString());
  for (const [url] of given) {
    const named = url.startsWith(site) ? url.slice(site.length) : url;
    assert.ok(
      all.some((text) => text.includes(named)),
      named,
    );
  }
  assert.equal(texts.length, made.length);
});
