// The physics of a lane, as a test: how much longer a page of one object loads for each millisecond of round-trip time. The expected numbers are theory, not
// earlier output. physics.test.ts has the lanes that tests always hold to it, physics_lanes.test.ts the others.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { type Lane, plainLanes } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import type { PageLoad } from "../../cli/load/load.ts";
import { timedTest } from "../calm_machine.ts";
import { calmLoad } from "./calm_load.ts";
import type { Site } from "./site.ts";

/** The plain lanes, and the one with the fewest round trips. */
export const alwaysHeld: readonly Lane[] = [...plainLanes, "h3-0rtt"];

export function pltOf(result: PageLoad): number {
  const { plt_ms } = result.log._trilane.metrics;
  assert.ok(plt_ms !== null);
  return plt_ms;
}

// Before the first byte of the answer has come: DNS, then
// h1, h2: TCP, TLS 1.3, request; h3: QUIC with TLS 1.3 in it, request; h1-clear: TCP, request;
// h2-0rtt: TCP, the request in TLS's first flight; h3-0rtt: the request in QUIC's first flight;
// h3-discovered: as h3; h3-altsvc: as h2.
const roundTripsOf = {
  h1: 4,
  h2: 4,
  h3: 3,
  "h1-clear": 3,
  "h2-0rtt": 3,
  "h3-0rtt": 2,
  "h3-discovered": 3,
  "h3-altsvc": 4,
} as const satisfies Record<Lane, number>;

/** `page`: of one small object. */
export function testRoundTrips(lane: Lane, home: string, page: () => Promise<Site>): void {
  const roundTrips = roundTripsOf[lane];
  timedTest(`${lane}: PLT of a one-object page grows by ${roundTrips} round trips (within 3 %)`, async (calm) => {
    const [near_ms, far_ms] = [20, 300];
    const recording = await page();
    const plt_ms = async (rtt_ms: number) =>
      pltOf(
        await calmLoad(calm, { home, recording, lane, link: parseLink(`100mbit/${rtt_ms}ms`), timeout_ms: 60_000 }),
      );
    // What a busy machine adds is never negative, and has nothing to do with the link: the least of each. Four, or fewer where it
    // is clear.
    const plts: { near: number; far: number }[] = [];
    const slope = () =>
      (Math.min(...plts.map(({ far }) => far)) - Math.min(...plts.map(({ near }) => near))) / (far_ms - near_ms);
    const off = () => Math.abs(slope() / roundTrips - 1);
    while (plts.length === 0 || (plts.length < 4 && off() > 0.015)) {
      // The near one's browser starts while the far one waits for its link.
      const [far, near] = await Promise.all([plt_ms(far_ms), delay(1000).then(() => plt_ms(near_ms))]);
      plts.push({ near, far });
    }
    assert.ok(off() <= 0.03, `slope ${slope().toFixed(3)}: ${JSON.stringify(plts)}`);
  });
}
