// What a 103 has a browser fetch, read from its Link fields; and the capture of a page that had one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { headerLine, hintedPreloads, resourceTypeOf } from "../../extension/capture/early_hints.ts";
import { entriesOf } from "../../extension/capture/entries.ts";
import { newCapture, take } from "../../extension/capture/requests.ts";
import { captureOf, fixture } from "./fixture.ts";

const base = "https://shop.test/a/b";
const preloads = (...lines: string[]): string[] =>
  hintedPreloads(lines, base).map((preload) => `${resourceTypeOf(preload)} ${preload.url}`);

test("a Link field's preloads, relative to the document, several in one field or several fields", () => {
  assert.deepEqual(preloads("link: </a.css>; rel=preload; as=style, <b.js>;rel=preload;as=script"), [
    "stylesheet https://shop.test/a.css",
    "script https://shop.test/a/b.js",
  ]);
  assert.deepEqual(
    preloads("Link: </f.woff2>; as=font; crossorigin; rel=preload", "link: </m.mjs>; rel=modulepreload"),
    ["font https://shop.test/f.woff2", "script https://shop.test/m.mjs"],
  );
  assert.deepEqual(preloads('link: <//cdn.test/x?a=1,2;b#top>; rel="preload nofollow"; title="a, <b>; rel=x"'), [
    "other https://cdn.test/x?a=1,2;b",
  ]);
});

test("what is no preload over HTTP is none", () => {
  assert.deepEqual(
    preloads(
      ...["link: <https://cdn.test>; rel=preconnect", "link: <data:text/css,p>; rel=preload; as=style", "link: x"],
      ...[
        "link",
        "link:",
        "set-cookie: </a.css>; rel=preload",
        "link: <http://[>; rel=preload",
        "link: <a>; x=rel=preload",
      ],
    ),
    [],
  );
});

test("a field is read with its name or, as a Link, without", () => {
  assert.deepEqual(headerLine("Link : <a>; rel=preload "), ["link", "<a>; rel=preload"]);
  assert.deepEqual(headerLine("<a>; rel=preload"), ["link", "<a>; rel=preload"]);
  assert.equal(headerLine("nothing"), null);
});

test("a quotation that does not end lasts to the field's end", () => {
  assert.deepEqual(preloads('link: </a>; rel="preload, </b>; rel=preload'), []);
  assert.deepEqual(preloads('link: </a>; rel=preload; as="style, </b>; rel=preload\\'), ["other https://shop.test/a"]);
});

test("no field takes longer to read than its length", () => {
  // So long that time by the square would last for hours.
  const long = ["<", '"', '\\"', "; "].map((part) => part.repeat(400_001));
  assert.deepEqual(preloads(...long.map((text) => `link: <a>${text}`)), []);
});

test("a capture keeps the Link fields of a 103 with the request that they came for", () => {
  const { events, mainFrame } = fixture("h2");
  const capture = newCapture(mainFrame);
  const document = captureOf(fixture("h2")).requests.find(({ sent }) => sent.type === "Document");
  assert.ok(document);
  const { requestId } = document;
  let isHinted = false;
  for (const event of events) {
    take(capture, event);
    if (isHinted || event.method !== "Network.requestWillBeSent" || event.params.requestId !== requestId) continue;
    isHinted = true;
    const headers = { Link: "</a.css>; rel=preload\n</b.js>; rel=preload", "Set-Cookie": "a=1" };
    take(capture, { method: "Network.responseReceivedEarlyHints", params: { requestId, headers }, target: "page" });
  }
  const entries = entriesOf(capture, { pageref: "page_1", navigationStart_s: 0 });
  assert.deepEqual(
    entries.flatMap((entry) => (entry._early_hint_headers ? [entry._early_hint_headers] : [])),
    [["link: </a.css>; rel=preload", "link: </b.js>; rel=preload"]],
  );
});
