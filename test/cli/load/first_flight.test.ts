// What of a connection's packets is its first flight: what follows the handshake within a round trip, and only of responses large enough.
import assert from "node:assert/strict";
import test from "node:test";
import { firstFlight_bytes } from "../../../cli/load/first_flight.ts";
import type { FlowCounters } from "../../../schemas/generated/flow_counters.ts";

const rtt_ms = 100;
const start_ms = 5000;

/** `bins`: flow, direction, ms since the start, bytes. */
function flight(protocols: readonly string[], bins: readonly (readonly number[])[], isClear = false): number | null {
  const column = (value: (bin: readonly number[]) => number): Float64Array => Float64Array.from(bins, value);
  const columns = {
    time_ns: column(([, , at_ms = 0]) => (start_ms + at_ms) * 1e6),
    flow: column(([flow = 0]) => flow),
    direction: column(([, direction = 0]) => direction),
    arrived_bytes: column(([, , , bytes = 0]) => bytes),
  };
  const flows = protocols.map((protocol) => ({ protocol })) as unknown as FlowCounters["flows"];
  return firstFlight_bytes(columns, flows, rtt_ms, isClear);
}

const overTls = [
  [0, 0, 0, 60],
  [0, 1, 0, 600],
  [0, 0, 101, 3000],
  [0, 0, 202, 300],
  [0, 0, 203, 9000],
  [0, 0, 240, 6000],
  [0, 0, 303, 30_000],
] as const;

test("over TLS and TCP the response comes two round trips after the first packet, and its window ends before the next", () => {
  assert.equal(flight(["tcp"], overTls), 15_000);
});

test("over QUIC, and in clear, it comes after one", () => {
  const bins = [
    [0, 0, 0, 3600],
    [0, 0, 100, 12_000],
    [0, 0, 200, 24_000],
  ];
  assert.equal(flight(["udp"], bins), 12_000);
  assert.equal(flight(["tcp"], [[0, 0, 0, 60], ...bins.slice(1)], true), 12_000);
});

test("of several connections the most counts; small responses, other protocols and short links say nothing", () => {
  const second = [
    [1, 0, 0, 60],
    [1, 0, 200, 20_000],
    [2, 0, 0, 100],
    [2, 0, 200, 90_000],
  ];
  assert.equal(flight(["tcp", "tcp", "icmp"], [...overTls, ...second]), 20_000);
  assert.equal(
    flight(
      ["tcp"],
      [
        [0, 0, 0, 60],
        [0, 0, 200, 900],
      ],
    ),
    null,
  );
  assert.equal(flight([], []), null);
});
