// A server's own time, told apart from waiting for other responses: on a connection that several share, and in the queue
// of a slow link.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importPage } from "../../../../cli/recording/import/import_har.ts";
import type { WireFacts } from "../../../../cli/recording/import/wire_exchange.ts";
import { onWire } from "./on_wire.ts";

interface Sent {
  readonly at_ms: number;
  readonly wait_ms: number;
  readonly receive_ms?: number;
  readonly connection?: string;
  readonly priority?: string;
  readonly recordWait_ms?: number;
}

const rtt_ms = 50;

/** The first makes the connection that the round trip is known from; the others' server times. */
function serverTimes(sent: readonly Sent[], oneQueue = false): unknown[] {
  const first: Sent = { at_ms: 0, wait_ms: 60, connection: "first" };
  const all = [first, ...sent];
  const entries = all.map(({ at_ms, wait_ms, receive_ms = 0, connection, priority }, index) => ({
    startedDateTime: new Date(Date.UTC(2026, 0, 1) + at_ms).toISOString(),
    request: { method: "GET", url: `https://a.test/${index}`, headers: [] },
    response: { status: 200, headers: [], content: { size: 4, mimeType: "text/plain", text: "body" } },
    serverIPAddress: "203.0.113.1",
    timings: {
      connect: index === 0 ? 2 * rtt_ms : -1,
      ssl: index === 0 ? rtt_ms : -1,
      wait: wait_ms,
      receive: receive_ms,
    },
    ...(connection ? { _connectionId: connection } : {}),
    ...(priority ? { _priority: priority } : {}),
  }));
  const seen: WireFacts = { body: null, trailers: [], certificate: null, tlsVersion: null, connect_ms: null };
  const har = onWire({ log: { entries } }, (index) => ({ ...seen, recordWait_ms: all[index]?.recordWait_ms ?? 0 }));
  const { exchanges } = importPage(har, { url: "https://a.test/0", oneQueue });
  return exchanges.slice(1).map(({ exchange }) => exchange.recorded.server_time_ms);
}

test("on a connection of its own all that was waited beyond a round trip is the server's time", () => {
  assert.deepEqual(serverTimes([{ at_ms: 1000, wait_ms: 170 }]), [120]);
  assert.deepEqual(serverTimes([{ at_ms: 1000, wait_ms: 170, connection: "c" }]), [120]);
});

test("what is shorter than a browser takes to read and a link for a few packets cannot be told from none", () => {
  assert.deepEqual(serverTimes([{ at_ms: 1000, wait_ms: rtt_ms + 3.9 }]), [0]);
  assert.deepEqual(serverTimes([{ at_ms: 1000, wait_ms: rtt_ms + 4.1 }]), [4.1]);
});

test("what came while another response was under way may have been ready before", () => {
  const large = { at_ms: 1000, wait_ms: 80, receive_ms: 400, connection: "c", priority: "High" };
  const behind = { at_ms: 1010, wait_ms: 472, connection: "c", priority: "High" };
  assert.deepEqual(serverTimes([large, behind]), [30, 20], "ready when the large one began, for all one can see");
  const [, alone] = serverTimes([large, { ...behind, connection: "d" }]);
  assert.equal(alone, 422, "another connection's is no reason to wait");
});

test("a break before the response is the server's time: it had nothing to send", () => {
  const first = { at_ms: 1000, wait_ms: 50, receive_ms: 100, connection: "c" };
  const slow = { at_ms: 1000, wait_ms: 350, receive_ms: 10, connection: "c" };
  const after = { at_ms: 1000, wait_ms: 362, connection: "c" };
  assert.deepEqual(serverTimes([first, slow, after]), [0, 300, 300]);
});

test("a less urgent response does not hold up a more urgent one", () => {
  const picture = { at_ms: 1000, wait_ms: 50, receive_ms: 1000, connection: "c", priority: "Low" };
  const style = { at_ms: 1000, wait_ms: 250, connection: "c", priority: "VeryHigh" };
  assert.deepEqual(serverTimes([picture, style]), [0, 200]);
  assert.deepEqual(serverTimes([picture, style], true), [0, 0], "but in a link's queue it does");
});

test("what was asked for later and came first shows that a response was not ready", () => {
  const page = { at_ms: 900, wait_ms: 50, receive_ms: 150, connection: "c", priority: "VeryHigh" };
  const script = { at_ms: 1000, wait_ms: 270, connection: "c", priority: "Low" };
  const picture = { at_ms: 1015, wait_ms: 85, receive_ms: 168, connection: "c", priority: "Low" };
  const timesOf = (...sent: Sent[]): unknown[] => serverTimes([page, ...sent]).slice(1);
  assert.deepEqual(timesOf(script, picture), [15, 0], "when the picture, asked for 15 ms later, was ready");
  assert.deepEqual(timesOf(script, { ...picture, priority: "High" }), [0, 0], "unless that is more urgent");
  assert.deepEqual(timesOf({ ...script, at_ms: 1020, wait_ms: 250 }, picture), [0, 0], "or was asked for before");
  assert.deepEqual(timesOf({ ...script, wait_ms: 80 }, picture), [0, 0], "or came later");
});

test("behind a slow link the responses of all connections wait for each other", () => {
  const large = { at_ms: 1000, wait_ms: 80, receive_ms: 400, connection: "c" };
  const other = { at_ms: 1010, wait_ms: 300, connection: "d" };
  assert.deepEqual(serverTimes([large, other], true), [30, 20]);
  const later = { at_ms: 2000, wait_ms: 90, connection: "d" };
  assert.deepEqual(serverTimes([large, later], true), [30, 40]);
});

test("the time that a response's TLS record took to come is the network's", () => {
  assert.deepEqual(serverTimes([{ at_ms: 1000, wait_ms: 107, recordWait_ms: 50 }]), [7]);
  assert.deepEqual(serverTimes([{ at_ms: 1000, wait_ms: 20, recordWait_ms: 50 }]), [0]);
});
