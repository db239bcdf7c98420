// From a phase's packets to figures: delays, losses, copies, packets overtaken, the rate while the link was busy, and how
// long packets waited in a full queue. Pure.
import { countThrough, median, quantile } from "../../base/quantile.ts";
import type { PhaseRecord } from "./measure.ts";

/** Each packet's time on the way by its first arrival, in ms. */
export function delays_ms({ sent_ns, numbers, arrived_ns }: PhaseRecord): number[] {
  const first = new Map<number, number>();
  numbers.forEach((number, place) => {
    if (!first.has(number)) first.set(number, ((arrived_ns[place] ?? 0) - (sent_ns[number] ?? 0)) / 1e6);
  });
  return [...first.values()];
}

interface Fates {
  readonly sent: number;
  readonly lost: number;
  /** Arrivals beyond a packet's first. */
  readonly copies: number;
  /** Packets that arrived after one that was sent later. */
  readonly overtaken: number;
}

/** Packets that the probe had no room for have arrived. */
export function fatesOf({ sent_ns, numbers, overrun }: PhaseRecord): Fates {
  const seen = new Set<number>();
  let copies = 0;
  let overtaken = 0;
  let latest = -1;
  for (const number of numbers) {
    if (seen.has(number)) copies++;
    else if (number < latest) overtaken++;
    seen.add(number);
    latest = Math.max(latest, number);
  }
  return { sent: sent_ns.length, lost: Math.max(0, sent_ns.length - seen.size - overrun), copies, overtaken };
}

/** How fast the link sent while it had something to send. */
interface BusyRate {
  readonly rate_bps: number;
  /** Time over which it was measured. */
  readonly busy_ms: number;
  readonly packets: number;
}

interface BusyOptions {
  readonly delay_ms: number;
  /** What is sent through the link, by which one packet's time is separated from several's. */
  readonly rate_bps: number;
  /** Packets are lost after the link: a longer time between two arrivals is that of the lost ones, too. */
  readonly lossy: boolean;
}

/** What a packet may take from its stamp to the link, through this machine's kernel, in a batch with others. */
const wayToLink_ns = 300_000;

/** Arrivals by which the next one's number is inferred: few enough that a rate a per cent off does not add up to a packet. */
const recentArrivals = 15;

/**
 * Counts the packets that a busy link has sent by the times at which some of them arrived; the others were lost behind it.
 * Each is held to the median of those before it, so that one which this machine took late by most of a packet's time
 * counts for one too many, and the next one for one too few.
 */
class PacketCount {
  readonly #each_ns: number;
  #count = 0;
  /** When the first packet would have arrived, by each of the recent arrivals. */
  #beginnings_ns: number[];

  constructor(each_ns: number, first_ns: number) {
    this.#each_ns = each_ns;
    this.#beginnings_ns = [first_ns];
  }

  /** Packets since the arrival before, lost ones included. */
  next(arrived_ns: number): number {
    const count = Math.round((arrived_ns - median(this.#beginnings_ns)) / this.#each_ns);
    const packets = Math.max(0, count - this.#count);
    this.#count += packets;
    this.#beginnings_ns.push(arrived_ns - this.#count * this.#each_ns);
    if (this.#beginnings_ns.length > recentArrivals) this.#beginnings_ns.shift();
    return packets;
  }
}

/**
 * The slope of bits sent over time, from those pairs of arrivals between which the link was busy: the second packet was
 * sent before the first had left the link. It is taken between the first and the last third of them, as the median of
 * many slopes, so that a moment in which this machine stood still does not count. Null where there is too little.
 */
export function busyRate(record: PhaseRecord, { delay_ms, rate_bps, lossy }: BusyOptions): BusyRate | null {
  const { sent_ns, numbers, arrived_ns, size_bytes } = record;
  const each_ns = (size_bytes * 8 * 1e9) / rate_bps;
  const bits: number[] = [0];
  const times_ns: number[] = [0];
  let count: PacketCount | null = null;
  for (let place = 1; place < numbers.length; place++) {
    const before_ns = arrived_ns[place - 1] ?? 0;
    const apart_ns = (arrived_ns[place] ?? 0) - before_ns;
    const left_ns = before_ns - delay_ms * 1e6 - wayToLink_ns;
    if ((sent_ns[numbers[place] ?? 0] ?? 0) > left_ns) {
      count = null;
      continue;
    }
    if (lossy) count ??= new PacketCount(each_ns, before_ns);
    const packets = count?.next(before_ns + apart_ns) ?? 1;
    bits.push((bits.at(-1) ?? 0) + packets * size_bytes * 8);
    times_ns.push((times_ns.at(-1) ?? 0) + apart_ns);
  }
  const pairs = bits.length - 1;
  const third = Math.floor(bits.length / 3);
  if (pairs < 8 || third < 1) return null;
  const slopes: number[] = [];
  for (let place = 0; place < third; place++) {
    const later = bits.length - third + place;
    const time_ns = (times_ns[later] ?? 0) - (times_ns[place] ?? 0);
    if (time_ns > 0) slopes.push((((bits[later] ?? 0) - (bits[place] ?? 0)) * 1e9) / time_ns);
  }
  if (slopes.length === 0) return null;
  return { rate_bps: median(slopes), busy_ms: (times_ns.at(-1) ?? 0) / 1e6, packets: pairs };
}

/** What a link that follows a trace carried while it was busy, and what the trace offered then. */
interface TracePace {
  readonly carried: number;
  readonly offered: number;
  readonly busy_ms: number;
  /** By how much the two may differ because a busy time begins and ends within a millisecond of the trace. */
  readonly atEnds: number;
}

interface TraceOptions {
  readonly times: Uint32Array;
  readonly once: boolean;
  readonly delay_ms: number;
  /** The trace's time 0, from the phase's first packet on. */
  readonly origin_ms: number;
}

/** Opportunities from 0 to the time, both included. */
function offeredUntil(times: Uint32Array, once: boolean, time_ms: number): number {
  const length_ms = times.at(-1) ?? 1;
  const laps = once ? 0 : Math.floor(time_ms / length_ms);
  const within_ms = time_ms - laps * length_ms;
  return laps * times.length + countThrough(times, within_ms);
}

/**
 * Packets that left a link with a trace, against the trace's opportunities, over the times in which packets waited: each
 * leaves at a whole millisecond of the trace.
 */
export function tracePace(record: PhaseRecord, { times, once, delay_ms, origin_ms }: TraceOptions): TracePace | null {
  const { sent_ns, numbers, arrived_ns } = record;
  let [carried, offered, busy_ms, atEnds] = [0, 0, 0, 0];
  let began = false;
  const left_ms = (place: number): number => (arrived_ns[place] ?? 0) / 1e6 - delay_ms;
  const traceTime = (place: number): number => Math.round(left_ms(place) - origin_ms);
  const atOnce = (time_ms: number): number =>
    offeredUntil(times, once, time_ms) - offeredUntil(times, once, time_ms - 1);
  for (let place = 1; place < numbers.length; place++) {
    const waited = (sent_ns[numbers[place] ?? 0] ?? 0) / 1e6 <= left_ms(place - 1) - wayToLink_ns / 1e6;
    if (!waited) {
      began = false;
      continue;
    }
    const [from_ms, to_ms] = [traceTime(place - 1), traceTime(place)];
    if (!began) atEnds += atOnce(from_ms) + atOnce(to_ms) + 1;
    began = true;
    carried++;
    offered += offeredUntil(times, once, to_ms) - offeredUntil(times, once, from_ms);
    busy_ms += to_ms - from_ms;
  }
  return carried < 8 || busy_ms <= 0 ? null : { carried, offered, busy_ms, atEnds };
}

/** What is left of the packet being sent when the next one finds room: a flood of 1.25 packets to one finds it in 0.2 to 1. */
const meanRest = 0.6;
interface QueueOptions {
  /** So many of the packets filled the queue. */
  readonly burst: number;
  readonly delay_ms: number;
  /** A packet's time on the link. */
  readonly each_ms: number;
  /** Packets by which the middle half of the waits may differ: a queue that is kept full makes all wait alike. */
  readonly steadiness: number;
}

/** Of a flood of 1.25 packets to one a fifth is, while the queue is full. */
const leastTurnedAway = 0.12;

/**
 * How many packets the queue holds, from the time that the later ones of a flood took beyond the delay: a packet that
 * just found room waits for what is left of the one being sent and for the limit less one, and takes its own time. Null
 * where the queue was not full for most of the time.
 */
export function fullQueue(record: PhaseRecord, { burst, delay_ms, each_ms, steadiness }: QueueOptions): number | null {
  const waits: number[] = [];
  record.numbers.forEach((number, place) => {
    if (number < burst) return;
    const time_ms = ((record.arrived_ns[place] ?? 0) - (record.sent_ns[number] ?? 0)) / 1e6;
    waits.push((time_ms - delay_ms) / each_ms - meanRest);
  });
  const turnedAway = record.sent_ns.length - burst - waits.length;
  if (waits.length < 3 || turnedAway < leastTurnedAway * (record.sent_ns.length - burst)) return null;
  return quantile(waits, 0.75) - quantile(waits, 0.25) > steadiness ? null : quantile(waits, 0.5);
}
