// How much came of a flow, how evenly, by when, and how much of it was lost: goodput, received rate, its variation, silences, progress, the use
// of the link and losses at it. Pure.

import { coefficientOfVariation, countThrough, mean } from "../../../base/quantile.ts";
import { type Counter, lengthOf, type Span } from "./cumulative.ts";
import { type Measured, missing } from "./measured.ts";

// Goodput (RFC 5166, 2.1): what the receiver's application got, per second. Headers, retransmissions and FEC are not in it, and the
// handshake's time is not either: see connect_ms and completion_ms for that.

/** In bit/s; `received_bytes` by the receiver's application over the whole flow. */
export function goodput_bps(received_bytes: number, span: Span): Measured {
  if (lengthOf(span) <= 0) return missing("the flow ended as it began");
  return (received_bytes * 8000) / lengthOf(span);
}

// Received rate (NetShaper's): all IP bytes that the link delivered of a flow, per second, whatever they were for.

/** In bit/s; `span` from the flow's first packet to its end. null: the link saw nothing of the flow. */
export function received_bps(delivered_bytes: number | null, span: Span): Measured {
  if (delivered_bytes === null) return missing("no packet of it reached the link");
  if (lengthOf(span) <= 0) return missing("the flow ended as it began");
  return (delivered_bytes * 8000) / lengthOf(span);
}

// Smoothness as variation (RFC 5166, 2.2.2): the coefficient of variation of a flow's goodput in whole seconds. Its first seconds are in
// it: a flow that starts slowly is less smooth.

/** With fewer, one odd second is all that it would show. */
const fewestSeconds = 5;

/** Standard deviation over mean; any unit. */
export function rateVariation(rates: readonly number[]): Measured {
  if (rates.length < fewestSeconds)
    return missing(`it ran for ${rates.length} whole seconds: ${fewestSeconds} are needed`);
  return mean(rates) > 0 ? coefficientOfVariation(rates) : missing("nothing came in its whole seconds");
}

// The longest time in which a flow stood still for its receiver: what a path that moved, a time-out or an outage cost. As exact as samples are
// apart. Pure.

/** In ms, from the sample that has the first byte on; the time from the last byte to the flow's end counts, too. */
export function longestSilence_ms({ time_ms, bytes }: Counter): Measured {
  let last_ms: number | null = null;
  let longest_ms = 0;
  for (let place = 1; place < time_ms.length; place++) {
    const at_ms = time_ms[place] as number;
    const isNew = (bytes[place] as number) > (bytes[place - 1] as number);
    if (last_ms !== null) longest_ms = Math.max(longest_ms, at_ms - last_ms);
    if (isNew) last_ms = at_ms;
  }
  return last_ms === null ? missing("its receiver had no byte") : longest_ms;
}

// How far a flow of a given size was by when: the times at which its receiver had each tenth of it (Panda 2019 compares flows by it).

export const tenths = 10;

/** When a counter reached so many bytes, in ms since the run began, linear between samples; null: never. */
function reachedAt_ms({ time_ms, bytes }: Counter, wanted_bytes: number): number | null {
  let next = countThrough(bytes, wanted_bytes);
  // The first of several samples with just so many.
  while (next > 0 && (bytes[next - 1] as number) >= wanted_bytes) next--;
  if (next >= bytes.length) return null;
  const [to_ms, to] = [time_ms[next] as number, bytes[next] as number];
  if (next === 0) return to_ms;
  const [from_ms, from] = [time_ms[next - 1] as number, bytes[next - 1] as number];
  return from_ms + ((to_ms - from_ms) * (wanted_bytes - from)) / (to - from);
}

/** Ten times in ms since `began_ms`, when its first packet was sent. */
export function progress_ms(counter: Counter, size_bytes: number, began_ms: number): (number | null)[] {
  return Array.from({ length: tenths }, (_, tenth) => {
    const at_ms = reachedAt_ms(counter, (size_bytes * (tenth + 1)) / tenths);
    return at_ms === null ? null : Math.max(0, at_ms - began_ms);
  });
}

// Utilization of a link's direction (RFC 5166, 2.1.1): what it sent over what it could have sent in the time in which flows used it.

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

// Loss ratio at the bottleneck (NetShaper's l; RFC 5166, 2.1.3): IP bytes lost there, in the queue or on the wire, over those sent.

export interface SentAndLost {
  readonly sent_bytes: number;
  readonly lost_bytes: number;
}

export function lossRatio(counts: SentAndLost | null): Measured {
  if (counts === null || counts.sent_bytes === 0) return missing("nothing was sent");
  return counts.lost_bytes / counts.sent_bytes;
}
