// Utilization of a link's direction (RFC 5166, 2.1.1): what it sent over what it could have sent in the time in which flows asked for it.
import { lengthOf, type Span } from "./cumulative.ts";
import { type Measured, missing } from "./measured.ts";

/** What a link could have carried: at one rate; or, where that changed, as the shaper summed it up from first to last packet. */
export type Capacity =
  | { readonly kind: "rate"; readonly rate_bps: number }
  | { readonly kind: "summed"; readonly capacity_bytes: number | null; readonly link_bytes: number }
  | { readonly kind: "unlimited" };

/** `sent_bytes`: IP bytes that the link sent within the span. May exceed 1 by a packet that was already on its way out. */
export function utilization(sent_bytes: number, capacity: Capacity, span: Span): Measured {
  if (capacity.kind === "unlimited") return missing("the link's rate is not limited");
  if (capacity.kind === "summed") {
    const { capacity_bytes, link_bytes } = capacity;
    return capacity_bytes ? link_bytes / capacity_bytes : missing("the link's capacity is not known");
  }
  if (lengthOf(span) <= 0) return missing("no flow asked for the link");
  return (sent_bytes * 8000) / (capacity.rate_bps * lengthOf(span));
}
