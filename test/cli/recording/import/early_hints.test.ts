// Early Hints (103) in a page load to import: kept with their headers and, if they are known, the server's times for them; what they had the
// browser fetch stands in the recording once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importHar, importPage } from "../../../../cli/recording/import/import_har.ts";
import type { WireFacts } from "../../../../cli/recording/import/wire_exchange.ts";
import { onWire } from "./on_wire.ts";

const url = "https://shop.test/";
const link = "</a.css>; rel=preload; as=style";

const entry = (path: string, over: object = {}) => ({
  startedDateTime: "2026-11-28T10:00:00.000Z",
  time: 360,
  serverIPAddress: "203.0.113.1",
  connection: "1",
  request: { method: "GET", url: `https://shop.test${path}`, headers: [] },
  response: { status: 200, headers: [], content: { size: 4, mimeType: "text/css", text: "body" } },
  timings: { blocked: 0, dns: 0, connect: 60, ssl: 30, send: 0, wait: 330, receive: 0 },
  ...over,
});

const wire = (hints: WireFacts["hints"]): WireFacts => ({
  ...{ body: Buffer.from("page"), trailers: [], certificate: null, tlsVersion: null, connect_ms: 30 },
  ...(hints ? { hints } : {}),
});

test("a 103 that was seen has the server's own time, which is so much less than the answer's", () => {
  const hints: WireFacts["hints"] = [
    { headers: [["link", link]], before_ms: 290 },
    { headers: [["connection", "close"]], before_ms: 100 },
    {
      headers: [
        ["connection", "close"],
        ["set-cookie", "id=secret"],
      ],
      before_ms: 500,
    },
  ];
  const { exchanges, notes } = importPage(
    onWire({ log: { entries: [entry("/")] } }, () => wire(hints)),
    { url },
  );
  const [document] = exchanges;
  assert.equal(document?.exchange.recorded.server_time_ms, 300);
  const [first, second, ...others] = document.exchange.recorded.early_hints as {
    time_ms: number;
    headers: string[][];
  }[];
  assert.deepEqual(first, { time_ms: 10, headers: [["link", link]] });
  assert.equal(second?.time_ms, 0);
  assert.deepEqual(
    second?.headers.map(([name]) => name),
    ["set-cookie"],
  );
  assert.ok(!JSON.stringify(second).includes("secret"), "a cookie is masked there, too");
  assert.deepEqual(others, []);
  assert.match(notes.remarks.join("\n"), /^1 answer with Early Hints \(103\) before: replayed on all lanes/m);
});

test("of a HAR that has the fields and not the times they are replayed at once", () => {
  const named = (lines: unknown) => {
    const har = { log: { entries: [entry("/", { _early_hint_headers: lines })] } };
    return importHar(har, { url }).exchanges[0]?.exchange.recorded.early_hints;
  };
  assert.deepEqual(named([`Link: ${link}`, "</b.js>; rel=preload; as=script", 7]), [
    {
      time_ms: null,
      headers: [
        ["link", link],
        ["link", "</b.js>; rel=preload; as=script"],
      ],
    },
  ]);
  for (const none of [[], [""], "link: x", null, { link }]) assert.equal(named(none), undefined);
});

test("what a 103 preloaded and the page asked for once more stands once, and so does what the page took from the cache", () => {
  const hinted = { _initiator: { type: "early-hints", url } };
  const har = {
    log: {
      entries: [
        entry("/"),
        entry("/a.css", hinted),
        entry("/b.js", hinted),
        entry("/a.css", { startedDateTime: "2026-11-28T10:00:00.400Z" }),
        entry("/b.js", { startedDateTime: "2026-11-28T10:00:00.400Z", _fromCache: "disk" }),
      ],
    },
  };
  const { exchanges, notes } = importHar(har, { url });
  assert.deepEqual(
    exchanges.map(({ exchange }) => exchange.path),
    ["/", "/b.js", "/a.css"],
  );
  assert.deepEqual(notes.skipped, { "preloaded twice": 1, "from cache": 1 });
});
