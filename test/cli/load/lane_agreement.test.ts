// Whether each request was answered on its lane: the browser's word and the server's, made to disagree in one thing at a time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../cli/base/random.ts";
import type { ReplayedRequest } from "../../../cli/load/reports.ts";
import { type Evidence, verify } from "../../../cli/load/validity.ts";
import type { HarEntry } from "../../../schemas/generated/page_load.ts";
import { connectionOn, entry, evidence, imageUrl, pageUrl, replayed, replayReport, unanswered } from "./fixtures.ts";

type Protocol = keyof typeof connectionOn;

const answered = (url: string, _protocol: Protocol, change: Parameters<typeof entry>[1] = {}): HarEntry =>
  entry(url, { _protocol, _resourceType: url === pageUrl ? "document" : "image", ...change });
const served = (url: string, protocol: Protocol, change: Partial<ReplayedRequest> = {}): ReplayedRequest => ({
  ...replayed(url),
  connection: connectionOn[protocol],
  ...change,
});
const afterLoad_ns = 1_600_000_000;
const afterLoad = { facts: { start_ns: afterLoad_ns } };

type Case = Pick<Evidence, "lane" | "entries"> & { readonly requests: readonly ReplayedRequest[] };

function reasonsOf({ lane, entries, requests }: Case): string[] {
  return verify(evidence({ lane, entries, replay: replayReport([...requests]) })).reasons;
}

/** A page over h3 as it should be, with more of each side's. */
const overH3 = (entries: readonly HarEntry[], requests: readonly ReplayedRequest[]): Case => ({
  lane: "h3",
  entries: [answered(pageUrl, "h3"), ...entries],
  requests: [served(pageUrl, "h3"), ...requests],
});

test("both words on the lane: valid, and each entry says what it came over", () => {
  const { entries, requests } = overH3([answered(imageUrl, "h3")], [served(imageUrl, "h3")]);
  const verdict = verify(evidence({ lane: "h3", entries, replay: replayReport([...requests]) }));
  assert.deepEqual(verdict.reasons, []);
  assert.deepEqual(
    verdict.entries.map(({ _trilane }) => _trilane.served),
    [
      { connection: 2, protocol: "h3" },
      { connection: 2, protocol: "h3" },
    ],
  );
});

const { _protocol: _, ...wordless } = answered(imageUrl, "h3");

test("of a single answer whose protocol the browser does not know, the server's word is enough", () => {
  const { entries, requests } = overH3([wordless], [served(imageUrl, "h3")]);
  assert.deepEqual(verify(evidence({ lane: "h3", entries, replay: replayReport([...requests]) })).reasons, []);
});

const disagreements: Record<string, [Case, string]> = {
  "the server says another protocol": [
    overH3([answered(imageUrl, "h3")], [served(imageUrl, "h2")]),
    `1 of 2 requests not on h3: ${imageUrl} (browser: h3; server: h2)`,
  ],
  "the browser says another protocol": [
    overH3([answered(imageUrl, "h2")], [served(imageUrl, "h3")]),
    `1 of 2 requests not on h3: ${imageUrl} (browser: h2; server: h3)`,
  ],
  "both say another protocol": [
    overH3([answered(imageUrl, "h2")], [served(imageUrl, "h2")]),
    `1 of 2 requests not on h3: ${imageUrl} (h2)`,
  ],
  "only the server knows of a request, on another protocol": [
    overH3([], [served(imageUrl, "h2")]),
    `1 of 2 requests not on h3: ${imageUrl} (browser: no such request; server: h2)`,
  ],
  "only the browser knows of an answer": [
    overH3([answered(imageUrl, "h3")], []),
    `1 of 2 requests of which browser and server say different protocols: ${imageUrl} (browser: h3; server: no such request)`,
  ],
  "the browser does not know the protocol of more than a few answers": [
    overH3([wordless, { ...wordless }], [served(imageUrl, "h3"), served(imageUrl, "h3")]),
    `2 of 3 requests of which the browser does not say the protocol: ${imageUrl} (browser: unknown protocol; server: h3)`,
  ],
  "the server does not know the connection": [
    overH3([answered(imageUrl, "h3")], [served(imageUrl, "h3", { connection: null })]),
    `1 of 2 requests of which browser and server say different protocols: ${imageUrl} (browser: h3; server: unknown connection)`,
  ],
  "a request that was given up went out on another protocol": [
    overH3([unanswered(imageUrl, { facts: { canceled: true } })], [served(imageUrl, "h2")]),
    `1 of 2 requests not on h3: ${imageUrl} (browser: no answer; server: h2)`,
  ],
  "one of several equal requests": [
    overH3(
      [answered(imageUrl, "h3"), answered(imageUrl, "h3"), answered(imageUrl, "h3")],
      [served(imageUrl, "h3"), served(imageUrl, "h2"), served(imageUrl, "h3")],
    ),
    `1 of 4 requests not on h3: ${imageUrl} (browser: h3; server: h2)`,
  ],
  "on a lane with two protocols they say each the other one": [
    {
      lane: "h3-altsvc",
      entries: [answered(pageUrl, "h2"), answered(imageUrl, "h3")],
      requests: [served(pageUrl, "h2"), served(imageUrl, "h2")],
    },
    `1 of 2 requests of which browser and server say different protocols: ${imageUrl} (browser: h3; server: h2)`,
  ],
  "an icon on another protocol": [
    overH3(
      [answered("https://shop.example/favicon.ico", "h3", { _resourceType: "other" })],
      [served("https://shop.example/favicon.ico", "h2")],
    ),
    "1 of 2 requests not on h3: https://shop.example/favicon.ico (browser: h3; server: h2)",
  ],
  "a service worker's own request on another protocol": [
    overH3([answered(imageUrl, "h3", { response: { _fetchedViaServiceWorker: true } })], [served(imageUrl, "h2")]),
    `1 of 2 requests not on h3: ${imageUrl} (browser: no such request; server: h2)`,
  ],
};

for (const [name, [spoilt, reason]] of Object.entries(disagreements)) {
  test(`invalid: ${name}`, () => assert.deepEqual(reasonsOf(spoilt), [reason]));
}

test("in clear the server must not have been asked over TLS, whatever the browser says", () => {
  const url = "http://shop.example.clear.test/";
  const lane = { lane: "h1-clear", entries: [answered(pageUrl, "http/1.1")] } as const;
  assert.deepEqual(reasonsOf({ ...lane, requests: [served(url, "http/1.1")] }), []);
  const replay = replayReport([served(url, "http/1.1")]);
  const [template] = replay.connections;
  assert.ok(template);
  const connections = [{ ...template, tls_version: "TLSv1.3" }];
  assert.deepEqual(verify(evidence({ ...lane, replay: { ...replay, connections } })).reasons, [
    `1 of 1 requests not on h1-clear: ${pageUrl} (browser: http/1.1; server: http/1.1 over TLS)`,
  ]);
});

test("what began after the load event is not judged", () => {
  const late = { request_ns: afterLoad_ns + 1 };
  assert.deepEqual(
    reasonsOf(
      overH3(
        [answered(imageUrl, "h3", afterLoad), answered(`${imageUrl}&b`, "h3", afterLoad)],
        [served(imageUrl, "h2", late), served(`${imageUrl}&c`, "h2", late)],
      ),
    ),
    [],
  );
});

test("a WebSocket is HTTP/1.1 on every lane, and told apart; any other such request is off the lane", () => {
  const url = "https://shop.example/socket";
  const { entries, requests } = overH3([], [served(url, "http/1.1", { websocket: true })]);
  const { reasons, background, counts } = verify(
    evidence({ lane: "h3", entries, replay: replayReport([...requests]) }),
  );
  assert.deepEqual([reasons, counts.requests], [[], 1]);
  assert.deepEqual(background, [{ url: "wss://shop.example/socket", outcome: "exact" }]);
  assert.deepEqual(reasonsOf(overH3([], [served(url, "http/1.1")])), [
    `1 of 2 requests not on h3: ${url} (browser: no such request; server: http/1.1)`,
  ]);
  // It takes no record from the page's own request for the same URL.
  assert.deepEqual(
    reasonsOf(
      overH3([answered(url, "h3")], [served(url, "http/1.1", { websocket: true, request_ns: 1 }), served(url, "h3")]),
    ),
    [],
  );
});

test("what never left the browser is not looked for at the server, whatever protocol it bears", () => {
  const never: Record<string, HarEntry> = {
    "a service worker's answer": answered(imageUrl, "http/1.1", { response: { _fetchedViaServiceWorker: true } }),
    "the memory cache's": answered(imageUrl, "http/1.1", { _fromCache: "memory" }),
    blocked: unanswered(imageUrl, { facts: { blocked: "csp" } }),
    failed: unanswered(imageUrl, { response: { _error: "net::ERR_ABORTED" }, facts: { canceled: true } }),
    "under way": unanswered(imageUrl, { response: { _error: null } }),
    "a service worker's script": unanswered(imageUrl, { response: { _error: null }, facts: { complete: true } }),
  };
  for (const [name, one] of Object.entries(never)) assert.deepEqual(reasonsOf(overH3([one], [])), [], name);
});

test("a redirect that the browser made up takes no record from the request that follows", () => {
  const {
    _connectionId: _id,
    connection: _number,
    ...madeUp
  } = answered("http://shop.example/a", "http/1.1", {
    response: { status: 307, headers: [{ name: "Non-Authoritative-Reason", value: "HSTS" }] },
  });
  const https = "https://shop.example/a";
  const page = overH3([madeUp, answered(https, "h3")], [served(https, "h3")]);
  const evidenceOf = (entries: readonly HarEntry[]) =>
    verify(evidence({ lane: "h3", upgraded: true, entries, replay: replayReport([...page.requests]) }));
  assert.deepEqual(evidenceOf(page.entries).reasons, []);
  assert.equal(evidenceOf(page.entries).counts.requests, 2);
  // The same header over a connection is a server's.
  const fromServer = { ...madeUp, _connectionId: "9" };
  assert.match(
    evidenceOf([answered(pageUrl, "h3"), fromServer]).reasons.join(),
    /not on h3: http:\/\/shop\.example\/a/,
  );
});

test("an icon is what the browser asks for by itself, as an image; anything else is the page's", () => {
  const asked = (url: string, headers: HarEntry["request"]["headers"]) => {
    const one = answered(url, "h3", { _resourceType: "other" });
    return { ...one, request: { ...one.request, headers } };
  };
  const countOf = (one: HarEntry) =>
    verify(
      evidence({ ...overH3([one], []), replay: replayReport([served(pageUrl, "h3"), served(one.request.url, "h3")]) }),
    ).counts.requests;
  const logo = "https://cdn.example/logo.png";
  assert.equal(countOf(asked(logo, [{ name: "Sec-Fetch-Dest", value: "image" }])), 1);
  assert.equal(countOf(asked(logo, [{ name: "accept", value: "image/avif,image/webp,*/*;q=0.8" }])), 1);
  assert.equal(countOf(asked("https://shop.example/favicon.ico", [])), 1);
  assert.equal(countOf(asked("https://cdn.example/favicon.ico", [])), 2);
  assert.equal(countOf(asked("https://cdn.example/data.json", [{ name: "Sec-Fetch-Dest", value: "empty" }])), 2);
});

test("requests that the report counts but does not list are not missed", () => {
  const { entries, requests } = overH3([answered(imageUrl, "h3"), answered(`${imageUrl}&2`, "h3")], []);
  const report = replayReport([...requests]);
  const reasonsWith = (unlisted: number) =>
    verify(evidence({ lane: "h3", entries, replay: { ...report, counts: { ...report.counts, unlisted } } })).reasons;
  assert.deepEqual(reasonsWith(2), []);
  assert.match(reasonsWith(1).join(), /^2 of 3 requests of which .* \(browser: h3; server: no such request\)$/);
});

test("HTTP/1.0 and 1.1 come over one connection", () => {
  const old = entry(pageUrl, { _protocol: "http/1.0" });
  assert.deepEqual(reasonsOf({ lane: "h1", entries: [old], requests: [served(pageUrl, "http/1.1")] }), []);
});

test("equal requests on two protocols agree in whatever order they came, and one that differs is always found", () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = randomSource(seed, "equal requests");
    const below = (count: number): number => Math.floor(random() * count);
    const protocols = Array.from({ length: 2 + below(6) }, (): Protocol => (random() < 0.5 ? "h2" : "h3"));
    const start_ns = 1_000_000_000;
    const entries = protocols.map((protocol, index) => {
      const sent_ns = start_ns + index * 1_000_000;
      return answered(imageUrl, protocol, { facts: { start_ns: sent_ns, end_ns: sent_ns + 1 + below(30_000_000) } });
    });
    // Each overtakes the others by what its connection takes.
    const requests = entries.map(({ _trilane: { start_ns: sent_ns, end_ns } }, index) =>
      served(imageUrl, protocols[index] ?? "h2", { request_ns: sent_ns + below((end_ns ?? 0) - sent_ns) }),
    );
    const of = (some: readonly ReplayedRequest[]) =>
      reasonsOf({
        lane: "h3-altsvc",
        entries: [answered(pageUrl, "h2"), ...entries],
        requests: [served(pageUrl, "h2"), ...some],
      });
    assert.deepEqual(of(requests), [], `seed ${seed}`);
    const one = below(requests.length);
    const other = protocols[one] === "h2" ? "h3" : "h2";
    const changed = requests.map((each, index) =>
      index === one ? { ...each, connection: connectionOn[other] } : each,
    );
    assert.match(of(changed).join(), /^1 of \d requests of which browser and server say different/, `seed ${seed}`);
  }
});
