// cli/recording/import/round_trips.ts: what is left of a connection that was opened ahead of its request is no round trip.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readHarFile } from "../../../../cli/recording/import/har.ts";
import { RoundTrips } from "../../../../cli/recording/import/round_trips.ts";

interface Timings {
  readonly connect: number;
  readonly ssl?: number;
  readonly wait: number;
}

function roundTrip(timings: readonly Timings[], address = "203.0.113.9"): { rtt_ms: number | null; counts: object } {
  const entries = timings.map((each) => ({
    serverIPAddress: address,
    request: { method: "GET", url: "https://a.example/" },
    response: { status: 200, content: {} },
    timings: each,
  }));
  const read = readHarFile({ log: { entries } }).entries;
  const roundTrips = new RoundTrips(read);
  const [first] = read;
  assert.ok(first);
  const rtt_ms = roundTrips.of(first);
  return { rtt_ms: rtt_ms === null ? null : Math.round(rtt_ms * 1000) / 1000, counts: roundTrips.counts };
}

const fine = { unknown: 0, guessed: 0 };
const guessed = { unknown: 0, guessed: 1 };
const unknown = { unknown: 1, guessed: 0 };

test("connects that were made for their requests: the shortest, TLS taken off", () => {
  const tls = { connect: 80, ssl: 40, wait: 140 };
  assert.deepEqual(roundTrip([tls]), { rtt_ms: 40, counts: fine });
  assert.deepEqual(roundTrip([tls, { connect: 1080, ssl: 40, wait: 140 }]), { rtt_ms: 40, counts: fine });
  // QUIC, and a producer that counts ssl beside connect.
  assert.deepEqual(roundTrip([{ connect: 40, ssl: 40, wait: 50 }]), { rtt_ms: 40, counts: fine });
  assert.deepEqual(roundTrip([{ connect: 20, ssl: 45, wait: 50 }]), { rtt_ms: 20, counts: fine });
  // Near, by all that is known of it.
  assert.deepEqual(roundTrip([{ connect: 0.6, wait: 3 }]), { rtt_ms: 0.6, counts: fine });
  assert.deepEqual(roundTrip([{ connect: 0.3, ssl: 0.1, wait: 120 }], "192.168.1.5"), { rtt_ms: 0.2, counts: fine });
});

test("what is left of a connect is no round trip, and without a whole one there is none", () => {
  const left = { connect: 0.3, ssl: 0.2, wait: 140 };
  assert.deepEqual(roundTrip([left, { connect: 80, ssl: 40, wait: 140 }]), { rtt_ms: 40, counts: guessed });
  assert.deepEqual(roundTrip([left]), { rtt_ms: null, counts: unknown });
  assert.deepEqual(roundTrip([{ connect: 0.25, ssl: 0.3, wait: 55 }]), { rtt_ms: null, counts: unknown });
  // TCP was there, TLS was not.
  assert.deepEqual(roundTrip([{ connect: 47.61, ssl: 47.58, wait: 36 }]), { rtt_ms: null, counts: unknown });
  // Of three others that agree, a shorter one is a remainder too; of one, it may be the only one that was not slow.
  const slow = { connect: 40, wait: 140 };
  assert.deepEqual(roundTrip([{ connect: 12, wait: 140 }, slow, slow, slow]), { rtt_ms: 40, counts: guessed });
  assert.deepEqual(roundTrip([{ connect: 12, wait: 140 }, slow]), { rtt_ms: 12, counts: fine });
  // No response took as long as that connect: it was slow.
  assert.deepEqual(roundTrip([{ connect: 1.5, wait: 4 }, slow]), { rtt_ms: 1.5, counts: fine });
});
