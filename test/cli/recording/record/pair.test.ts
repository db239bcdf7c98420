// Which logged request is which of the page's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LoggedBody } from "../../../../cli/recording/record/logged_body.ts";
import type { LoggedRequest } from "../../../../cli/recording/record/net_log.ts";
import { pair } from "../../../../cli/recording/record/pair.ts";
import type { HarEntry } from "../../../../schemas/generated/page_load.ts";

interface Told {
  readonly url?: string;
  readonly method?: string;
  readonly status?: number;
  readonly at_ms: number;
  readonly initiator?: string;
  readonly cached?: boolean;
}

const url = "https://a.test/same";

/** As much of an entry as is looked at. */
const entry = ({
  at_ms,
  method = "GET",
  status = 200,
  initiator = "parser",
  cached = false,
  ...rest
}: Told): HarEntry =>
  ({
    request: { method, url: rest.url ?? url },
    response: { status },
    _initiator: { type: initiator },
    ...(cached ? { _fromCache: "disk" } : {}),
    _trilane: { start_ns: at_ms * 1e6 },
  }) as HarEntry;

const logged = ({ at_ms, method = "GET", status = 200, ...rest }: Told): LoggedRequest => ({
  ...{ method, url: rest.url ?? url, started_ms: at_ms, isolation: "", protocol: "h2" },
  ...{
    requestHeaders: [],
    status,
    responseHeaders: [],
    body: new LoggedBody("/dev/null"),
    trailers: [],
    hints: [],
    ...{ sent_ms: null, answered_ms: null, ended_ms: null },
    ended: true,
    hasFilters: false,
  },
});

const times = (entries: readonly HarEntry[], requests: readonly LoggedRequest[]): (number | null)[] =>
  pair(entries, requests).ofEntries.map((found) => found?.started_ms ?? null);

test("requests alike are taken in order, each once", () => {
  const requests = [logged({ at_ms: 11 }), logged({ at_ms: 25 }), logged({ at_ms: 40 })];
  assert.deepEqual(times([entry({ at_ms: 10.4 }), entry({ at_ms: 20 })], requests), [11, 25]);
  assert.deepEqual(
    pair([entry({ at_ms: 10 })], requests).left.map(({ started_ms }) => started_ms),
    [25, 40],
  );
});

test("the network begins no request before the page does, a preflight apart, of which the page is told when it is over", () => {
  assert.deepEqual(times([entry({ at_ms: 50 })], [logged({ at_ms: 30 })]), [null]);
  assert.deepEqual(times([entry({ at_ms: 50.9 })], [logged({ at_ms: 50 })]), [50], "whole milliseconds");
  const preflight = entry({ at_ms: 50, method: "OPTIONS", status: 204, initiator: "preflight" });
  assert.deepEqual(times([preflight], [logged({ at_ms: 30, method: "OPTIONS", status: 204 })]), [30]);
});

test("method, URL and status must be the same; a fragment is not sent; a worker's script has no status told", () => {
  const request = logged({ at_ms: 11 });
  assert.deepEqual(times([entry({ at_ms: 10, method: "POST" })], [request]), [null]);
  assert.deepEqual(times([entry({ at_ms: 10, url: `${url}?x` })], [request]), [null]);
  assert.deepEqual(times([entry({ at_ms: 10, status: 404 })], [request]), [null]);
  assert.deepEqual(times([entry({ at_ms: 10, url: `${url}#top` })], [request]), [11]);
  assert.deepEqual(times([entry({ at_ms: 10, status: 0 })], [request]), [11]);
});

test("what a cache answered takes no logged request, but one that it asked the server about does", () => {
  assert.deepEqual(times([entry({ at_ms: 10, cached: true })], [logged({ at_ms: 11 })]), [null]);
  assert.deepEqual(times([entry({ at_ms: 10 })], [logged({ at_ms: 11, status: 304 })]), [11]);
});

test("what a cache answered was fetched before by a request that no session tells of", () => {
  const page = entry({ at_ms: 300, cached: true });
  const preload = logged({ at_ms: 10 });
  assert.deepEqual(times([page], [preload]), [10]);
  assert.deepEqual(pair([page], [preload]).left, []);
  assert.deepEqual(times([page, page], [preload]), [10, null], "once");
  assert.deepEqual(times([entry({ at_ms: 5 }), page], [preload]), [10, null], "the page's own goes first");
  assert.deepEqual(times([page], [logged({ at_ms: 10, status: 500 })]), [null]);
});
