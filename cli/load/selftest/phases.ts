// What is sent over a link to measure it: a steady trickle in both directions, in which nothing queues, for delay, jitter,
// loss, duplicates and order; then a flood in each direction, for rate and queue. Pure: a link in, trilane-probe's phases
// out. Runs nothing.

import type { LinkDirection, LinkProfile } from "../../../schemas/generated/link_profile.ts";
import { bdpQueue_bytes } from "../../link/link.ts";

export type Direction = "down" | "up";
export const directions: readonly Direction[] = ["down", "up"];

export interface Phase {
  readonly direction: Direction;
  readonly kind: "steady" | "flood";
  /** Of IP packets. */
  readonly size_bytes: number;
  readonly count: number;
  readonly interval_us: number;
  /** So many at once, first. */
  readonly burst: number;
  readonly drain_ms: number;
}

/** How long the trickle and each flood last. */
export interface Effort {
  readonly steady_ms: number;
  readonly flood_ms: number;
}

/** Before each sweep: a second or two a link. */
export const quick: Effort = { steady_ms: 500, flood_ms: 400 };
/** `trilane selftest`. */
export const thorough: Effort = { steady_ms: 3000, flood_ms: 2000 };

const small_bytes = 64;
export const full_bytes = 1500;
const leastInterval_us = 500;
/** Without loss a delay's quantiles need fewer packets. */
const usualInterval_us = 2000;
const leastSteady = 20;
const leastFlood = 12;
/** What a trace offers in less is little. */
const leastTrace_ms = 600;
/** The flood offers so much more than the link carries. */
const overload = 1.25;
/** Filling a queue that takes longer to drain is left out. */
export const longestQueue_ms = 1500;
/** Packets of a flood after its burst: enough for any rate, and not more work for the machine than it must be. */
const mostAfter = 30_000;
/** Between the probe's socket and the link a burst must not be dropped by the device. */
const slack_ms = 50;

/** Time a packet of the size takes on the link. */
export function transmission_ms(size_bytes: number, rate_bps: number | null): number {
  return rate_bps === null ? 0 : (size_bytes * 8 * 1000) / rate_bps;
}

/** What a jitter may add or take, for nearly every packet. */
function jitterReach_ms({ jitter }: LinkDirection): number {
  if (!jitter) return 0;
  if ("file" in jitter) return 50;
  return jitter.ms * { uniform: 1, normal: 4, pareto: 18 }[jitter.distribution];
}

/** The greatest delay of a direction's schedule. */
function greatestDelay_ms(direction: LinkDirection): number {
  const steps = direction.delay_steps?.map((step) => step.delay_ms) ?? [];
  return Math.max(direction.delay_ms, ...steps) + jitterReach_ms(direction);
}

/**
 * Full packets that wait behind the one being sent when the queue is full; null where the queue has no end, or nothing
 * waits because the rate has none. A queue in BDP holds ten packets at least, as link_queue_limits in shaper/ has it.
 */
export function queuePackets(link: LinkProfile, direction: Direction): number | null {
  const { queue, rate_bps } = link[direction];
  if (rate_bps === null || "unlimited" in queue) return null;
  if ("packets" in queue) return queue.packets;
  if ("bytes" in queue) return Math.floor(queue.bytes / full_bytes);
  if ("ms" in queue) return Math.floor((queue.ms * rate_bps) / 8000 / full_bytes);
  return Math.floor(bdpQueue_bytes(queue.bdp, rate_bps, link.rtt_ms) / full_bytes);
}

/** Whether a direction's queue is filled by the flood: a queue whose draining takes too long is not. */
export function fillsQueue(link: LinkProfile, direction: Direction): boolean {
  const packets = queuePackets(link, direction);
  if (packets === null) return false;
  return packets * transmission_ms(full_bytes, link[direction].rate_bps) <= longestQueue_ms;
}

function hasChance(direction: LinkDirection): boolean {
  const { loss, loss_model, duplicate, reorder } = direction;
  return loss > 0 || loss_model !== undefined || duplicate !== undefined || reorder !== undefined;
}

function steady(link: LinkProfile, direction: Direction, effort: Effort): Phase {
  const configured = link[direction];
  const transmission_us = transmission_ms(small_bytes, slowest_bps(configured)) * 1000;
  const usual_us = hasChance(configured) ? leastInterval_us : usualInterval_us;
  // A packet that waits for the one before it shows that one's jitter, not its own.
  const ordered_us = configured.jitter_order === "free" ? 0 : Math.min(20, 2 * jitterReach_ms(configured)) * 1000;
  const interval_us = Math.max(usual_us, 2 * transmission_us, ordered_us);
  return {
    direction,
    kind: "steady",
    size_bytes: small_bytes,
    count: Math.max(leastSteady, Math.ceil((effort.steady_ms * 1000) / interval_us)),
    interval_us,
    burst: 0,
    drain_ms: Math.ceil(greatestDelay_ms(configured) + transmission_us / 1000 + slack_ms),
  };
}

/** The least rate of a direction's schedule. */
function slowest_bps({ rate_bps, rate_steps }: LinkDirection): number | null {
  const steps = rate_steps?.map((step) => step.rate_bps) ?? [];
  return rate_bps === null ? null : Math.min(rate_bps, ...steps);
}

/** Greatest rate of a direction's trace over a tenth of a second. */
export type PeakRates = Readonly<Partial<Record<Direction, number>>>;

function flood(link: LinkProfile, direction: Direction, effort: Effort, peaks: PeakRates): Phase | null {
  const configured = link[direction];
  const rate_bps = peaks[direction] ?? configured.rate_bps;
  if (rate_bps === null) return null;
  const each_ms = transmission_ms(full_bytes, rate_bps);
  const fills = !configured.trace && fillsQueue(link, direction);
  const waiting = fills ? (queuePackets(link, direction) ?? 0) : 0;
  const burst = fills ? Math.ceil(waiting * 1.1) + 10 : 10;
  const after = Math.min(
    mostAfter,
    Math.max(
      leastFlood,
      Math.ceil(((configured.trace ? leastTrace_ms + effort.flood_ms : effort.flood_ms) / each_ms) * overload),
    ),
  );
  const queued_ms =
    (fills ? waiting : Math.min(burst + after, queuePackets(link, direction) ?? burst + after)) * each_ms;
  return {
    direction,
    kind: "flood",
    size_bytes: full_bytes,
    count: burst + after,
    interval_us: (each_ms * 1000) / overload,
    burst,
    drain_ms: Math.ceil(Math.min(longestQueue_ms, queued_ms) + greatestDelay_ms(configured) + slack_ms),
  };
}

/** Floods of both directions at once would want more than one core of a small machine beyond this. */
const atOnce_bps = 60e6;

/** The phases in order; those that stand together run at once. */
export function phasesFor(link: LinkProfile, effort: Effort, peaks: PeakRates = {}): Phase[][] {
  const floods = directions.map((direction) => flood(link, direction, effort, peaks)).filter((phase) => phase !== null);
  const slow = directions.every((direction) => (link[direction].rate_bps ?? 0) <= atOnce_bps);
  return [
    directions.map((direction) => steady(link, direction, effort)),
    ...(slow && floods.length > 0 ? [floods] : floods.map((phase) => [phase])),
  ];
}

/** As trilane-probe takes it. */
export function phaseWords(phases: readonly Phase[]): string {
  return phases
    .map(({ direction, kind, size_bytes, count, interval_us, burst, drain_ms }) =>
      [direction, kind, size_bytes, count, Number(interval_us.toFixed(3)), burst, drain_ms].join(":"),
    )
    .join("+");
}

/** How long the phases take, roughly. */
export function expected_ms(phases: readonly (readonly Phase[])[]): number {
  return phases.reduce(
    (sum, group) =>
      sum +
      Math.max(
        ...group.map(({ count, burst, interval_us, drain_ms }) => ((count - burst) * interval_us) / 1000 + drain_ms),
      ),
    0,
  );
}
