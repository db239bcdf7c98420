// Generated from ../flow-result.schema.json by `npm run generate`: change the schema instead.
import type { FlowPaced } from "./flow.ts";

/**
 * What one run of flows measured. `metric` says what each number is called and means: help, report, CSV and JSON follow from it. Times are in ms since the run began.
 */
export interface FlowResult {
  schema: "trilane/flow-result/1";
  /**
   * From the near end's start to its end.
   */
  run_ms: number;
  /**
   * In the run's order.
   */
  flows: FlowResultFlow[];
  /**
   * One for each `--flow` of the mix, in their order.
   */
  groups: FlowResultGroup[];
  /**
   * null: no flow sends this way.
   */
  down: FlowResultDirection | null;
  up: FlowResultDirection | null;
  /**
   * null: none was asked for.
   */
  ping: FlowResultPing | null;
  /**
   * CPU time of the program at the near end, as the next two.
   */
  near_cpu_ms: number;
  far_cpu_ms: number;
  shaper_cpu_ms: number;
}
export interface FlowResultFlow {
  /**
   * Its number in the run, from 0.
   */
  flow: number;
  /**
   * Which `--flow` of the mix it is of, from 0.
   */
  group: number;
  transport: "tcp" | "tls" | "quic";
  /**
   * The controller that was asked for.
   */
  congestion: string;
  paced?: FlowPaced;
  /**
   * As read back from the sender; null: it never sent.
   */
  congestion_used: string | null;
  direction: "down" | "up";
  size_bytes: number | null;
  /**
   * ended: by its size; cut: by its duration or the run's end.
   */
  state: "ended" | "cut" | "failed" | "not-started";
  error: string | null;
  /**
   * When data may flow; null: never.
   */
  from_ms: number | null;
  /**
   * When its receiver had ended; null: it never began.
   */
  to_ms: number | null;
  /**
   * Of a flow with a size: from its first packet until its receiver had each tenth of it; null: it never had. Absent: it has no size.
   *
   * @minItems 10
   * @maxItems 10
   */
  progress_ms?: [
    number | null,
    number | null,
    number | null,
    number | null,
    number | null,
    number | null,
    number | null,
    number | null,
    number | null,
    number | null
  ];
  metrics: FlowResultMetrics;
  unavailable: Reasons;
}
/**
 * Of one flow in one run: cli/flows/metrics. A null has its reason in `unavailable`.
 */
export interface FlowResultMetrics {
  goodput_bps: number | null;
  received_bps: number | null;
  share: number | null;
  loss_ratio: number | null;
  lost_packets: number | null;
  retransmitted_bytes: number | null;
  queue_delay_p50_ms: number | null;
  queue_delay_p95_ms: number | null;
  queue_delay_p99_ms: number | null;
  rtt_p50_ms: number | null;
  rtt_p95_ms: number | null;
  min_rtt_ms: number | null;
  window_median_bytes: number | null;
  largest_window_cut: number | null;
  rate_variation: number | null;
  connect_ms: number | null;
  first_byte_ms: number | null;
  longest_silence_ms?: number | null;
  moves_made?: number | null;
  completion_ms: number | null;
  sender_cpu_ms: number | null;
  receiver_cpu_ms: number | null;
}
/**
 * Why a metric is null, by its name: each null has one.
 */
export interface Reasons {
  [k: string]: string;
}
export interface FlowResultGroup {
  group: number;
  transport: "tcp" | "tls" | "quic";
  congestion: string;
  paced?: FlowPaced;
  direction: "down" | "up";
  /**
   * How many.
   */
  flows: number;
  metrics: FlowResultGroupMetrics;
  unavailable: Reasons;
}
/**
 * Of the flows that one `--flow` of the mix stands for.
 */
export interface FlowResultGroupMetrics {
  goodput_bps: number | null;
  share: number | null;
}
export interface FlowResultDirection {
  /**
   * How many were to send this way.
   */
  flows: number;
  /**
   * When the last of them may send; null: they never ran all at once.
   */
  together_from_ms: number | null;
  /**
   * When the first of them ended.
   */
  together_to_ms: number | null;
  /**
   * [second, index]: of whole seconds of the run in which two flows or more ran all the time.
   */
  jain_by_second: [number, number][];
  metrics: FlowResultDirectionMetrics;
  unavailable: Reasons;
}
/**
 * Of all flows of one direction in one run.
 */
export interface FlowResultDirectionMetrics {
  goodput_bps: number | null;
  utilization: number | null;
  loss_ratio: number | null;
  queue_delay_p50_ms: number | null;
  queue_delay_p95_ms: number | null;
  queue_delay_p99_ms: number | null;
  jain: number | null;
  jain_second_median: number | null;
  min_max_ratio: number | null;
  share_ratio: number | null;
  convergence_ms: number | null;
}
export interface FlowResultPing {
  metrics: FlowResultPingMetrics;
  unavailable: Reasons;
}
/**
 * Of the small packets beside the flows.
 */
export interface FlowResultPingMetrics {
  ping_p50_ms: number | null;
  ping_p95_ms: number | null;
  ping_p99_ms: number | null;
  ping_lost: number | null;
}
