// Generated from ../flow-run.schema.json by `npm run generate`: change the schema instead.
import type { FlowDirection, FlowPaced, FlowTransport } from "./flow.ts";

/**
 * What both ends of trilane-flows are told of a run: bulk flows between the near and the far namespace of a lab. Flow number i, from 0, goes to far port 20001 + i (TCP or UDP), the ping to 20000/UDP. The near end is the client of all of them, and begins the run.
 */
export interface FlowRun {
  schema: "trilane/flow-run/1";
  /**
   * The run's length from the near end's start.
   */
  for_ms: number;
  /**
   * Both ends note each flow's state at the multiples of this on CLOCK_MONOTONIC.
   */
  sample_ms: number;
  /**
   * Between two datagrams that the far end returns; null: none are sent.
   */
  ping_ms: number | null;
  /**
   * @minItems 1
   * @maxItems 1000
   */
  flows: [RunFlow, ...RunFlow[]];
}
/**
 * With neither duration nor size it goes on until the run ends.
 */
export interface RunFlow {
  transport: FlowTransport;
  /**
   * The sender's controller: one that the kernel offers (tcp, tls), or one of quiche's or ours (quic).
   */
  congestion: string;
  paced?: FlowPaced;
  /**
   * quic: time between moves of the near end to another port, once it is connected. Absent: it stays.
   */
  migrate_ms?: number;
  direction: FlowDirection;
  /**
   * From the near end's start.
   */
  start_ms: number;
  /**
   * After its start it is cut off.
   */
  duration_ms: number | null;
  /**
   * It ends when the receiver's application has them all.
   */
  size_bytes: number | null;
}
