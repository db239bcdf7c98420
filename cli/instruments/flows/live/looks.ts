// A running flow run from what its programs have written so far: rates between one look and the next, each flow's window, round-trip time
// and losses, and how long packets wait at the bottleneck. Pure: snapshots in, looks out.
import type { RunFlow } from "../../../../schemas/generated/flow_run.ts";
import type { Columns } from "../../../base/record_file.ts";
import { runFlow } from "../../../link/flows/flow_run.ts";
import { formatFlow } from "../../../link/flows/flow_words.ts";

export const sampleNames = ["time_ns", "flow", "received_bytes", "cwnd_bytes", "srtt_ns", "lost_packets"] as const;
export const binNames = ["time_ns", "direction", "queue_delay_sum_ns", "left_packets"] as const;
export type SampleColumns = Columns<(typeof sampleNames)[number]>;
export type BinColumns = Columns<(typeof binNames)[number]>;

type Side = "down" | "up";

/** What files had at one moment; null: nothing yet. */
export interface Snapshot {
  readonly near: SampleColumns | null;
  readonly far: SampleColumns | null;
  readonly bins: BinColumns | null;
}

export interface FlowLook {
  readonly name: string;
  /** Since the look before; null: it did not run at both. */
  readonly rate_bps: number | null;
  readonly window_bytes: number | null;
  readonly rtt_ms: number | null;
  readonly lost_packets: number | null;
}

export interface RunLook {
  /** On CLOCK_MONOTONIC; null: nothing was sampled yet. */
  readonly at_ns: number | null;
  readonly flows: readonly FlowLook[];
  /** Mean over the last bins; null: nothing left the queue. */
  readonly queue_ms: Readonly<Record<Side, number | null>>;
}

/** Bins that are looked at: half a second of them. */
const queueSpan_ns = 5e8;

/** Where a flow's last record is; -1: it has none. */
function lastOf(columns: SampleColumns | null, flow: number): number {
  return columns === null ? -1 : columns.flow.lastIndexOf(flow);
}

const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

const ends = (
  snapshot: Snapshot,
  { direction }: RunFlow,
): { sender: SampleColumns | null; receiver: SampleColumns | null } =>
  direction === "down"
    ? { sender: snapshot.far, receiver: snapshot.near }
    : { sender: snapshot.near, receiver: snapshot.far };

/** Of the newest sample that either end has. */
function latest({ near, far }: Snapshot): number | null {
  const times = [near, far].flatMap((end) => finite(end?.time_ns.at(-1)) ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

/** `last`: what it was, as long as the receiver's program has written nothing new: it writes every second or so. */
function rateBetween(
  before: Snapshot | null,
  after: Snapshot,
  flow: RunFlow,
  number: number,
  last: number | null,
): number | null {
  const [old, now] = [before && ends(before, flow).receiver, ends(after, flow).receiver];
  const [from, to] = [lastOf(old, number), lastOf(now, number)];
  if (!old || !now || from < 0 || to < 0) return null;
  const span_ns = (now.time_ns[to] as number) - (old.time_ns[from] as number);
  const bytes = (now.received_bytes[to] as number) - (old.received_bytes[from] as number);
  if (span_ns <= 0) return last;
  return Number.isFinite(bytes) ? (bytes * 8e9) / span_ns : null;
}

function queueOf(bins: BinColumns | null, side: Side): number | null {
  const newest = bins?.time_ns.at(-1);
  if (!bins || newest === undefined) return null;
  let [delay_ns, packets] = [0, 0];
  for (const [index, time_ns] of bins.time_ns.entries()) {
    if (time_ns < newest - queueSpan_ns || bins.direction[index] !== (side === "down" ? 0 : 1)) continue;
    delay_ns += bins.queue_delay_sum_ns[index] as number;
    packets += bins.left_packets[index] as number;
  }
  return packets === 0 ? null : delay_ns / packets / 1e6;
}

/** Whether either end has written since. */
export function isNewer(before: Snapshot | null, after: Snapshot): boolean {
  const newest = (end: SampleColumns | null): number | undefined => end?.time_ns.at(-1);
  return newest(before?.near ?? null) !== newest(after.near) || newest(before?.far ?? null) !== newest(after.far);
}

/** `before`: the snapshot of the look before, and that look; null: this is the first. */
export function lookAt(
  flows: readonly RunFlow[],
  before: Snapshot | null,
  after: Snapshot,
  last: RunLook | null = null,
): RunLook {
  return {
    at_ns: latest(after),
    flows: flows.map((flow, number): FlowLook => {
      const { sender } = ends(after, flow);
      const at = lastOf(sender, number);
      const value = (name: "cwnd_bytes" | "srtt_ns" | "lost_packets"): number | null =>
        at < 0 ? null : finite(sender?.[name][at]);
      const srtt_ns = value("srtt_ns");
      return {
        name: formatFlow(runFlow(flow)),
        rate_bps: rateBetween(before, after, flow, number, last?.flows[number]?.rate_bps ?? null),
        window_bytes: value("cwnd_bytes"),
        rtt_ms: srtt_ns === null ? null : srtt_ns / 1e6,
        lost_packets: value("lost_packets"),
      };
    }),
    queue_ms: { down: queueOf(after.bins, "down"), up: queueOf(after.bins, "up") },
  };
}
