// Generated from ../flow-report.schema.json by `npm run generate`: change the schema instead.
import type { PathChange } from "./path_changes.ts";

/**
 * ADDRESS:PORT; null: it was never connected.
 */
export type Address = string | null;
export type Time = number | null;
export type Count = number | null;
/**
 * At the far end of a QUIC flow. Absent: the near end's address never changed.
 *
 * @minItems 1
 */
export type PathChanges = [PathChange, ...PathChange[]];
/**
 * What one end of trilane-flows writes when its run has ended: what became of each flow there. Times are CLOCK_MONOTONIC; null is unavailable at this end.
 */
export interface FlowReport {
  schema: "trilane/flow-report/1";
  version: string;
  end: "near" | "far";
  /**
   * The near end's is the run's time 0.
   */
  start_ns: number;
  end_ns: number;
  /**
   * CPU time of the program at this end, user and system.
   */
  cpu_ms: number;
  /**
   * In the run's order.
   */
  flows: ReportedFlow[];
  ping: FlowPing | null;
}
export interface ReportedFlow {
  /**
   * Its number in the run, from 0.
   */
  flow: number;
  /**
   * ended: by its size; cut: by its duration or the run's end; failed: see error.
   */
  state: "ended" | "cut" | "failed" | "not-started";
  error: string | null;
  local: Address;
  peer: Address;
  /**
   * The controller as read back from the connection.
   */
  congestion: string | null;
  /**
   * tcp and tls, at the sender: whether the socket was made to pace, as read back; null: not connected, no sender, or QUIC, which is paced here. Absent: of a Trilane that could not.
   */
  paced?: boolean | null;
  connect_begin_ns: Time;
  /**
   * The handshake is done.
   */
  connected_ns: number | null;
  /**
   * The first byte of the bulk was received here.
   */
  first_byte_ns: number | null;
  /**
   * From then on data may flow.
   */
  started_ns: number | null;
  ended_ns: Time;
  /**
   * By the application at this end: what the transport took, ahead of what left.
   */
  sent_bytes: number;
  /**
   * By the application at this end.
   */
  received_bytes: number;
  /**
   * With content, of the sender; those sent again included.
   */
  packets_sent: number | null;
  /**
   * That the sender took to be lost. The kernel counts what TCP sent again.
   */
  packets_lost: number | null;
  retransmitted_bytes: Count;
  path_changes?: PathChanges;
  migrations?: FlowMigrations;
  /**
   * Of this end's program, spent on this flow; waiting for all flows together is in the report's own.
   */
  cpu_ms: number | null;
}
/**
 * At the near end of a QUIC flow that moves of its own accord: moves begun, and made because the far end had answered at the new address. Absent: it was to stay.
 */
export interface FlowMigrations {
  begun: number;
  made: number;
}
export interface FlowPing {
  sent: number;
  received: number;
  replies: PingReply[];
}
export interface PingReply {
  sent_ns: number;
  rtt_ns: number;
}
