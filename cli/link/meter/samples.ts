// From a running link's counters to what a meter shows: rate, queue and drops between one look and the next. Pure.
import { count, formatSize } from "../../base/numbers.ts";
import { formatRate } from "../../registry/units.ts";
import type { ShaperStats, ShaperStatsDirection } from "../control_client.ts";

// A running link in one line: rate, queue and drops of each direction. Pure.

export const queueText = ({ queue_packets, queue_bytes }: Sample): string =>
  queue_packets === 0 ? "queue empty" : `queue ${count(queue_packets, "packet")}, ${formatSize(queue_bytes)}`;

function sideText(look: Look, side: Side): string {
  return `${side} ${formatRate(look[side].rate_bps)}, ${queueText(look[side])}, ${count(look.dropped[side], "drop")}`;
}

/** `down 2.93 Mbit/s, queue 12 packets, 18 kB, 3 drops | up ...`; drops are those since the start. */
export function meterLine(look: Look): string {
  return `${sideText(look, "down")} | ${sideText(look, "up")}`;
}

interface Sample {
  /** Delivered between the looks. */
  readonly rate_bps: number;
  /** Waiting at the second look. */
  readonly queue_bytes: number;
  readonly queue_packets: number;
  /** Packets that the link did not let through between the looks. */
  readonly drops: number;
}

export type Side = "down" | "up";

export interface Look {
  readonly at_ns: number;
  readonly link: string;
  readonly changes: number;
  readonly down: Sample;
  readonly up: Sample;
  /** What the link carries: null, unlimited. */
  readonly limits: { readonly down: number | null; readonly up: number | null };
  readonly dropped: { readonly down: number; readonly up: number };
}

/** Packets lost to the link's doing since its start; not those that were none of its business. */
function droppedBy({ drops }: ShaperStatsDirection): number {
  return (
    drops.queue + drops.aqm + drops.loss + drops.off + (drops.udp ?? 0) + (drops.moved ?? 0) + (drops.unbound ?? 0)
  );
}

function sample(before: ShaperStatsDirection, after: ShaperStatsDirection, time_ns: number): Sample {
  const bytes = after.bytes_out - before.bytes_out;
  return {
    rate_bps: time_ns > 0 ? (bytes * 8e9) / time_ns : 0,
    queue_bytes: after.queue_bytes,
    queue_packets: after.queue_packets,
    drops: droppedBy(after) - droppedBy(before),
  };
}

/** What happened between two answers of the same link, the second the later one. */
export function lookBetween(before: ShaperStats, after: ShaperStats): Look {
  const time_ns = after.now_ns - before.now_ns;
  return {
    at_ns: after.now_ns - after.start_ns,
    link: after.link,
    changes: after.changes,
    down: sample(before.down, after.down, time_ns),
    up: sample(before.up, after.up, time_ns),
    limits: { down: after.down.rate_bps, up: after.up.rate_bps },
    dropped: { down: droppedBy(after.down), up: droppedBy(after.up) },
  };
}
