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

const handshake = [
  [0, 1, 0, 60],
  [0, 0, 50, 60],
  [0, 1, 100, 600],
  [0, 0, 150, 3000],
] as const;
const overTls = [
  ...handshake,
  // Late, as where the client had no CPU for a while.
  [0, 1, 380, 500],
  [0, 0, 430, 300],
  [0, 0, 431, 9000],
  [0, 1, 481, 52],
  [0, 0, 470, 6000],
  [0, 0, 531, 30_000],
] as const;

test("the response comes after the client's second message, and its window ends before the next round trip", () => {
  assert.equal(flight(["tcp"], overTls), 15_000);
  // Requested once the connection was there for a while: settings and tickets are no response.
  const later = [
    [0, 1, 200, 300],
    [0, 0, 250, 700],
    [0, 1, 900, 200],
    [0, 0, 950, 12_000],
  ];
  assert.equal(flight(["tcp"], [...handshake, ...later]), 12_000);
});

test("a small document before larger responses lets no window grow: the first flight of some size counts", () => {
  const page = [
    [0, 1, 200, 300],
    [0, 0, 250, 1300],
    [0, 1, 300, 400],
    [0, 0, 350, 15_000],
    [0, 0, 450, 30_000],
  ];
  assert.equal(flight(["tcp"], [...handshake, ...page]), 15_000);
  assert.equal(flight(["tcp"], [...handshake, ...page.slice(0, 2)]), 1300);
});

test("over QUIC a padded acknowledgement may come with the request; in clear the first message is the request", () => {
  const bins = [
    [0, 1, 0, 1228],
    [0, 0, 50, 3600],
    [0, 1, 100, 1228],
    [0, 1, 101, 400],
    [0, 0, 150, 12_000],
    [0, 0, 250, 24_000],
  ];
  assert.equal(flight(["udp"], bins), 12_000);
  assert.equal(flight(["tcp"], [...handshake, [0, 0, 160, 9000]], true), 12_000);
});

test("of several connections the most counts; small responses, other protocols and short links say nothing", () => {
  const others = [1, 2].flatMap((flow) => [...handshake.map(([, ...rest]) => [flow, ...rest]), [flow, 1, 200, 300]]);
  const second = [...others, [1, 0, 250, 20_000], [2, 0, 250, 90_000]];
  assert.equal(flight(["tcp", "tcp", "icmp"], [...overTls, ...second]), 20_000);
  assert.equal(flight(["tcp"], [...handshake, [0, 1, 200, 300], [0, 0, 250, 900]]), null);
  assert.equal(flight(["tcp"], handshake), null);
  assert.equal(flight([], []), null);
});
