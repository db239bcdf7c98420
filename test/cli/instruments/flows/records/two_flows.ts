// A flow run of two flows, 100 ms, in numbers that are easy to follow: TCP down from the start, QUIC up from 20 ms.

import { parseRecords } from "../../../../../cli/base/record_file.ts";
import {
  composeFlowRecords,
  type FlowCounters,
  type FlowRecords,
  type FlowRunFiles,
} from "../../../../../cli/instruments/flows/records/flow_records.ts";
import { binFileColumns, sampleFileColumns } from "../../../../../cli/instruments/flows/records/series.ts";
import type { FlowReport, ReportedFlow } from "../../../../../schemas/generated/flow_report.ts";
import type { FlowRun } from "../../../../../schemas/generated/flow_run.ts";
import { examplesOf } from "../../../../schemas/mutations.ts";
import { recordBytes } from "./record_bytes.ts";
import { nothingCounted, nothingOfDirection, reportedFlow } from "./record_parts.ts";

export const start_ns = 1_000_000_000;

export const run: FlowRun = {
  schema: "trilane/flow-run/1",
  for_ms: 100,
  sample_ms: 5,
  ping_ms: 50,
  flows: [
    { transport: "tcp", congestion: "cubic", direction: "down", start_ms: 0, duration_ms: null, size_bytes: null },
    { transport: "quic", congestion: "reno", direction: "up", start_ms: 20, duration_ms: null, size_bytes: null },
  ],
};

function reported(flow: number, sent_bytes: number, received_bytes: number): ReportedFlow {
  const begin_ns = start_ns + (run.flows[flow]?.start_ms ?? 0) * 1e6;
  return reportedFlow(flow, {
    congestion: run.flows[flow]?.congestion ?? null,
    ...{ connect_begin_ns: begin_ns, connected_ns: begin_ns + 1e6, started_ns: begin_ns + 1e6 },
    ...{ first_byte_ns: received_bytes > 0 ? begin_ns + 2e6 : null, ended_ns: start_ns + 100e6 },
    ...{ sent_bytes, received_bytes, packets_sent: 10, packets_lost: 1, retransmitted_bytes: 1448, cpu_ms: 1 },
  });
}

function report(end: "near" | "far"): FlowReport {
  const flows = [
    reported(0, end === "far" ? 40_000 : 0, end === "near" ? 30_000 : 0),
    reported(1, end === "near" ? 20_000 : 0, end === "far" ? 10_000 : 0),
  ];
  const ping = { sent: 2, received: 1, replies: [{ sent_ns: start_ns + 50e6, rtt_ns: 20e6 }] };
  return {
    schema: "trilane/flow-report/1",
    version: "0.2.0",
    end,
    start_ns: end === "near" ? start_ns : start_ns - 5e6,
    end_ns: start_ns + 100e6,
    cpu_ms: 3,
    flows,
    ping: end === "near" ? ping : null,
  };
}

function samples(rows: readonly (readonly [time_ms: number, flow: number, sent: number, received: number])[]) {
  const bytes = recordBytes(
    sampleFileColumns,
    rows.map(([time_ms, flow, sent, received]) => {
      const isSender = sent > 0;
      const windows = isSender ? [14_480, null, 20_000_000, 10_000_000, 2896, 1, 1448, 1_000_000, null] : [];
      return [start_ns + time_ms * 1e6, flow, sent, received, ...(isSender ? windows : Array(9).fill(null))];
    }),
  );
  return parseRecords(bytes, sampleFileColumns, "samples.rec");
}

type Counted = FlowCounters["flows"][number];
const countersSchema: FlowCounters["schema"] = "trilane/flow-counters/1";

function counted(protocol: string, port: number, sent_bytes: number): Counted {
  const near = { address: "10.77.0.2", port: 4000 };
  return {
    protocol,
    near,
    far: { address: "10.77.0.1", port },
    down: { ...nothingCounted, sent_bytes },
    up: nothingCounted,
  };
}

function countersOf(flows: Counted[]): FlowCounters {
  const times = { start_ns, end_ns: start_ns + 100e6 };
  const head = { schema: countersSchema, version: "0.2.0", link: "rate=10mbit,rtt=20ms", ...times };
  return { ...head, down: nothingOfDirection, up: nothingOfDirection, untracked_packets: 0, flows };
}

/** Its files, parsed; the bins of the counted flow 2 are the TCP flow's, flow 1 is another connection's to its port. */
export function twoFlowFiles(): FlowRunFiles {
  const bins = recordBytes(binFileColumns, [
    [start_ns, 2, 0, 3000, 1500, 3000, 4_000_000, 1, 0, 0, 0],
    [start_ns + 10e6, 2, 0, 3000, 3000, 4500, 9_000_000, 2, 1, 0, 0],
    [start_ns + 10e6, 2, 1, 40, 40, 40, 0, 1, 0, 0, 0],
    [start_ns + 30e6, 0, 1, 1200, 1200, 1200, 100_000, 1, 0, 0, 0],
  ]);
  return {
    run,
    near: report("near"),
    far: report("far"),
    // The tick at 10 ms is missing at the near end.
    nearSamples: samples([
      [5, 0, 0, 1000],
      [15, 0, 0, 5000],
      [25, 0, 0, 9000],
      [25, 1, 1200, 0],
    ]),
    farSamples: samples([
      [5, 0, 2000, 0],
      [10, 0, 4000, 0],
      [15, 0, 7000, 0],
      [25, 1, 0, 600],
    ]),
    bins: parseRecords(bins, binFileColumns, "bins.rec"),
    counters: countersOf([counted("udp", 20002, 100), counted("tcp", 20001, 60), counted("tcp", 20001, 50_000)]),
    shaper: examplesOf("shaper-report").get("traffic") as unknown as FlowRecords["shaper"],
  };
}

export const twoFlows = (): FlowRecords => composeFlowRecords(twoFlowFiles());
