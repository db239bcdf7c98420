// Which page a recording of the wire begins with, and in which order its exchanges come.
import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../../../../cli/base/errors.ts";
import type { Body } from "../../../../cli/recording/import/http_message.ts";
import type { WireExchange } from "../../../../cli/recording/import/wire_exchange.ts";
import { selectWire, type WireSelection } from "../../../../cli/recording/import/wire_select.ts";

async function* nothing(): AsyncGenerator<Buffer> {}
const empty: Body = { chunks: nothing, framed_bytes: 0, cutOff: false, trailers: { trailers: [] } };

type Headers = Readonly<Record<string, string>>;
const pairs = (headers: Headers) => Object.entries(headers).map(([name, value]) => ({ name, value }));

interface Asked {
  readonly status?: number;
  readonly method?: string;
  readonly request?: Headers;
  readonly response?: Headers;
}

function exchange(
  url: string,
  { status = 200, method = "GET", request = {}, response = {} }: Asked = {},
): WireExchange {
  const type: Headers = /\.\w+$/.test(new URL(url).pathname) ? {} : { "Content-Type": "text/html" };
  return {
    name: url,
    method,
    url: new URL(url),
    requestHeaders: pairs(request),
    requestBody: empty,
    status,
    responseHeaders: pairs({ ...type, ...response }),
    responseBody: empty,
    address: null,
    protocol: null,
    facts: {},
  };
}

function select(exchanges: readonly WireExchange[], url?: string, document?: number): WireSelection {
  return selectWire({ source: "test", exchanges, failedUrls: [], left: {} }, { url, document });
}

const page = "https://shop.example/page";
const from = (referer: string): Asked => ({ request: { Referer: referer } });

test("the page is told from frames and from what a script fetched", () => {
  const frames = [
    exchange("https://ads.example/frame", from(page)),
    exchange("https://ads.example/deep", from("https://ads.example/frame")),
    exchange("https://shop.example/api", { request: { "Sec-Fetch-Dest": "empty", Accept: "*/*" } }),
    exchange(page, { request: { Accept: "text/html,*/*" } }),
    exchange("https://shop.example/a.css", from(page)),
  ];
  assert.equal(select(frames).url, page);
  assert.equal(select([...frames].reverse()).url, page);
  // What a browser says itself counts more than who is named most.
  const said = exchange("https://other.example/start", { request: { "Sec-Fetch-Dest": "document", Referer: page } });
  assert.equal(select([...frames, said]).url, "https://other.example/start");
  // Where browsers name the origin only.
  const origins = [
    exchange("https://a.example/x"),
    exchange("https://b.example/y"),
    exchange("https://c.example/z.js", from("https://b.example/")),
  ];
  assert.equal(select(origins).url, "https://b.example/y");
});

test("a load begins with the redirect that led to its page", () => {
  const moved = (url: string, location: string) => exchange(url, { status: 301, response: { Location: location } });
  const chain = [
    exchange(page),
    moved("https://shop.example/", "/page#top"),
    moved("http://shop.example/", "https://shop.example/"),
    { ...moved("https://ads.example/out", page), requestHeaders: pairs({ Referer: page }) },
  ];
  const selection = select(chain);
  assert.equal(selection.url, "http://shop.example/");
  assert.equal(selection.kept[0]?.url.href, "http://shop.example/");
  assert.ok(selection.guessed && !select(chain, page).guessed);
  // Two that lead to each other have an end.
  assert.ok(
    select([exchange(page), moved("https://a.example/", page), moved("https://b.example/", "https://a.example/")]).url,
  );
});

test("of a start URL that is answered twice, the first page counts, or the one asked for", () => {
  const twice = [exchange(page, { status: 403 }), exchange("https://shop.example/a.js"), exchange(page)];
  const first = select(twice, page);
  assert.deepEqual(
    [first.documents, first.kept.map(({ status }) => status), first.skipped],
    [[403, 200], [200, 200], { "before the document": 1 }],
  );
  assert.deepEqual(
    select(twice, page, 1).kept.map(({ status }) => status),
    [403, 200, 200],
  );
  assert.throws(() => select(twice, page, 3), /has no response 3/);
  assert.throws(() => select([exchange("https://a.example/x.js")]), UserError);
  assert.throws(() => select([exchange(page, { status: 304 })]), /no HTTP response to replay/);
});

test("order is that of the servers' clocks, with time in caches; one URL's responses keep theirs", () => {
  const at = (second: number, age?: number): Asked => ({
    response: {
      Date: `Mon, 03 Mar 2025 10:00:${String(second).padStart(2, "0")} GMT`,
      ...(age ? { Age: `${age}` } : {}),
    },
  });
  const order = select(
    [
      exchange("https://a.example/4.js", at(4)),
      exchange("https://a.example/3.js", at(1, 2)),
      exchange("https://a.example/twice.js", at(5)),
      exchange("https://a.example/twice.js", at(2)), // a clock that went back
      exchange("https://a.example/none.js"), // stays behind the one before it
      exchange(page, at(9)),
      exchange("https://a.example/1.js", at(1)),
    ],
    page,
  ).kept.map(({ url, responseHeaders }) => `${url.pathname} ${responseHeaders.at(-1)?.value.slice(22, 25) ?? ""}`);
  assert.deepEqual(
    order.map((each) => each.split(" ")[0]),
    ["/page", "/1.js", "/3.js", "/4.js", "/twice.js", "/twice.js", "/none.js"],
  );
});

test("a host that DNS cannot hold is left out and counted", () => {
  const { kept, skipped } = select([exchange(page), exchange("https://%2e/x", from(page))]);
  assert.deepEqual([kept.length, skipped], [1, { "illegal host": 1 }]);
});
