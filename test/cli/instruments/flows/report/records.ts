// Records of flow runs as the lab would leave them, for tests of figures and reports: made up, of the shapes of real ones. Not a model
// of any controller: windows are saws whose period and height are asked for.

import type { FlowRecords, FlowSamples } from "../../../../../cli/instruments/flows/records/flow_records.ts";
import {
  type BinSeries,
  binColumns,
  emptySeries,
  type SampleSeries,
} from "../../../../../cli/instruments/flows/records/series.ts";
import { parseLink } from "../../../../../cli/link/link.ts";
import type { FlowCounters } from "../../../../../schemas/generated/flow_counters.ts";
import type { FlowReport } from "../../../../../schemas/generated/flow_report.ts";
import type { RunFlow } from "../../../../../schemas/generated/flow_run.ts";
import type { ShaperReport } from "../../../../../schemas/generated/shaper_report.ts";
import { examplesOf } from "../../../../schemas/mutations.ts";
import { nothingCounted, nothingOfDirection, reportedFlow } from "../records/record_parts.ts";

export interface MadeFlow {
  readonly transport?: RunFlow["transport"];
  readonly congestion?: string;
  readonly direction?: RunFlow["direction"];
  readonly start_ms?: number;
  /** Default: the run's end. */
  readonly end_ms?: number;
  /** Goodput, constant. */
  readonly rate_bps: number;
  readonly window?: { readonly low_bytes: number; readonly high_bytes: number; readonly period_ms: number };
  readonly rtt_ms?: number;
  /** When the bottleneck dropped a packet of it. */
  readonly drops_ms?: readonly number[];
}

export interface MadeRun {
  readonly link: string;
  readonly for_ms: number;
  readonly sample_ms?: number;
  readonly flows: readonly MadeFlow[];
  /** Time of each packet at the bottleneck. */
  readonly queue_ms?: number;
  /** Round trips of pings, each 100 ms one. */
  readonly ping_ms?: readonly number[];
}

const start_ns = 5e12;
const bin_ms = 10;

function lifeOf({ start_ms = 0, end_ms }: MadeFlow, for_ms: number): { from: number; to: number } {
  return { from: start_ms, to: end_ms ?? for_ms };
}

function samplesOf(flow: MadeFlow, { for_ms, sample_ms = 5 }: MadeRun): FlowSamples {
  const { from, to } = lifeOf(flow, for_ms);
  const { window = { low_bytes: 20_000, high_bytes: 40_000, period_ms: 1000 }, rtt_ms = 60, rate_bps } = flow;
  const time_ms = Float64Array.from(
    { length: Math.floor((to - from) / sample_ms) + 1 },
    (_, tick) => from + tick * sample_ms,
  );
  const nothing = (): Float64Array => new Float64Array(time_ms.length).fill(Number.NaN);
  const bytes = time_ms.map((at) => ((at - from) * rate_bps) / 8000);
  const share = (at: number): number => ((at - from) % window.period_ms) / window.period_ms;
  const base: SampleSeries = {
    time_ms,
    sent_bytes: bytes,
    received_bytes: nothing(),
    cwnd_bytes: time_ms.map((at) => window.low_bytes + (window.high_bytes - window.low_bytes) * share(at)),
    ssthresh_bytes: nothing(),
    srtt_ns: time_ms.map(() => rtt_ms * 1e6),
    min_rtt_ns: time_ms.map(() => rtt_ms * 1e6),
    in_flight_bytes: nothing(),
    lost_packets: time_ms.map(() => 0),
    retransmitted_bytes: time_ms.map(() => 0),
    delivery_bps: nothing(),
    pacing_bps: nothing(),
  };
  return {
    sender: base,
    receiver: { ...base, sent_bytes: nothing(), received_bytes: bytes, cwnd_bytes: nothing(), srtt_ns: nothing() },
  };
}

function binsOf(flow: MadeFlow, { for_ms, queue_ms = 10 }: MadeRun): BinSeries {
  const { from, to } = lifeOf(flow, for_ms);
  const first = Math.floor(from / bin_ms);
  const time_ms = Float64Array.from(
    { length: Math.max(0, Math.floor(to / bin_ms) - first) },
    (_, bin) => (first + bin) * bin_ms,
  );
  const perBin_bytes = (flow.rate_bps * bin_ms) / 8000;
  const packets = time_ms.map(() => Math.max(1, Math.round(perBin_bytes / 1500)));
  const drops = flow.drops_ms ?? [];
  const inBin = (at: number) => drops.filter((drop) => drop >= at && drop < at + bin_ms).length;
  return {
    time_ms,
    arrived_bytes: time_ms.map(() => perBin_bytes),
    left_bytes: time_ms.map(() => perBin_bytes),
    queue_peak_bytes: time_ms.map(() => 3000),
    queue_delay_sum_ns: packets.map((many) => many * queue_ms * 1e6),
    left_packets: packets,
    dropped_packets: time_ms.map(inBin),
    marked_packets: time_ms.map(() => 0),
    lost_packets: time_ms.map(() => 0),
  };
}

function reportOf(end: "near" | "far", { flows, for_ms, ping_ms }: MadeRun): FlowReport {
  const reported = flows.map((flow, index) => {
    const { from, to } = lifeOf(flow, for_ms);
    const sends = (flow.direction ?? "down") === "down" ? end === "far" : end === "near";
    const bytes = Math.round(((to - from) * flow.rate_bps) / 8000);
    const at = (time_ms: number): number => start_ns + time_ms * 1e6;
    return reportedFlow(index, {
      state: flow.end_ms === undefined ? "cut" : "ended",
      congestion: sends ? (flow.congestion ?? "cubic") : null,
      ...{ connect_begin_ns: at(from), connected_ns: at(from), started_ns: at(from), ended_ns: at(to) },
      ...(sends ? { sent_bytes: bytes, retransmitted_bytes: 0 } : { received_bytes: bytes, first_byte_ns: at(from) }),
    });
  });
  const replies = ping_ms?.map((rtt_ms, index) => ({ sent_ns: start_ns + index * 1e8, rtt_ns: rtt_ms * 1e6 })) ?? [];
  const ping = end === "near" && ping_ms ? { sent: replies.length, received: replies.length, replies } : null;
  const base = { schema: "trilane/flow-report/1", version: "0.0.0", end, cpu_ms: 12, flows: reported, ping } as const;
  return { ...base, start_ns, end_ns: start_ns + for_ms * 1e6 };
}

function countersOf({ flows, for_ms, link, queue_ms = 10 }: MadeRun): FlowCounters {
  const { down } = parseLink(link);
  const way = (direction: "down" | "up"): FlowCounters["down"] => {
    const bytes = flows
      .filter((flow) => (flow.direction ?? "down") === direction)
      .reduce((sum, flow) => {
        const { from, to } = lifeOf(flow, for_ms);
        return sum + ((to - from) * flow.rate_bps) / 8000;
      }, 0);
    const capacity_bytes = down.rate_bps === null ? null : (down.rate_bps * for_ms) / 8000;
    const delay = queue_ms * 1e6;
    return {
      ...nothingOfDirection,
      queue_delay_ns: { mean: delay, max: 2 * delay, p50: delay, p95: delay * 1.5, p99: delay * 1.8 },
      ...{ link_bytes: bytes, sent_bytes: bytes, capacity_bytes },
      utilization: capacity_bytes === null ? null : bytes / capacity_bytes,
    };
  };
  const counted = flows.map((flow, index): FlowCounters["flows"][number] => {
    const { from, to } = lifeOf(flow, for_ms);
    const received_bytes = ((to - from) * flow.rate_bps * 1.04) / 8000;
    const times = { first_sent_ns: start_ns + from * 1e6, last_received_ns: start_ns + to * 1e6 };
    const data = {
      ...nothingCounted,
      ...times,
      sent_bytes: received_bytes * 1.01,
      lost_bytes: received_bytes * 0.01,
      received_bytes,
    };
    const isDown = (flow.direction ?? "down") === "down";
    return {
      protocol: flow.transport === "quic" ? "udp" : "tcp",
      ...{ near: { address: "10.0.0.1", port: 40_000 }, far: { address: "10.0.0.2", port: 20_001 + index } },
      ...{ down: isDown ? data : nothingCounted, up: isDown ? nothingCounted : data },
    };
  });
  return {
    ...{ schema: "trilane/flow-counters/1", version: "0.0.0", link, start_ns, end_ns: start_ns + for_ms * 1e6 },
    ...{ down: way("down"), up: way("up"), untracked_packets: 0, flows: counted },
  };
}

export function madeRecords(run: MadeRun): FlowRecords {
  const { flows, for_ms, link } = run;
  const profile = parseLink(link);
  const { changes: _, ...report } = examplesOf("shaper-report").get("traffic") as unknown as ShaperReport;
  const shaper: ShaperReport = { ...report, link: profile, start_ns };
  return {
    run: {
      schema: "trilane/flow-run/1",
      for_ms,
      sample_ms: run.sample_ms ?? 5,
      ping_ms: run.ping_ms ? 100 : null,
      flows: flows.map(({ transport = "tcp", congestion = "cubic", direction = "down", start_ms = 0 }) => ({
        ...{ transport, congestion, direction, start_ms, duration_ms: null, size_bytes: null },
      })) as [RunFlow, ...RunFlow[]],
    },
    start_ns,
    for_ms,
    near: reportOf("near", run),
    far: reportOf("far", run),
    samples: flows.map((flow) => samplesOf(flow, run)),
    bins: flows.map((flow, place) => {
      const counted = [place];
      const its = binsOf(flow, run);
      const none = emptySeries(binColumns);
      return (flow.direction ?? "down") === "down"
        ? { counted, down: its, up: none }
        : { counted, down: none, up: its };
    }),
    counters: countersOf(run),
    shaper,
  };
}
