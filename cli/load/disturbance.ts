// What the machine may have added to a load's PLT, at most: the times in which its link was held up, the times in which
// threads that a load goes through were ready and had no CPU, and the time that a hypervisor stole. Pure; an upper bound, for
// what is held up need not be what the page waits for.
//
// On a calm machine the threads of a load wait as well: for one another, and for what the kernel does meanwhile. No more of
// their waits than ran outside of the lab can be others' doing (a CPU is one's own or another's), so the rest, and as much as a
// machine runs by itself, is what the same load has on a calm machine. Programs of low priority count as all others do: a thread
// that wakes up waits for the slice that one of them has begun, how many run is not known, and between sessions or control
// groups a nice value says nothing.
import type { Disturbance, Pressure } from "../../schemas/generated/page_load.ts";
import type { ShaperOverdue, ShaperReport } from "../../schemas/generated/shaper_report.ts";
import { count } from "../base/numbers.ts";

/** How long the machine may have held up a load's link: the larger of the two. */
export interface Tolerance {
  /** Of the page load time. */
  readonly share: number;
  readonly ms: number;
}

export const usualTolerance: Tolerance = { share: 0.01, ms: 5 };

/**
 * What runs outside of the lab on a machine that does nothing else, of one CPU: 1.4 to 3 % beside loads of carlucci-medium at
 * 10 Mbit/s on two CPUs (the kernel's threads, and what the system's own services do).
 */
const calmOutside_share = 0.03;
/** What runs when it is read has up to a tick (4 ms at 250 Hz) not accounted for yet. */
const unreadOutside_ms = 4;
/** Stolen time is reported in whole steps: nearly nothing of a single one may be true. */
const stolenStep_ms = 10;

/** How a reason begins that says so; of a link's self-test as well. */
const lateReason = "the link missed its tolerance";
const heldUpReason = "the machine held up the link";
/** The same of a run. */
export const disturbedRunReason = "the machine disturbed the run";
/** Of loads that earlier versions refused because threads waited for a CPU. */
const earlierReasons = ["the machine disturbed the load", "the machine was too busy"];

/** Whether a reason says that the machine was disturbed, so that the same load may go well at a quieter moment. */
export function isDisturbed(reason: string): boolean {
  return [lateReason, heldUpReason, disturbedRunReason, ...earlierReasons].some((begin) => reason.startsWith(begin));
}

/** `1 of 18 attempts does not count: the machine disturbed it.` Null: all count. */
export function excludedAttempts(
  excluded: readonly { readonly reasons: readonly string[] }[],
  attempts: number,
): string | null {
  const number = excluded.length;
  if (number === 0) return null;
  const disturbed = excluded.filter(({ reasons }) => reasons.some(isDisturbed)).length;
  const [verb, them] = number === 1 ? ["does", "it"] : ["do", "them"];
  const why =
    disturbed === 0
      ? ""
      : disturbed === number
        ? `: the machine disturbed ${them}`
        : `; the machine disturbed ${disturbed} of them`;
  return `${number} of ${count(attempts, "attempt")} ${verb} not count${why}.`;
}

interface Window {
  readonly start_ns: number;
  readonly end_ns: number;
}

const inMs = (time_ms: number): string => `${time_ms.toFixed(1)} ms`;

/** Time of the window in which the link was held up. */
export function heldUp_ms({ intervals }: Pick<ShaperOverdue, "intervals">, { start_ns, end_ns }: Window): number {
  let held_ns = 0;
  for (const [from_ns = 0, to_ns = 0] of intervals)
    held_ns += Math.max(0, Math.min(to_ns, end_ns) - Math.max(from_ns, start_ns));
  return held_ns / 1e6;
}

/** Why a run was over another link than planned: the machine held it up in this window for longer than is tolerated. Null: it did not. */
export function disturbedRun(
  { overdue }: Pick<ShaperReport, "overdue">,
  window: Window,
  tolerance: Tolerance = usualTolerance,
): string | null {
  if (overdue === undefined) return "the link's report does not say whether it was on time";
  const held_ms = heldUp_ms(overdue, window);
  const tolerated_ms = Math.max(tolerance.ms, (tolerance.share * (window.end_ns - window.start_ns)) / 1e6);
  if (held_ms <= tolerated_ms) return null;
  return `${disturbedRunReason}: it held the link up for ${inMs(held_ms)} (tolerated: ${inMs(tolerated_ms)}): let less run beside it, or wait for a quieter moment`;
}

interface Disturbing {
  /** Navigation to the end of the load event, on the clock of the shaper's report. */
  readonly window: Window;
  readonly overdue: ShaperOverdue;
  /** null: this system does not report it. */
  readonly pressure: Pressure | null;
  readonly tolerance?: Tolerance | undefined;
  /** Other loads of ours ran meanwhile, as many as the machine bears (`trilane calibrate`): what their threads used is no disturbance. */
  readonly isBeside?: boolean;
}

export function disturbanceOf(disturbing: Disturbing): Disturbance {
  const { window, overdue, pressure, tolerance = usualTolerance, isBeside = false } = disturbing;
  const plt_ms = (window.end_ns - window.start_ns) / 1e6;
  const link_ms = heldUp_ms(overdue, window);
  const way_ms = pressure?.way_ms ?? null;
  const stolen_ms = Math.max(0, (pressure?.stolen_ms ?? 0) - stolenStep_ms);
  const outside_ms = pressure?.outside_ms ?? Number.POSITIVE_INFINITY;
  // Side by side, what others used cannot be separated from what our own labs did: the link and stolen time show it then.
  const others_ms = isBeside ? 0 : Math.max(0, outside_ms - calmOutside_share * plt_ms - unreadOutside_ms);
  return {
    bound_ms: link_ms + (way_ms ?? 0) + stolen_ms,
    link_ms,
    cpu_ms: way_ms === null ? null : way_ms + stolen_ms,
    calm_ms: Math.max(0, (way_ms ?? 0) - others_ms),
    tolerated_ms: Math.max(tolerance.ms, tolerance.share * plt_ms),
  };
}

/** What a load had beyond a calm machine's. */
export function excess_ms({ bound_ms, calm_ms }: Pick<Disturbance, "bound_ms" | "calm_ms">): number {
  return Math.max(0, bound_ms - calm_ms);
}

/**
 * Of several spans of one load the one that was disturbed most against what is tolerated in it. A video's load is judged twice: from
 * the navigation until it plays, by that time, and to its end, by the whole time. Null: none is known.
 */
export function mostDisturbed(spans: readonly Disturbance[]): Disturbance | null {
  const weight = (span: Disturbance): number => excess_ms(span) / span.tolerated_ms;
  return spans.reduce<Disturbance | null>((most, span) => (most && weight(most) >= weight(span) ? most : span), null);
}

/**
 * Threads that a request and its response pass on their way: of the page's process, the network service and the browser, the shaper,
 * the server, and back.
 */
const threadsOfRoundTrip = 8;

/** What a load did on its critical path (metrics/critical_path.ts), and the link's round trip. */
interface WaitedFor {
  readonly network_ms: number;
  readonly computation_ms: number;
  readonly rtt_ms: number;
}

/**
 * About how much of the bound the page waited for. A main thread's wait delays the load event if what it computes does: so much of its
 * time as the critical path computed. A thread that carries packets delays it once for each round trip of that path, by its mean wait:
 * what else it carries then waits beside it. Null: it is not known what waited.
 */
export function estimatedEffect_ms(
  disturbance: Disturbance,
  pressure: Pressure | null | undefined,
  { network_ms, computation_ms, rtt_ms }: WaitedFor,
): number | null {
  if (!pressure?.main || !pressure.carriers || pressure.way_ms === undefined) return null;
  const { main, carriers, way_ms } = pressure;
  // Waits on one another are a calm machine's as well.
  const others = way_ms > 0 ? Math.max(0, 1 - disturbance.calm_ms / way_ms) : 0;
  const mainBusy_ms = main.ran_ms + main.waited_ms;
  const main_ms = mainBusy_ms > 0 ? main.waited_ms * Math.min(1, computation_ms / mainBusy_ms) : 0;
  const roundTrips = Math.max(1, network_ms / Math.max(1, rtt_ms));
  const mean_ms = carriers.turns > 0 ? carriers.waited_ms / carriers.turns : 0;
  const carriers_ms = Math.min(carriers.waited_ms, roundTrips * threadsOfRoundTrip * mean_ms);
  const stolen_ms = Math.max(0, (disturbance.cpu_ms ?? 0) - way_ms);
  return Math.min(excess_ms(disturbance), disturbance.link_ms + others * (main_ms + carriers_ms) + stolen_ms);
}

/**
 * Why a load was over another link than planned: its packets were overdue for longer than is tolerated in one of its
 * spans. Empty: it was not. That its threads waited for a CPU is no reason: the verdict takes account of it.
 */
export function heldUpReasons(spans: readonly Disturbance[]): string[] {
  const worst = spans.toSorted((a, b) => b.link_ms / b.tolerated_ms - a.link_ms / a.tolerated_ms)[0];
  if (!worst || worst.link_ms <= worst.tolerated_ms) return [];
  const { link_ms, tolerated_ms } = worst;
  return [`${heldUpReason}: for ${inMs(link_ms)} (tolerated: ${inMs(tolerated_ms)}): let less run beside it`];
}
