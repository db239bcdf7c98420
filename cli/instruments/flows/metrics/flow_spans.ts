// When each flow of a run ran, on the run's clock, and what its two ends said of it: the sender's words for what was sent, the receiver's
// for what came. Computes no metric.
import type { ReportedFlow } from "../../../../schemas/generated/flow_report.ts";
import type { RunFlow } from "../../../../schemas/generated/flow_run.ts";
import type { FlowRecords } from "../records/flow_records.ts";
import type { Counter, Span } from "./cumulative.ts";

export interface FlowEnds {
  readonly planned: RunFlow;
  readonly near: ReportedFlow;
  readonly sender: ReportedFlow;
  readonly receiver: ReportedFlow;
}

export function endsOf({ run, near, far }: FlowRecords, flow: number): FlowEnds {
  const [planned, atNear, atFar] = [run.flows[flow], near.flows[flow], far.flows[flow]];
  if (!planned || !atNear || !atFar) throw new RangeError(`flow ${flow} is in the records of only one end`);
  const [sender, receiver] = planned.direction === "down" ? [atFar, atNear] : [atNear, atFar];
  return { planned, near: atNear, sender, receiver };
}

/** In ms since the run began; null stays null. */
export function since({ start_ns }: FlowRecords, time_ns: number | null): number | null {
  return time_ns === null ? null : (time_ns - start_ns) / 1e6;
}

/** What became of a flow: of its two ends' words the worse. */
export function stateOf({ near, sender, receiver }: FlowEnds): Pick<ReportedFlow, "state" | "error"> {
  const failed = [near, sender, receiver].find(({ state }) => state === "failed");
  if (failed) return { state: "failed", error: failed.error };
  // The receiver knows when it has it all; the other end may have been cut off while it said goodbye.
  return { state: near.state === "not-started" ? "not-started" : receiver.state, error: null };
}

/** From when data may flow to when the receiver had ended, which is the run's end where it did not say; null: it never could. */
export function spanOf(records: FlowRecords, { sender, receiver }: FlowEnds): Span | null {
  const from_ms = since(records, sender.started_ns ?? receiver.started_ns);
  const to_ms = since(records, receiver.ended_ns ?? sender.ended_ns ?? records.near.end_ns);
  return from_ms === null || to_ms === null || to_ms < from_ms ? null : { from_ms, to_ms };
}

/** The receiver's application, sample by sample, and at last what its report says. */
export function receivedCounter(records: FlowRecords, flow: number, span: Span): Counter {
  const series = records.samples[flow]?.receiver;
  const { receiver } = endsOf(records, flow);
  const time_ms = [span.from_ms];
  const bytes = [0];
  series?.time_ms.forEach((at_ms, place) => {
    if (at_ms <= span.from_ms || at_ms >= span.to_ms) return;
    time_ms.push(at_ms);
    bytes.push(series.received_bytes[place] as number);
  });
  if (span.to_ms > span.from_ms) {
    time_ms.push(span.to_ms);
    bytes.push(receiver.received_bytes);
  }
  return { time_ms, bytes };
}
