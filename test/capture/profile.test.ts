// Profiles of recorded events: by their schema, and right about protocols, hosts and why HTTP/3 was not used.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answeredBy, earlyDataConnections, protocolShares } from "../../extension/capture/answered_by.ts";
import { captureParts, profileOf } from "../../extension/capture/profile.ts";
import { profileMetricsOf } from "../../extension/capture/web_vitals.ts";
import { hostsOverH3 } from "../../extension/capture/why_not_h3.ts";
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import type { Profile } from "../../schemas/generated/profile.ts";
import { schemaErrors } from "../schemas/schema_errors.ts";
import { captureOf, fixture, type Lane, lanes } from "./fixture.ts";

function profileFrom(lane: Lane): Profile {
  const parts = captureParts(captureOf(fixture(lane)), null, 0);
  return profileOf({
    ...parts,
    id: "profile-1",
    version: "0.1.0",
    url: "https://www.shop.test/",
    title: "capture",
    kind: "reload",
    cache: "off",
    wall_ms: 1,
    ended: "quiet",
    metrics: profileMetricsOf(null, null),
    notes: [],
    browser: { user_agent: "Mozilla/5.0 Chrome/156.0.1.2 Safari/537.36", platform: "Linux", connection: null },
  });
}

for (const lane of lanes) {
  test(`${lane}: a profile by its schema, whose shares add up`, () => {
    const profile = profileFrom(lane);
    assert.equal(schemaErrors("profile", profile), null);
    const { entries, _trilane: facts, browser } = profile.log;
    assert.ok(entries.length >= 10);
    assert.deepEqual(browser, { name: "Chromium", version: "156.0.1.2" });
    assert.equal(
      facts.protocols.reduce((sum, { requests }) => sum + requests, 0),
      entries.length,
    );
    assert.equal(
      facts.protocols.reduce((sum, { bytes }) => sum + bytes, 0),
      entries.reduce((sum, { response }) => sum + response._transferSize, 0),
    );
    assert.equal(facts.protocols[0]?.protocol, { h1: "http/1.1", h2: "h2", h3: "h3" }[lane]);
    const shop = facts.h3.find(({ host }) => host === "www.shop.test");
    assert.equal(shop?.used, lane === "h3");
    assert.equal(shop?.why === "", lane === "h3");
    const gone = facts.h3.find(({ host }) => host === "gone.test");
    assert.match(gone?.why ?? "", /No request was answered \(net::ERR_/);
    assert.ok((profile.log.pages[0].pageTimings.onLoad ?? -1) > 0);
  });
}

const base = profileFrom("h2").log.entries.find(({ request }) => request.url.endsWith("/a.css"));
assert.ok(base);
type Change = {
  url?: string;
  protocol?: string;
  usage?: string;
  altSvc?: string;
  response?: Partial<HarEntry["response"]>;
} & Omit<Partial<HarEntry>, "response">;

function entry({ url, protocol, usage, altSvc, response, ...rest }: Change): HarEntry {
  const made = structuredClone(base) as HarEntry;
  return {
    ...made,
    ...rest,
    ...(protocol === undefined ? {} : { _protocol: protocol }),
    request: { ...made.request, url: url ?? "https://a.test/" },
    response: {
      ...made.response,
      headers: altSvc === undefined ? [] : [{ name: "Alt-Svc", value: altSvc }],
      ...response,
    },
    _trilane: { ...made._trilane, ...(usage === undefined ? {} : { alternateProtocol: usage }), ...rest._trilane },
  };
}

test("why a host was not asked over HTTP/3", () => {
  const cases: [entries: HarEntry[], used: boolean, why: RegExp][] = [
    [[entry({ protocol: "h3", usage: "dnsAlpnH3JobWonWithoutRace" })], true, /^$/],
    [[entry({ url: "http://a.test/", protocol: "http/1.1" })], false, /needs TLS/],
    [[entry({ protocol: "h2", usage: "mappingMissing" })], false, /does not offer it/],
    [[entry({ protocol: "h2", usage: "mappingMissing", altSvc: 'h3=":443"; ma=60' })], false, /next visit/],
    [[entry({ protocol: "h2", altSvc: 'h2=":443"' })], false, /do not offer it by Alt-Svc/],
    [[entry({ protocol: "h2", usage: "broken" })], false, /avoids it for a while/],
    [[entry({ protocol: "h2", usage: "mainJobWonRace" })], false, /fell back/],
    [
      [entry({ protocol: "h2", altSvc: 'h3=":443"' }), entry({ protocol: "h3", usage: "alternativeJobWonRace" })],
      true,
      /learnt of HTTP\/3 from an Alt-Svc header/,
    ],
    [[entry({ protocol: "h2", usage: "mainJobWonRace" }), entry({ protocol: "h3" })], true, /ready first/],
  ];
  for (const [entries, used, why] of cases) {
    const [host, ...others] = hostsOverH3(entries);
    assert.equal(others.length, 0);
    assert.equal(host?.used, used);
    assert.match(host?.why ?? "-", why);
    assert.equal(host?.requests, entries.length);
  }
});

test("what never went over the network is no host's request", () => {
  const cached = entry({ _fromCache: "disk" });
  const byWorker = entry({ response: { _fetchedViaServiceWorker: true } });
  assert.deepEqual(hostsOverH3([cached, byWorker]), []);
  assert.deepEqual(
    [cached, byWorker].map((each) => answeredBy(each)),
    ["cache", "service worker"],
  );
});

test("requests are shared out among what answered them", () => {
  const failed = entry({ response: { status: 0, _error: "net::ERR_FAILED" } });
  delete failed._protocol;
  failed._trilane.complete = false;
  const shares = protocolShares([entry({ protocol: "h2" }), entry({ protocol: "h2" }), failed]);
  assert.deepEqual(
    shares.map(({ protocol, requests }) => [protocol, requests]),
    [
      ["h2", 2],
      ["none", 1],
    ],
  );
});

// The times are those of real loads over the lanes h3 and h3-0rtt, at 40 ms.
test("early data: answered as soon as the handshake was confirmed, by a server far away", () => {
  const of = (address: string, connect: number, wait: number, reused: boolean): HarEntry => {
    const made = entry({ protocol: "h3", serverIPAddress: address, _connectionId: "7" });
    return {
      ...made,
      timings: { ...made.timings, connect, wait },
      _trilane: { ...made._trilane, connectionReused: reused },
    };
  };
  assert.deepEqual([...earlyDataConnections([of("203.0.113.1", 43.002, 0.5, false)])], ["7"]);
  assert.equal(earlyDataConnections([of("203.0.113.1", 44.297, 41.9, false)]).size, 0);
  assert.equal(earlyDataConnections([of("203.0.113.1", -1, 0.5, true)]).size, 0);
  assert.equal(earlyDataConnections([of("192.168.1.2", 43.002, 0.5, false)]).size, 0);
  assert.equal(protocolShares([of("203.0.113.1", 43.002, 0.5, false)])[0]?.protocol, "h3 0-RTT");
});
