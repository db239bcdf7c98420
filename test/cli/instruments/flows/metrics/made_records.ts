// Records of made-up flow runs: each flow's goodput is given by the second, all else follows in numbers that are easy to check. Times in
// ms since the run began.
import type { FlowCounters, FlowRecords } from "../../../../../cli/instruments/flows/records/flow_records.ts";
import {
  binColumns,
  emptySeries,
  type SampleSeries,
  sampledColumns,
} from "../../../../../cli/instruments/flows/records/series.ts";
import type { ReportedFlow } from "../../../../../schemas/generated/flow_report.ts";
import type { FlowRun, RunFlow } from "../../../../../schemas/generated/flow_run.ts";
import { examplesOf } from "../../../../schemas/mutations.ts";
import { nothingCounted, nothingOfDirection, reportedFlow } from "../records/record_parts.ts";

export const start_ns = 5_000_000_000;
const ns = (time_ms: number): number => start_ns + time_ms * 1e6;

export interface MadeFlow {
  readonly asked?: Partial<RunFlow>;
  /** When its first packet was sent; data may flow 50 ms later. */
  readonly from_ms?: number;
  /** Goodput in each second from when data may flow. */
  readonly rates_bps: readonly number[];
  readonly sender?: Partial<ReportedFlow>;
  readonly receiver?: Partial<ReportedFlow>;
  /** Window and round trip in each sample of the sender, 100 ms apart. */
  readonly windows?: readonly (readonly [cwnd_bytes: number, srtt_ms: number])[];
  /** [bin's begin in ms, bytes, packets, mean delay in ms]. */
  readonly bins?: readonly (readonly [number, number, number, number])[];
}

export const handshake_ms = 50;

function series(rows: readonly Partial<Record<keyof SampleSeries, number>>[]): SampleSeries {
  const column = (name: keyof SampleSeries) => Float64Array.from(rows, (row) => row[name] ?? Number.NaN);
  return Object.fromEntries(
    ["time_ms" as const, ...sampledColumns].map((name) => [name, column(name)]),
  ) as unknown as SampleSeries;
}

function samplesOf({ rates_bps, windows = [] }: MadeFlow, began_ms: number) {
  let received_bytes = 0;
  const receiver = rates_bps.map((rate_bps, second) => {
    received_bytes += rate_bps / 8;
    return { time_ms: began_ms + (second + 1) * 1000, received_bytes };
  });
  const sender = windows.map(([cwnd_bytes, srtt_ms], place) => ({
    ...{ time_ms: began_ms + (place + 1) * 100, cwnd_bytes },
    ...{ srtt_ns: srtt_ms * 1e6, min_rtt_ns: 40e6 },
  }));
  return { sender: series(sender), receiver: series(receiver), received_bytes };
}

export interface MadeRun {
  readonly flows: readonly MadeFlow[];
  readonly for_ms?: number;
  readonly down?: Partial<FlowCounters["down"]>;
  readonly link?: Partial<FlowRecords["shaper"]["link"]["down"]>;
  readonly ping?: FlowRecords["near"]["ping"];
}

/** A link of 10 Mbit/s, unless `link` says otherwise; flows go down. */
export function madeRecords({ flows, for_ms = 60_000, down = {}, link = {}, ping = null }: MadeRun): FlowRecords {
  const asked = flows.map(
    (flow): RunFlow => ({
      ...{ transport: "tcp", congestion: "cubic", direction: "down" },
      ...{ start_ms: flow.from_ms ?? 0, duration_ms: null, size_bytes: null, ...flow.asked },
    }),
  );
  const began = flows.map((flow) => (flow.from_ms ?? 0) + handshake_ms);
  const made = flows.map((flow, index) => samplesOf(flow, began[index] as number));
  const ended = flows.map(({ rates_bps }, index) => (began[index] as number) + rates_bps.length * 1000);
  const reported = flows.map((flow, index) => {
    const both = {
      ...{ connect_begin_ns: ns(flow.from_ms ?? 0), connected_ns: ns((flow.from_ms ?? 0) + handshake_ms) },
      ...{ started_ns: ns(began[index] as number), ended_ns: ns(ended[index] as number) },
    };
    const sender = reportedFlow(index, { ...both, packets_lost: 7, retransmitted_bytes: 10_136, ...flow.sender });
    const receiver = reportedFlow(index, {
      ...both,
      received_bytes: made[index]?.received_bytes ?? 0,
      first_byte_ns: ns((began[index] as number) + 25),
      ...flow.receiver,
    });
    return asked[index]?.direction === "down" ? { near: receiver, far: sender } : { near: sender, far: receiver };
  });
  const end = (which: "near" | "far") => ({
    ...{
      schema: "trilane/flow-report/1" as const,
      version: "0.2.0",
      end: which,
      start_ns,
      end_ns: ns(for_ms),
      cpu_ms: 3,
    },
    ...{ flows: reported.map((flow) => flow[which]), ping: which === "near" ? ping : null },
  });
  const link_bytes = flows.flatMap(({ bins = [] }) => bins).reduce((sum, [, bytes]) => sum + bytes, 0);
  const direction = { ...nothingOfDirection, link_bytes };
  const counted = made.map(({ received_bytes }, index): FlowCounters["flows"][number] => ({
    ...{ protocol: "tcp", near: { address: "10.0.0.2", port: 9 }, far: { address: "10.0.0.1", port: 20_001 + index } },
    down: { ...nothingCounted, sent_bytes: 2000, lost_bytes: 20, received_bytes: received_bytes * 1.05 },
    up: nothingCounted,
  }));
  const { changes: _, ...shaper } = examplesOf("shaper-report").get("traffic") as unknown as FlowRecords["shaper"];
  const steady = { rate_bps: 10_000_000, delay_ms: 25, queue: { bdp: 1 }, loss: 0, ...link };
  return {
    run: {
      schema: "trilane/flow-run/1",
      for_ms,
      sample_ms: 5,
      ping_ms: ping === null ? null : 100,
      flows: asked as FlowRun["flows"],
    },
    ...{ start_ns, for_ms, near: end("near"), far: end("far") },
    samples: made.map(({ sender, receiver }) => ({ sender, receiver })),
    bins: flows.map(({ bins = [] }, place) => ({
      counted: [place],
      down: {
        ...emptySeries(binColumns),
        time_ms: Float64Array.from(bins, ([at_ms]) => at_ms),
        left_bytes: Float64Array.from(bins, ([, bytes]) => bytes),
        left_packets: Float64Array.from(bins, ([, , packets]) => packets),
        queue_delay_sum_ns: Float64Array.from(bins, ([, , packets, delay_ms]) => packets * delay_ms * 1e6),
      },
      up: emptySeries(binColumns),
    })),
    counters: {
      ...{ schema: "trilane/flow-counters/1", version: "0.2.0", link: "10mbit/50ms", start_ns, end_ns: ns(for_ms) },
      ...{ down: { ...direction, ...down }, up: direction, untracked_packets: 0, flows: counted },
    },
    shaper: { ...shaper, link: { ...shaper.link, down: steady, up: steady } },
  };
}

export const steadily = (rate_bps: number, seconds: number): number[] => Array<number>(seconds).fill(rate_bps);
