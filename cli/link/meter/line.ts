// A running link in one line: rate, queue and drops of each direction. Pure.
import { count, formatSize } from "../../base/numbers.ts";
import { formatRate } from "../../registry/units.ts";
import type { Look, Side } from "./samples.ts";

function sideText(look: Look, side: Side): string {
  const { rate_bps, queue_packets, queue_bytes } = look[side];
  const queue =
    queue_packets === 0 ? "queue empty" : `queue ${count(queue_packets, "packet")}, ${formatSize(queue_bytes)}`;
  return `${side} ${formatRate(rate_bps)}, ${queue}, ${count(look.dropped[side], "drop")}`;
}

/** `down 2.93 Mbit/s, queue 12 packets, 18 kB, 3 drops | up ...`; drops are those since the start. */
export function meterLine(look: Look): string {
  return `${sideText(look, "down")} | ${sideText(look, "up")}`;
}
