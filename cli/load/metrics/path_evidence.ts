// What a load waited for on its critical path, in a few numbers that can be set beside another lane's: connecting, the browser's
// queues, round trips, the link's queue, responses, computation; and what the link lost meanwhile. Pure. Explains nothing:
// cli/results/answer/why.ts does.
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import type { ShaperReport, ShaperTimeline } from "../../../schemas/generated/shaper_report.ts";
import { type CriticalPath, criticalPath, type Segment } from "./critical_path.ts";

/** The parts add up to `plt_ms`. */
export interface PathEvidence {
  readonly plt_ms: number;
  /** The link's, without its queue. */
  readonly rtt_ms: number;
  /** Names requested, connections opened and secured. */
  readonly setup_ms: number;
  /** In the browser's queues: for its turn, or for a connection. */
  readonly queued_ms: number;
  /** One for each request on the path; of one that was answered sooner (by early hints, a push, a cache) what it took. */
  readonly roundTrips_ms: number;
  /** What first bytes then waited in the queue of the link; 0 where it is not known. */
  readonly linkQueue_ms: number;
  /** From there to each response's last byte that was waited for. */
  readonly responses_ms: number;
  readonly computation_ms: number;
  readonly connections: number;
  /** Packets that the link lost or its queue dropped until the load event, both ways; null: not stored. */
  readonly lost_packets: number | null;
}

export const pathParts = [
  "setup_ms",
  "queued_ms",
  "roundTrips_ms",
  "linkQueue_ms",
  "responses_ms",
  "computation_ms",
] as const satisfies readonly (keyof PathEvidence)[];
export type PathPart = (typeof pathParts)[number];

const partOf: Readonly<Record<Segment["activity"], PathPart>> = {
  dns: "setup_ms",
  connect: "setup_ms",
  tls: "setup_ms",
  queueing: "queued_ms",
  blocked: "queued_ms",
  send: "responses_ms",
  wait: "responses_ms",
  receive: "responses_ms",
  computation: "computation_ms",
};

/** How long a packet that came to the link at a time waited in its queue, at most. Null: the rate is not one number. */
function queueWait(timeline: ShaperTimeline, link: LinkProfile): ((at_ns: number) => number) | null {
  const { rate_bps, rate_steps, trace, onoff } = link.down;
  if (rate_bps === null || rate_bps === 0 || rate_steps || trace || onoff || link.switch) return null;
  return (at_ns) => {
    const bin = Math.floor((at_ns - timeline.start_ns) / timeline.bin_ns);
    return ((timeline.down.queue_peak_bytes[bin] ?? 0) * 8000) / rate_bps;
  };
}

function lostUntil(shaper: ShaperReport, from_ns: number, to_ns: number): number | null {
  const { timeline } = shaper;
  if (!timeline) return null;
  const { start_ns, bin_ns } = timeline;
  let lost = 0;
  for (const { dropped_packets, lost_packets } of [timeline.down, timeline.up])
    dropped_packets.forEach((dropped, bin) => {
      const begins_ns = start_ns + bin * bin_ns;
      if (begins_ns + bin_ns > from_ns && begins_ns < to_ns) lost += dropped + (lost_packets[bin] ?? 0);
    });
  return lost;
}

/** Splits each wait for a first byte: a round trip, then the link's queue as it was, the rest is the responses'. */
function splitWaits(path: CriticalPath, { log }: PageLoad): { roundTrips_ms: number; linkQueue_ms: number } {
  const { link, shaper, navigation_start_ns } = log._trilane;
  const wait_ms = shaper?.timeline ? queueWait(shaper.timeline, link) : null;
  let [roundTrips_ms, linkQueue_ms] = [0, 0];
  for (const { activity, from_ms, to_ms } of path.segments) {
    if (activity !== "wait") continue;
    const trip_ms = Math.min(to_ms - from_ms, link.rtt_ms);
    roundTrips_ms += trip_ms;
    // A first byte left the queue one way before it arrived.
    const left_ns = (navigation_start_ns ?? 0) + (to_ms - link.down.delay_ms) * 1e6;
    if (wait_ms) linkQueue_ms += Math.min(to_ms - from_ms - trip_ms, wait_ms(left_ns));
  }
  return { roundTrips_ms, linkQueue_ms };
}

/** Null where the load has no page load time or no request. */
export function pathEvidence(load: PageLoad): PathEvidence | null {
  const path = criticalPath(load);
  const { metrics, link, shaper, navigation_start_ns, counts } = load.log._trilane;
  const { plt_ms } = metrics;
  if (path === null || plt_ms === null || navigation_start_ns === null) return null;
  const sums: Record<PathPart, number> = {
    setup_ms: 0,
    queued_ms: 0,
    roundTrips_ms: 0,
    linkQueue_ms: 0,
    responses_ms: 0,
    computation_ms: 0,
  };
  for (const { activity, from_ms, to_ms } of path.segments) sums[partOf[activity]] += to_ms - from_ms;
  const { roundTrips_ms, linkQueue_ms } = splitWaits(path, load);
  return {
    ...sums,
    roundTrips_ms,
    linkQueue_ms,
    responses_ms: sums.responses_ms - roundTrips_ms - linkQueue_ms,
    plt_ms,
    rtt_ms: link.rtt_ms,
    connections: counts.connections,
    lost_packets: shaper ? lostUntil(shaper, navigation_start_ns, navigation_start_ns + plt_ms * 1e6) : null,
  };
}

/** Of several loads: each number's mean, so that the parts still add up. Null for none. */
export function meanEvidence(loads: readonly PathEvidence[]): PathEvidence | null {
  const [first] = loads;
  if (!first) return null;
  const mean = (of: (load: PathEvidence) => number): number =>
    loads.reduce((sum, load) => sum + of(load), 0) / loads.length;
  const isLostKnown = loads.every(({ lost_packets }) => lost_packets !== null);
  return {
    plt_ms: mean(({ plt_ms }) => plt_ms),
    rtt_ms: mean(({ rtt_ms }) => rtt_ms),
    setup_ms: mean(({ setup_ms }) => setup_ms),
    queued_ms: mean(({ queued_ms }) => queued_ms),
    roundTrips_ms: mean(({ roundTrips_ms }) => roundTrips_ms),
    linkQueue_ms: mean(({ linkQueue_ms }) => linkQueue_ms),
    responses_ms: mean(({ responses_ms }) => responses_ms),
    computation_ms: mean(({ computation_ms }) => computation_ms),
    connections: mean(({ connections }) => connections),
    lost_packets: isLostKnown ? mean(({ lost_packets }) => lost_packets ?? 0) : null,
  };
}
