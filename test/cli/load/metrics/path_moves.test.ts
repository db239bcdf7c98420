// What moves of a link cost a load, from made page loads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLink } from "../../../../cli/link/link.ts";
import { movesCost } from "../../../../cli/load/metrics/path_moves.ts";
import type { PageLoad } from "../../../../schemas/generated/page_load.ts";
import type { PathChanges } from "../../../../schemas/generated/path_changes.ts";

const ms = (time: number): number => 1e9 + time * 1e6;

interface Made {
  readonly moves_ms?: readonly number[];
  readonly switched?: boolean;
  readonly connections: readonly { readonly opened_ms: number; readonly changes?: PathChanges }[];
  /** When the browser read a first byte of an answer, by connection. */
  readonly answers_ms?: readonly (readonly [connection: number, time: number])[];
  readonly plt_ms?: number;
}

function load({ moves_ms, switched = false, connections, answers_ms = [], plt_ms = 1000 }: Made): PageLoad {
  const list = moves_ms?.map((at) => ({ at_ns: ms(at), kind: switched ? "switch" : "port" }));
  return {
    log: {
      entries: answers_ms.map(([connection, time]) => ({
        _trilane: { served: { connection, protocol: "h2" }, response_ns: ms(time) },
      })),
      _trilane: {
        link: parseLink(switched ? "10mbit/50ms,switch=300ms:3mbit/120ms" : "10mbit/50ms,rebind=300ms"),
        navigation_start_ns: ms(0),
        metrics: { plt_ms },
        shaper: list ? { moves: { count: list.length, list } } : {},
        replay: {
          connections: connections.map(({ opened_ms, changes }, id) => ({
            id,
            opened_ns: ms(opened_ms),
            ...(changes ? { path_changes: changes } : {}),
          })),
        },
      },
    },
  } as unknown as PageLoad;
}

const change = (seen: number, resumed: number | null): PathChanges[number] => ({
  peer: "100.64.0.2:10240",
  seen_ns: ms(seen),
  answered_ns: resumed === null ? null : ms(resumed),
  validated_ns: null,
  resumed_ns: resumed === null ? null : ms(resumed),
});

test("a QUIC connection goes on: the first byte is what left for the new address, and the link's delay", () => {
  const changes: PathChanges = [change(301, 360), change(601, 680), change(901, null)];
  const made = load({ moves_ms: [300, 600, 900, 1200], connections: [{ opened_ms: 10, changes }] });
  const cost = movesCost(made);
  assert.equal(cost?.path_moves, 3);
  assert.equal(cost?.reconnections, 0);
  const delay_ms = made.log._trilane.link.down.delay_ms;
  assert.ok(Math.abs((cost?.moved_first_byte_ms ?? 0) - ((60 + 80) / 2 + delay_ms)) < 1e-6);
});

test("one of TCP is opened anew: the first byte is that of the first answer on it", () => {
  const connections = [{ opened_ms: 10 }, { opened_ms: 340 }, { opened_ms: 350 }, { opened_ms: 1100 }];
  const answers_ms = [
    [0, 100],
    [0, 310],
    [2, 480],
    [1, 500],
    [3, 1200],
  ] as const;
  assert.deepEqual(movesCost(load({ moves_ms: [300], connections, answers_ms })), {
    path_moves: 1,
    moved_first_byte_ms: 180,
    reconnections: 2,
  });
});

test("after a switch the delay is that of the other link", () => {
  const made = load({ moves_ms: [300], switched: true, connections: [{ opened_ms: 10, changes: [change(310, 400)] }] });
  const delay_ms = made.log._trilane.link.switch?.link.down.delay_ms ?? 0;
  assert.ok(delay_ms > 50);
  assert.ok(Math.abs((movesCost(made)?.moved_first_byte_ms ?? 0) - (100 + delay_ms)) < 1e-6);
});

test("nothing is told of a link that did not move while the page loaded, and no time where nothing came", () => {
  const connections = [{ opened_ms: 10 }];
  assert.equal(movesCost(load({ connections })), null);
  assert.equal(movesCost(load({ moves_ms: [-200, 1001], connections })), null);
  // Before there was a connection, and before the navigation, though there was one.
  assert.equal(movesCost(load({ moves_ms: [5], connections })), null);
  assert.equal(movesCost(load({ moves_ms: [-5], connections: [{ opened_ms: -10 }] })), null);
  assert.deepEqual(movesCost(load({ moves_ms: [900], connections })), {
    path_moves: 1,
    moved_first_byte_ms: null,
    reconnections: 0,
  });
});
