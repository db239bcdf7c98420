// How a HAR says that a request failed, in the words of those that write HARs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importHar } from "../../../../cli/recording/import/import_har.ts";

interface Answer {
  readonly status?: number;
  readonly response?: object;
  readonly entry?: object;
}

const url = "https://a.test/";

function entryOf(at: string, { status = 0, response = {}, entry = {} }: Answer): object {
  const content = { size: status > 0 ? 4 : 0, ...(status > 0 ? { text: "body" } : {}) };
  return {
    ...{ request: { method: "GET", url: at, headers: [] }, response: { status, headers: [], content, ...response } },
    ...entry,
  };
}

function importing(answers: Readonly<Record<string, Answer>>) {
  const entries = [
    entryOf(url, { status: 200 }),
    ...Object.entries(answers).map(([at, how]) => entryOf(url + at, how)),
  ];
  return importHar({ log: { entries } }, { url });
}

test("a failure is told by its cause", () => {
  const { notes } = importing({
    chrome: { response: { _error: "net::ERR_NAME_NOT_RESOLVED" } },
    firefox: { response: { _error: "NS_ERROR_UNKNOWN_HOST" } },
    webpagetest: { entry: { _responseCode: 12007 }, status: -2 },
    blocker: { response: { _error: "net::ERR_BLOCKED_BY_CLIENT" } },
    mixed: { response: { _error: "blocked:mixed-content" } },
    left: { response: { _error: "net::ERR_ABORTED" } },
    reset: { response: { _error: "net::ERR_CONNECTION_RESET" } },
    elsewhere: { entry: { _error: "net::ERR_TIMED_OUT" } },
    untold: {},
  });
  const kinds = Object.entries(notes.failures).map(([at, kind]) => [at.slice(url.length), kind]);
  assert.deepEqual(Object.fromEntries(kinds), {
    ...{ chrome: "name", firefox: "name", webpagetest: "name", blocker: "blocked", mixed: "blocked" },
    ...{ left: "aborted", reset: "connection", elsewhere: "connection", untold: "unknown" },
  });
  assert.deepEqual(notes.failed_urls, Object.keys(notes.failures));
});

test("a redirect to what no network serves is kept, and what it leads to fails as it did", () => {
  const to = (redirectURL: string) => ({ status: 307, response: { redirectURL } });
  const { notes, exchanges } = importing({
    extension: to("chrome-extension://abc/noop.js"),
    data: to("data:text/javascript,1"),
    https: to("HTTPS://b.test/"),
    relative: to("/x:y"),
  });
  assert.equal(exchanges.length, 5);
  assert.deepEqual(notes.failed_urls, [`${url}extension`, `${url}data`]);
});

test("Firefox's status 0 with headers and body is an answer, without them it is none", () => {
  const headers = [{ name: "Content-Type", value: "text/css" }];
  const content = { size: 4, text: "a{}b", mimeType: "text/css" };
  const { notes, exchanges } = importing({
    pushed: { response: { headers, content } },
    empty: { response: { headers } },
    failed: { response: { headers, content, _error: "NS_ERROR_NET_RESET" } },
  });
  assert.deepEqual(
    exchanges.map(({ exchange }) => [exchange.path, exchange.status]),
    [
      ["/", 200],
      ["/pushed", 200],
    ],
  );
  assert.deepEqual(notes.failed_urls, [`${url}empty`, `${url}failed`]);
});

test("of ten thousand requests that failed as many are noted as a recording has room for, and the rest counted", () => {
  const failed = Array.from({ length: 10_000 }, (_, index) => entryOf(`https://a.test/beacon?${index}`, {}));
  const entries = [entryOf(url, { status: 200 }), ...failed];
  const { notes } = importHar(
    { log: { version: "1.2", creator: { name: "x", version: "1" }, pages: [], entries } },
    { url },
  );
  assert.ok(notes.failed_urls.length > 1000);
  assert.equal(notes.failed_urls[0], "https://a.test/beacon?0");
  assert.deepEqual(Object.keys(notes.failures), notes.failed_urls);
  assert.equal(notes.failed_urls.length + notes.failures_left_out, 10_000);
  assert.ok(Buffer.byteLength(JSON.stringify(notes)) < 448 * 1024);
});
