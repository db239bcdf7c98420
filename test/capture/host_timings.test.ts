// What each host's connections and first bytes took: by hand from made-up requests, and from recorded events of each lane.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type HostTimings, hostTimings } from "../../extension/capture/host_timings.ts";
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import { profileOfRequests } from "../extension/views/profile_fixture.ts";
import { captureOf, entriesFrom, fixture, lanes } from "./fixture.ts";

type Changes = Partial<Omit<HarEntry, "timings" | "_trilane">> & {
  readonly timings?: Partial<HarEntry["timings"]>;
  readonly facts?: Partial<HarEntry["_trilane"]>;
};

const template = profileOfRequests(20).log.entries[13] as HarEntry;
const closed = { blocked: 0, dns: -1, connect: -1, ssl: -1, send: 1, wait: 30, receive: 5, _blocked_queueing: 0 };

/** An answered request of https://a.test/ over h2 on connection 1, which was open. */
function request({ timings, facts, ...rest }: Changes = {}): HarEntry {
  return {
    ...structuredClone(template),
    request: { ...template.request, url: "https://a.test/x" },
    _protocol: "h2",
    _connectionId: "1",
    serverIPAddress: "192.0.2.1",
    ...rest,
    timings: { ...closed, ...timings },
    _trilane: { ...template._trilane, connectionReused: true, ...facts },
  };
}

const opening = (changes: Changes = {}): HarEntry =>
  request({ ...changes, facts: { connectionReused: false, ...changes.facts } });

function only(entries: readonly HarEntry[]): HostTimings {
  const [row, ...others] = hostTimings(entries);
  assert.ok(row && others.length === 0);
  return row;
}

test("TCP: connect without TLS, TLS beside it, the first byte from the connection's start", () => {
  const row = only([
    opening({ timings: { dns: 8, connect: 60, ssl: 25, send: 1, wait: 40 } }),
    request({ timings: { wait: 20 } }),
    request({ timings: { wait: 26 } }),
  ]);
  assert.deepEqual(
    [row.dns_ms, row.connect_ms, row.tls_ms, row.first_byte_ms, row.reused_first_byte_ms],
    [8, 35, 25, 101, 23],
  );
  assert.deepEqual([row.requests, row.connections, row.opened, row.ip], [3, 1, 1, "4"]);
});

test("QUIC: its handshake is connect, and has TLS", () => {
  const row = only([
    opening({
      _protocol: "h3",
      serverIPAddress: "2001:db8::1",
      timings: { connect: 30, ssl: 30, wait: 31 },
      response: {
        ...template.response,
        _securityDetails: { protocol: "QUIC", cipher: "", keyExchangeGroup: "", subjectName: "", issuer: "" },
      },
    }),
  ]);
  assert.deepEqual([row.connect_ms, row.tls_ms, row.first_byte_ms, row.tls_version], [30, null, 62, "1.3"]);
  assert.deepEqual([row.ip, row.h3_offered], ["6", null]);
  assert.match(row.unavailable.tls_ms ?? "", /QUIC's handshake/);
  assert.match(row.unavailable.dns_ms ?? "", /name lookup/);
});

test("medians over connections, and a row for each protocol of a host", () => {
  const rows = hostTimings([
    ...[10, 20, 90].map((connect, place) =>
      opening({ _protocol: "http/1.1", _connectionId: `c${place}`, timings: { connect, ssl: 5 } }),
    ),
    opening({ _protocol: "h3", _connectionId: "q", timings: { connect: 12, ssl: 12 } }),
  ]);
  assert.deepEqual(
    rows.map(({ protocol, connections, connect_ms }) => [protocol, connections, connect_ms]),
    [
      ["http/1.1", 3, 15],
      ["h3", 1, 12],
    ],
  );
});

test("what is missing says why: open already, opened ahead, not told, no TLS, not answered", () => {
  assert.match(only([request()]).unavailable.connect_ms ?? "", /open already/);
  for (const timings of [
    { connect: 0, ssl: 0 },
    { dns: 0, connect: 3.21, ssl: 3.2 },
  ]) {
    const ahead = only([opening({ timings })]);
    assert.deepEqual([ahead.connect_ms, ahead.tls_ms, ahead.first_byte_ms], [null, null, null]);
    assert.match(ahead.unavailable.connect_ms ?? "", /before a request needed it/);
  }
  // Whole milliseconds: rounded.
  assert.equal(only([opening({ timings: { dns: 0, connect: 40, ssl: 20 } })]).connect_ms, 20);
  const { serverIPAddress: _a, _connectionId: _c, connection: _d, ...bare } = request();
  const untold = only([{ ...bare, _trilane: { ...bare._trilane, connectionReused: null } }]);
  for (const name of ["ip", "connections", "connect_ms", "first_byte_ms"] as const) {
    assert.equal(untold[name], null);
    assert.match(untold.unavailable[name] ?? "", /known/);
  }
  const clear = only([opening({ request: { ...template.request, url: "http://a.test/" }, timings: { connect: 9 } })]);
  assert.match(`${clear.unavailable.tls_ms} ${clear.unavailable.tls_version}`, /^(http:\/\/ has no TLS ?){2}$/);
  const { _protocol, ...unnamed } = request({
    response: { ...template.response, status: 0, _error: "net::ERR_FAILED" },
    timings: { wait: 0 },
    facts: { connectionReused: null },
  });
  const failed = only([unnamed]);
  assert.equal(failed.protocol, null);
  assert.match(failed.unavailable.connect_ms ?? "", /no request was answered/);
});

test("HTTP/3 that was offered: by Alt-Svc, or as the browser knew; else not, or not known", () => {
  const altSvc = (value: string): HarEntry =>
    request({ response: { ...template.response, headers: [{ name: "Alt-Svc", value }] } });
  const usage = (alternateProtocol: string): HarEntry => request({ facts: { alternateProtocol } });
  assert.equal(only([request(), altSvc('h3=":443"; ma=60')]).h3_offered, true);
  assert.equal(only([altSvc("clear")]).h3_offered, false);
  assert.equal(only([usage("mainJobWonRace")]).h3_offered, true);
  assert.equal(only([usage("mappingMissing")]).h3_offered, false);
  const silent = only([request({ response: { ...template.response, headers: [] } })]);
  assert.equal(silent.h3_offered, null);
  assert.match(silent.unavailable.h3_offered ?? "", /headers are not known/);
});

test("answers from a cache or a service worker are no host's", () => {
  const worker = request({ response: { ...template.response, _fetchedViaServiceWorker: true } });
  assert.deepEqual(hostTimings([request({ _fromCache: "disk" }), worker]), []);
});

for (const lane of lanes) {
  test(`recorded over ${lane}: no row says more than its requests, and no value is missing without a reason`, () => {
    const entries = entriesFrom(captureOf(fixture(lane)));
    const rows = hostTimings(entries);
    assert.ok(rows.length > 0);
    assert.equal(
      rows.reduce((sum, { requests }) => sum + requests, 0),
      entries.filter(({ _fromCache }) => _fromCache === undefined).length,
    );
    for (const row of rows) {
      for (const [name, value] of Object.entries(row))
        if (value === null && !(name === "h3_offered" && row.protocol === "h3"))
          assert.ok(row.unavailable[name as keyof HostTimings["unavailable"]], `${row.host} ${name}`);
      if (row.connect_ms !== null && row.first_byte_ms !== null)
        assert.ok(row.first_byte_ms >= row.connect_ms, `${row.host} ${row.first_byte_ms}`);
    }
    assert.ok(rows.some(({ connect_ms }) => connect_ms !== null && connect_ms > 0));
  });
}
