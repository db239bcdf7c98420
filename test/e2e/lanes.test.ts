// The lanes beyond the plain three, through the real lab and the real browser: every request on the lane's protocol, and
// what is special to each. Their round trips: physics.test.ts.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { allLanes, type Lane, laneFacts } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import { type LoadRequest, measureLoad, type PageLoad } from "../../cli/load/load.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite, type Site } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-lanes-");

const image = Uint8Array.from(Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"));
const page = "https://page.test/";
const worker = "fetch('https://page.test/data.json').then((answer) => answer.json()).then(() => postMessage(1));";

/** Three origins, one of them on another port, a frame, a worker, and an image asked for when the worker has answered. */
const origins = recordSite(home, "origins", [
  {
    url: page,
    body:
      "<!doctype html><h1>x</h1><img src=https://a.test:8443/1.gif><iframe src=https://b.test/></iframe>" +
      "<img src=/2.gif><script>const worker = new Worker('/worker.js'); worker.onmessage = () => new Image().src = '/3.gif';</script>",
  },
  { url: `${page}worker.js`, type: "text/javascript", body: worker },
  { url: `${page}data.json`, type: "application/json", body: "{}" },
  { url: `${page}2.gif`, type: "image/gif", body: image },
  { url: `${page}3.gif`, type: "image/gif", body: image },
  { url: "https://a.test:8443/1.gif", type: "image/gif", body: image },
  { url: "https://b.test/", body: "<!doctype html><img src=/4.gif>" },
  { url: "https://b.test/4.gif", type: "image/gif", body: image },
]);
const single = recordSite(home, "single", [{ url: page, body: "<!doctype html><h1>x</h1>" }]);

/**
 * A valid load, however much the machine disturbed it. The browser waits for what DNS tells of h3 some tens of milliseconds, and
 * then begins without, which is an invalid load of h3-discovered: on a busy machine it is tried again.
 */
async function load(site: Promise<Site>, lane: Lane, form: string, more: Partial<LoadRequest> = {}) {
  const link = parseLink(form);
  const options = { home, recording: await site, lane, link, timeout_ms: 30_000, settle_ms: 300, ...more };
  let { log } = await untimedLoad(options);
  const isDnsLate = (): boolean => log._trilane.reasons.some((reason) => /requests not on h3-discovered/.test(reason));
  for (let again = 0; again < 2 && isDnsLate(); again++) log = (await untimedLoad(options)).log;
  assert.equal(log._trilane.status, "valid", `${lane} ${form}: ${log._trilane.reasons.join("; ")}`);
  return log;
}

type Log = PageLoad["log"];

const loaded = new Map<Lane, Promise<Log>>();
/** The page of three origins over a lane: one load for all that is held against it. A repeat visit's is over a longer link. */
function ofOrigins(lane: Lane): Promise<Log> {
  const known = loaded.get(lane) ?? load(origins, lane, laneFacts[lane].repeat ? "20mbit/200ms" : "20mbit/20ms");
  loaded.set(lane, known);
  return known;
}

const secureConnections = ({ _trilane }: Log) =>
  ((_trilane.replay?.connections ?? []) as { tls_version: string | null }[]).filter(({ tls_version }) => tls_version);

for (const lane of allLanes) {
  test(`${lane}: all of a page's requests are answered on it, from frames and workers too`, async () => {
    const log = await ofOrigins(lane);
    const { counts, protocols, repeat } = log._trilane;
    assert.deepEqual(
      { requests: counts.requests, matched: counts.matched + counts.fuzzy, failed: counts.failed },
      { requests: 8, matched: 8, failed: 0 },
    );
    for (const protocol of Object.keys(protocols ?? {})) assert.ok(laneFacts[lane].protocols.includes(protocol));
    assert.equal(secureConnections(log).length === 0, laneFacts[lane].clear);
    assert.equal(repeat !== null, laneFacts[lane].repeat);
  });
}

test("h1-clear: the page is what it is over TLS: the same origin, a secure context", async () => {
  const site = recordSite(home, "context", [
    {
      url: page,
      body: "<!doctype html><script>if (isSecureContext && origin === 'https://page.test') document.write('<img src=/y>')</script>",
    },
    { url: `${page}y`, type: "image/gif", body: image },
  ]);
  const { entries } = await load(site, "h1-clear", "20mbit/20ms");
  assert.deepEqual(
    entries.map(({ request }) => request.url),
    [page, `${page}y`],
  );
});

test("h1-clear: what the page names is asked for on the connection that the page came on", async () => {
  const site = recordSite(home, "reuse", [
    { url: page, body: "<!doctype html><img src=/1.gif>" },
    { url: `${page}1.gif`, type: "image/gif", body: image },
  ]);
  const { entries, _trilane } = await load(site, "h1-clear", "20mbit/20ms");
  assert.equal(new Set(entries.map(({ _connectionId }) => _connectionId)).size, 1);
  assert.equal(_trilane.counts.connections, 1);
});

test("h1-clear: only the names in clear are looked up, and what is asked of addresses is answered too", async () => {
  const site = recordSite(home, "names", [
    {
      url: page,
      body:
        "<!doctype html><link rel=preconnect href=https://a.test><link rel=dns-prefetch href=https://a.test>" +
        "<img src=https://a.test/1.gif><img src=https://203.0.113.9/2.gif><img src=https://[2001:db8::9]/3.gif>",
    },
    { url: "https://a.test/1.gif", type: "image/gif", body: image },
    { url: "https://203.0.113.9/2.gif", type: "image/gif", body: image, address: "203.0.113.9" },
    { url: "https://[2001:db8::9]/3.gif", type: "image/gif", body: image, address: "2001:db8::9" },
  ]);
  const { counts, dns } = (await load(site, "h1-clear", "20mbit/20ms"))._trilane;
  assert.deepEqual([counts.requests, counts.matched, counts.failed], [4, 4, 0]);
  assert.deepEqual([...new Set(dns.map(({ name }) => name))].sort(), ["a.test.clear.test", "page.test.clear.test"]);
});

for (const lane of ["h2-0rtt", "h3-0rtt"] as const) {
  test(`${lane}: the second visit's requests are in the first flight, and none is answered from the cache`, async () => {
    const { entries, _trilane } = await ofOrigins(lane);
    const { repeat, metrics } = _trilane;
    assert.ok(repeat && repeat.cache === "emptied");
    // One for each origin at least.
    assert.ok(repeat.connections >= 3 && repeat.early_data >= 3, JSON.stringify(repeat));
    assert.ok(repeat.first_plt_ms !== null && metrics.plt_ms !== null && metrics.plt_ms < repeat.first_plt_ms);
    assert.ok(entries.every(({ _fromCache }) => _fromCache === undefined));
  });
}

test("h2-0rtt: asked for, the cache of the first visit is kept", async () => {
  const site = recordSite(home, "cached", [
    { url: page, body: "<!doctype html><img src=/c.gif>" },
    { url: `${page}c.gif`, type: "image/gif", body: image, headers: [["cache-control", "max-age=3600"]] },
  ]);
  const of = async (keepCache: boolean) => {
    const { entries, _trilane } = await load(site, "h2-0rtt", "20mbit/20ms", { keepCache });
    assert.equal(_trilane.repeat?.cache, keepCache ? "kept" : "emptied");
    return entries.filter(({ _fromCache }) => _fromCache !== undefined).map(({ request }) => request.url);
  };
  assert.deepEqual(await of(true), [`${page}c.gif`]);
  assert.deepEqual(await of(false), []);
});

test("h3-0rtt: the second visit gets what was recorded first, as the first one did", async () => {
  const first = "document.write('<img src=/n.gif>')";
  const site = recordSite(home, "twice", [
    { url: page, body: "<!doctype html><script src=/n.js></script>" },
    { url: `${page}n.js`, type: "text/javascript", body: first },
    { url: `${page}n.js`, type: "text/javascript", body: `${first} // again` },
    { url: `${page}n.gif`, type: "image/gif", body: image },
  ]);
  const { entries } = await load(site, "h3-0rtt", "20mbit/20ms");
  const script = entries.find(({ request }) => request.url === `${page}n.js`);
  assert.equal(script?.response.content.size, first.length);
});

test("h3-discovered: the first request already goes to what DNS told", async () => {
  const { entries, _trilane } = await load(single, "h3-discovered", "20mbit/20ms");
  assert.equal(entries[0]?._protocol, "h3");
  assert.ok(_trilane.dns.some(({ type, answer }) => type === "HTTPS" && answer === "ok"));
});

test("h3-altsvc: h2 first, and the browser takes up what Alt-Svc tells", async () => {
  const { entries, _trilane } = await ofOrigins("h3-altsvc");
  assert.equal(entries[0]?._protocol, "h2");
  const connections = (_trilane.replay?.connections ?? []) as { lane: string; secured_ns: number | null }[];
  assert.ok(connections.some(({ lane, secured_ns }) => lane === "h3" && secured_ns !== null));
});

for (const lane of ["h3", "h3-altsvc"] as const) {
  test(`${lane}: each origin tells that its own port has h3`, async () => {
    const { entries } = await ofOrigins(lane);
    const told = new Map(
      entries.map(({ request, response }) => [
        new URL(request.url).host,
        response.headers.filter(({ name }) => name.toLowerCase() === "alt-svc").map(({ value }) => value.split(";")[0]),
      ]),
    );
    assert.ok(told.get("a.test:8443")?.every((value) => value === 'h3=":8443"'));
    assert.ok(told.get("page.test")?.every((value) => value === 'h3=":443"'));
    assert.ok([...told.values()].every((values) => values.length > 0));
  });
}

test("h3-0rtt: aborted in either visit or between them, a load ends as aborted", async () => {
  const recording = await single;
  const link = parseLink("20mbit/100ms");
  const aborted: number[] = [];
  for (const after_ms of [300, 800, 1000, 1200, 1400, 1700]) {
    const load = measureLoad({
      ...{ home, recording, lane: "h3-0rtt", link, timeout_ms: 20_000, settle_ms: 300 },
      signal: AbortSignal.timeout(after_ms),
    });
    const ended = await load.then(() => "done", String);
    // A fast machine is done before the last of these.
    if (ended === "done") continue;
    assert.match(ended, /TimeoutError/);
    aborted.push(after_ms);
  }
  assert.ok(aborted.length >= 3, aborted.join(", "));
});
