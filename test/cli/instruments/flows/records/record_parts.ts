// Parts of made-up records of flow runs: a flow that has done nothing yet, at its end and on the link. Each maker says what differs.
import type { FlowCounters } from "../../../../../schemas/generated/flow_counters.ts";
import type { ReportedFlow } from "../../../../../schemas/generated/flow_report.ts";

type Counted = FlowCounters["flows"][number]["down"];

export const nothingCounted: Counted = {
  ...{ sent_packets: 0, sent_bytes: 0, received_packets: 0, received_bytes: 0, lost_bytes: 0 },
  lost_packets: { queue: 0, aqm: 0, loss: 0, off: 0, memory: 0 },
  ...{ goodput_bytes: 0, goodput_bps: null, loss_ratio: null, first_sent_ns: null, last_received_ns: null },
  ...{ link_packets: 0, link_bytes: 0, marked_packets: 0, queue_delay_ns: { mean: null, max: null } },
};

/** Of all flows of a direction together. */
export const nothingOfDirection: FlowCounters["down"] = {
  ...nothingCounted,
  queue_delay_ns: { mean: null, max: null, p50: null, p95: null, p99: null },
  ...{ capacity_bytes: null, utilization: null },
};

/** One that the run's end cut. */
export function reportedFlow(flow: number, change: Partial<ReportedFlow>): ReportedFlow {
  return {
    ...{ flow, state: "cut", error: null, local: "10.77.0.2:4000", peer: `10.77.0.1:${20001 + flow}` },
    ...{ congestion: "cubic", connect_begin_ns: 0, connected_ns: 0, first_byte_ns: null, started_ns: 0, ended_ns: 0 },
    ...{ sent_bytes: 0, received_bytes: 0, packets_sent: null, packets_lost: null, retransmitted_bytes: null },
    ...{ cpu_ms: null, ...change },
  };
}
