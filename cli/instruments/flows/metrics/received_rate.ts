// Received rate (NetShaper's): all IP bytes that the link delivered of a flow, per second, whatever they were for.
import { lengthOf, type Span } from "./cumulative.ts";
import { type Measured, missing } from "./measured.ts";

/** In bit/s; `span` from the flow's first packet to its end. null: the link saw nothing of the flow. */
export function received_bps(delivered_bytes: number | null, span: Span): Measured {
  if (delivered_bytes === null) return missing("no packet of it reached the link");
  if (lengthOf(span) <= 0) return missing("the flow ended as it began");
  return (delivered_bytes * 8000) / lengthOf(span);
}
