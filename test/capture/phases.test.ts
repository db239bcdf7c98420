// A request's time split into phases: gaps, overlaps, and times out of order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Phases, phasesOf } from "../../extension/capture/phases.ts";

const none = -1;
const timing = {
  ...{
    requestTime: 100.01,
    proxyStart: none,
    proxyEnd: none,
    dnsStart: 0,
    dnsEnd: 20,
    connectStart: 20,
    connectEnd: 60,
  },
  ...{ sslStart: 40, sslEnd: 60, workerStart: none, workerReady: none, workerFetchStart: none },
  ...{ workerRespondWithSettled: none, sendStart: 61, sendEnd: 62, pushStart: 0, pushEnd: 0 },
  ...{ receiveHeadersStart: 90, receiveHeadersEnd: 92 },
};

function rounded(phases: Phases): Record<string, number> {
  return Object.fromEntries(Object.entries(phases).map(([name, value]) => [name, Math.round(value * 1e6) / 1e6]));
}
function sum({ blocked, dns, connect, send, wait, receive }: Phases): number {
  return blocked + Math.max(0, dns) + Math.max(0, connect) + send + wait + receive;
}

test("a first request has all phases; queueing and gaps are blocked", () => {
  const phases = phasesOf(100, 100.152, timing);
  assert.deepEqual(rounded(phases), {
    blocked: 11,
    dns: 20,
    connect: 40,
    ssl: 20,
    send: 1,
    wait: 30,
    receive: 50,
    _blocked_queueing: 10,
  });
});

test("on a used connection name lookup and connection do not apply", () => {
  const used = {
    ...timing,
    dnsStart: none,
    dnsEnd: none,
    connectStart: none,
    connectEnd: none,
    sslStart: none,
    sslEnd: none,
  };
  const phases = phasesOf(100, 100.152, used);
  assert.deepEqual([phases.dns, phases.connect, phases.ssl], [-1, -1, -1]);
  assert.equal(Math.round(phases.blocked), 71);
});

test("without timing all the time was waiting", () => {
  const phases = phasesOf(5, 5.04, undefined);
  assert.equal(Math.round(phases.blocked), 40);
  assert.deepEqual([phases.send, phases.wait, phases.receive, phases.dns], [0, 0, 0, -1]);
});

test("whatever the points, no phase is negative but -1 and the sum is the time", () => {
  const odd = [
    { ...timing, connectStart: 10 }, // a connection that began before the name was looked up whole
    { ...timing, requestTime: 99.9 }, // taken before it was told
    { ...timing, sendStart: 10, sendEnd: 12 }, // sent before the connection's end was noted
    { ...timing, receiveHeadersEnd: 500 }, // headers after the end
    { ...timing, sslStart: 0, sslEnd: 100 }, // longer than the connection
  ];
  for (const points of odd) {
    const phases = phasesOf(100, 100.152, points);
    assert.ok(Math.abs(sum(phases) - 152) < 1e-6, JSON.stringify(phases));
    for (const [name, value] of Object.entries(phases)) assert.ok(value >= 0 || value === -1, `${name} ${value}`);
    assert.ok(phases.ssl <= phases.connect);
  }
});
