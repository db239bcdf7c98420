// Origins as they were, through the real lab and the real browser: connections are shared exactly where the recorded
// addresses and certificates allow it, servers are as far away as they were, IPv6 and many addresses are served, and
// http:// origins stay in clear on h1 and are upgraded on the other lanes.
// Wide: cli/load, native-host/replay.
// Beside others: what is held to a time may take as much longer as another program takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lane } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import type { LoadRequest, PageLoad } from "../../cli/load/load.ts";
import { type Serving, settleServing } from "../../cli/load/serving/serving.ts";
import type { ReplayOrigins } from "../../schemas/generated/replay_report.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Resource, recordSite, type Site } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-origins-");

const image = Uint8Array.from(Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"));
const pageAt = (...images: readonly string[]): string =>
  `<!doctype html><h1>x</h1>${images.map((url) => `<img src=${url}>`).join("")}`;
const imageAt = (url: string, more: Partial<Resource> = {}): Resource => ({
  url,
  type: "image/gif",
  body: image,
  ...more,
});
const named = (...names: readonly string[]) => ({ tls: { version: "TLS 1.3", names, issuer: "x", chain_bytes: 3000 } });

async function load(recording: Site, lane: Lane, options: Partial<LoadRequest> = {}): Promise<PageLoad["log"]> {
  const link = parseLink("20mbit/20ms");
  const { log } = await untimedLoad({ home, recording, lane, link, timeout_ms: 30_000, ...options });
  assert.deepEqual(log._trilane.reasons, [], lane);
  return log;
}

/** A page that asks for these images one after the other, so many at a time. */
function pageAtTurns(atOnce: number, urls: readonly string[]): string {
  return `<!doctype html><h1>x</h1><script>
    const urls = ${JSON.stringify(urls)};
    const next = () => {
      if (urls.length === 0) return;
      const image = new Image();
      image.onload = next;
      image.src = urls.shift();
      document.body.append(image);
    };
    for (let i = 0; i < ${atOnce}; i++) next();
  </script>`;
}

/** Which hosts shared a connection: sorted lists of hosts, sorted. */
function sharing(log: PageLoad["log"]): string[] {
  const byConnection = Map.groupBy(log.entries, (entry) => entry._connectionId);
  return [...byConnection.values()]
    .map((entries) => [...new Set(entries.map((entry) => new URL(entry.request.url).hostname))].sort().join("+"))
    .sort();
}

const one = "203.0.113.1";
const shop = named("shop.test", "img.shop.test", "far.shop.test");
const sharedHosts: readonly Resource[] = [
  {
    url: "https://shop.test/",
    body: pageAt("https://img.shop.test/1.gif", "https://own.shop.test/2.gif", "https://far.shop.test/3.gif"),
    address: one,
    recorded: shop,
  },
  // As the page's: same address, a name of its certificate.
  imageAt("https://img.shop.test/1.gif", { address: one, recorded: shop }),
  // The address alone is not enough,
  imageAt("https://own.shop.test/2.gif", { address: one, recorded: named("own.shop.test") }),
  // nor the name.
  imageAt("https://far.shop.test/3.gif", { address: "203.0.113.2", recorded: shop }),
];

// Chromium sends requests to other sites than the page's without cookies, and those not over the page's connections: so
// what merging third parties does shows among them. One after the other, as hosts asked at once each connect at once.
const thirdParties: readonly Resource[] = [
  {
    url: "https://page.test/",
    body: pageAtTurns(1, ["https://a.ads.test/1.gif", "https://b.ads.test/2.gif", "https://tracker.test/3.gif"]),
  },
  imageAt("https://a.ads.test/1.gif"),
  imageAt("https://b.ads.test/2.gif"),
  imageAt("https://tracker.test/3.gif"),
];

for (const lane of ["h2", "h3"] as const) {
  test(`${lane}: hosts share a connection where address and certificate allow it, and nowhere else`, async () => {
    const recording = await recordSite(home, "sharing", sharedHosts);
    assert.deepEqual(sharing(await load(recording, lane)), [
      "far.shop.test",
      "img.shop.test+shop.test",
      "own.shop.test",
    ]);
  });

  test(`${lane}: where certificates are not known, hosts share a connection that shared one when recorded`, async () => {
    const connections = ["1", "1", "2", "3"];
    const told = sharedHosts.map((resource, n) => ({ ...resource, recorded: { connection: connections[n] ?? null } }));
    const recording = await recordSite(home, "told", told);
    assert.deepEqual(sharing(await load(recording, lane)), [
      "far.shop.test",
      "img.shop.test+shop.test",
      "own.shop.test",
    ]);
  });

  test(`${lane}: without known certificates each host has a connection of its own`, async () => {
    const unknown = sharedHosts.map(({ recorded, ...resource }) => resource);
    const recording = await recordSite(home, "unknown", unknown);
    assert.deepEqual(sharing(await load(recording, lane)), [
      "far.shop.test",
      "img.shop.test",
      "own.shop.test",
      "shop.test",
    ]);
  });
}

test("h1: no connection is shared", async () => {
  const recording = await recordSite(home, "sharing", sharedHosts);
  const hosts = new Set(sharing(await load(recording, "h1")));
  assert.deepEqual([...hosts], ["far.shop.test", "img.shop.test", "own.shop.test", "shop.test"]);
});

for (const lane of ["h2", "h3"] as const) {
  test(`${lane}: merged servers share what was apart, and a single one shares all`, async () => {
    const recording = await recordSite(home, "third", thirdParties);
    const served = async (origins: "as-recorded" | "merged" | "single") =>
      sharing(await load(recording, lane, { serving: settleServing({ origins }) }));
    assert.deepEqual(await served("as-recorded"), ["a.ads.test", "b.ads.test", "page.test", "tracker.test"]);
    assert.deepEqual(await served("merged"), ["a.ads.test+b.ads.test", "page.test", "tracker.test"]);
    assert.deepEqual(await served("single"), ["a.ads.test+b.ads.test+tracker.test", "page.test"]);
  });
}

// A server's first flight is an initial window over TCP, and over QUIC three times what the browser has sent by then: two
// datagrams. What a chain has beyond that waits for the browser's answer.
for (const [lane, sizes] of [
  ["h2", { within: 9000, beyond: 20_000 }],
  ["h3", { within: 4500, beyond: 9000 }],
] as const) {
  test(`${lane}: a chain that is too large for the first flight costs a round trip`, async () => {
    const loadsOf = async (chain_bytes: number) => {
      const tls = { ...named("chain.test").tls, chain_bytes };
      const recording = await recordSite(home, `chain-${chain_bytes}`, [
        { url: "https://chain.test/", body: "<!doctype html>x", recorded: { tls } },
      ]);
      const link = parseLink("100mbit/200ms");
      return async () => (await load(recording, lane, { link }))._trilane.metrics.plt_ms ?? Number.NaN;
    };
    const [within, beyond] = [await loadsOf(sizes.within), await loadsOf(sizes.beyond)];
    const plts: { within: number; beyond: number }[] = [];
    const extra_ms = () => Math.min(...plts.map((each) => each.beyond)) - Math.min(...plts.map((each) => each.within));
    // What a busy machine adds is never negative: the least of some, or of one where it is clear.
    while (plts.length === 0 || (plts.length < 10 && Math.abs(extra_ms() - 200) > 30)) {
      const [shorter, longer] = await Promise.all([within(), beyond()]);
      plts.push({ within: shorter, beyond: longer });
    }
    assert.ok(extra_ms() > 150 && extra_ms() < 300, JSON.stringify(plts));
  });
}

test("servers that were farther away are so again where that is asked", async () => {
  const recording = await recordSite(home, "far", [
    { url: "https://near.test/", body: pageAt("https://far.test/1.gif"), recorded: { rtt_ms: 5 } },
    imageAt("https://far.test/1.gif", { recorded: { rtt_ms: 105 } }),
  ]);
  // TCP and TLS 1.3 each take the server's round trip, 20 ms over the link.
  // What a busy machine adds is never negative: the least of some, or of one where it is clear.
  const connect_ms = async (serving: Serving, isClear: (least: { near: number; far: number }) => boolean) => {
    const least = { near: Number.POSITIVE_INFINITY, far: Number.POSITIVE_INFINITY };
    for (let loads = 0; loads < 6 && !isClear(least); loads++) {
      const log = await load(recording, "h2", { serving });
      for (const host of ["near", "far"] as const) {
        const entry = log.entries.find(({ request }) => new URL(request.url).hostname === `${host}.test`);
        least[host] = Math.min(least[host], entry?.timings.connect ?? -1);
      }
    }
    return least;
  };
  const alike = await connect_ms(settleServing({}), ({ far }) => far < 200);
  const apart = await connect_ms(settleServing({ extra_rtt: true }), ({ near, far }) => near < 200 && far < 400);
  assert.ok(alike.far >= 40 && alike.far < 200, `as far as the link: ${alike.far} ms`);
  assert.ok(apart.far >= 240 && apart.far < 400, `100 ms farther: ${apart.far} ms`);
  assert.ok(apart.near >= 0 && apart.near < 200, `the nearest one: ${apart.near} ms`);
});

const clearPage: readonly Resource[] = [
  { url: "http://old.test/", status: 301, headers: [["location", "http://www.old.test/"]] },
  {
    url: "http://www.old.test/",
    body: `${pageAt("http://img.old.test:8080/1.gif", "https://safe.test/2.gif", "/3")}<script src=http://js.old.test/a.js></script><iframe src=http://frame.test/></iframe>`,
  },
  imageAt("http://img.old.test:8080/1.gif"),
  imageAt("https://safe.test/2.gif"),
  { url: "http://www.old.test/3", status: 302, headers: [["location", "http://img.old.test:8080/1.gif"]] },
  { url: "http://js.old.test/a.js", type: "text/javascript", body: "document.title = 'ran'" },
  { url: "http://frame.test/", status: 302, headers: [["location", "https://frame.test/"]] },
  { url: "https://frame.test/", body: "<!doctype html>x" },
];

test("http:// origins are asked in clear on h1", async () => {
  const recording = await recordSite(home, "clear", clearPage);
  const log = await load(recording, "h1");
  const clear = log.entries.filter((entry) => entry.request.url.startsWith("http://"));
  // Also the one that is sent on to https:// of the same host.
  assert.equal(clear.length, 7, clear.map((entry) => entry.request.url).join(" "));
  assert.deepEqual(log._trilane.replay?.origins, {
    ...{ kind: "as-recorded", addresses: 6, http: "clear" },
    ...{ http_exchanges: 6, redirects_left_out: 0 },
  });
});

for (const lane of ["h2", "h3"] as const) {
  test(`http:// origins are upgraded on ${lane}, and the load says so`, async () => {
    const recording = await recordSite(home, "clear", clearPage);
    const log = await load(recording, lane);
    assert.deepEqual(
      log.entries.map((entry) => entry.request.url).filter((url) => !url.startsWith("https://")),
      [],
    );
    assert.ok(log.entries.some((entry) => entry.request.url === "https://img.old.test:8080/1.gif"));
    assert.equal(log._trilane.counts.failed, 0);
    assert.deepEqual(log._trilane.replay?.origins, {
      ...{ kind: "as-recorded", addresses: 6, http: "upgraded" },
      ...{ http_exchanges: 6, redirects_left_out: 1 },
    });
  });
}

test("a server known by an IPv6 address only is reached, by name and by address, on all lanes", async () => {
  const recording = await recordSite(home, "v6", [
    {
      url: "https://six.test/",
      body: pageAt("https://[2001:db8::7]/1.gif", "https://four.test/2.gif"),
      address: "2001:db8::6",
    },
    imageAt("https://[2001:db8::7]/1.gif", { address: "2001:db8::7" }),
    imageAt("https://four.test/2.gif"),
  ]);
  for (const lane of ["h1", "h2", "h3"] as const) {
    const log = await load(recording, lane);
    const addresses = log.entries.map((entry) => entry.serverIPAddress).sort();
    assert.deepEqual(addresses, ["2001:db8::6", "2001:db8::7", "203.0.113.3"], lane);
  }
});

// Chromium holds no more than 256 connections, and where it needs room closes one that is about to be used. So 240 hosts,
// some of them on two addresses, and not all at once.
test("300 addresses, one of the hosts internationalized", async () => {
  const hosts = Array.from({ length: 239 }, (_, n) => (n === 7 ? "xn--bcher-kva.test" : `h${n}.test`));
  const address = (n: number) => `198.51.${Math.floor(n / 200)}.${(n % 200) + 1}`;
  const first = hosts.map((host, n) => imageAt(`https://${host}/1.gif`, { address: address(n) }));
  const second = hosts
    .slice(0, 60)
    .map((host, n) => imageAt(`https://${host}/2.gif`, { address: address(hosts.length + n) }));
  const urls = [...first, ...second].map(({ url }) => url);
  const recording = await recordSite(home, "many", [
    { url: "https://many.test/", body: pageAtTurns(30, urls) },
    ...first,
    ...second,
  ]);
  const log = await load(recording, "h2", { link: parseLink("50mbit/10ms") });
  assert.equal(log.entries.length, 300);
  const origins = log._trilane.replay?.origins as ReplayOrigins | undefined;
  assert.equal(origins?.addresses, 300);
  assert.equal(new Set(log.entries.map((entry) => entry.serverIPAddress)).size, 240);
  assert.equal(log._trilane.counts.connections, 240);
});
