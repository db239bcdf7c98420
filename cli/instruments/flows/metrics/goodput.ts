// Goodput (RFC 5166, 2.1): what the receiver's application got, per second. Headers, retransmissions and FEC are not in it, and the
// handshake's time is not either: see connect_ms and completion_ms for that.
import { lengthOf, type Span } from "./cumulative.ts";
import { type Measured, missing } from "./measured.ts";

/** In bit/s; `received_bytes` by the receiver's application over the whole flow. */
export function goodput_bps(received_bytes: number, span: Span): Measured {
  if (lengthOf(span) <= 0) return missing("the flow ended as it began");
  return (received_bytes * 8000) / lengthOf(span);
}
