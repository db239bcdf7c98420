// A rate that holds for some time, again and again: what all descriptions of a changing link come down to. Turned into
// opportunities and back. Pure.
import { UserError } from "../../base/errors.ts";
import { latest_ms, mostOpportunities, opportunity_bits } from "../opportunities.ts";

/** Follows the one before it without a gap; the first begins at 0. */
export interface RateSpan {
  readonly start_ms: number;
  readonly end_ms: number;
  readonly rate_bps: number;
}

/**
 * The opportunities of a rate: the k-th is there when k packets' bits could have been sent, at the next whole
 * millisecond. The bits at the end count as one more packet from half a packet on; the last opportunity lies at the end,
 * so that the trace is as long as the spans are.
 */
export function* opportunitiesOf(spans: Iterable<RateSpan>): Generator<number, void, undefined> {
  let sent = 0;
  let bits = 0;
  let end_ms = 0;
  let waiting_ms: number | null = null;
  for (const { start_ms, end_ms: until_ms, rate_bps } of spans) {
    const after = bits + (rate_bps * (until_ms - start_ms)) / 1000;
    if (!(after <= mostOpportunities * opportunity_bits))
      throw new UserError(
        `trace: ${(after / opportunity_bits).toPrecision(3)} opportunities up to ${until_ms} ms: ` +
          `lower the rate (its unit?) or the length to at most ${mostOpportunities}`,
      );
    while ((sent + 1) * opportunity_bits <= after * (1 + 1e-12) + 1e-6) {
      sent++;
      // One stays back: the last of all moves to the end.
      if (waiting_ms !== null) yield waiting_ms;
      const exact_ms = start_ms + ((sent * opportunity_bits - bits) / rate_bps) * 1000;
      waiting_ms = Math.min(Math.ceil(until_ms), Math.ceil(Math.max(start_ms, exact_ms) - 1e-6));
    }
    bits = after;
    end_ms = until_ms;
    if (end_ms > latest_ms) throw new UserError(`trace: is longer than ${latest_ms} ms: shorten it`);
  }
  const last_ms = Math.max(1, Math.round(end_ms));
  const onePacketMore = bits - sent * opportunity_bits >= opportunity_bits / 2;
  if (onePacketMore && waiting_ms !== null) yield Math.min(waiting_ms, last_ms);
  if (!onePacketMore && waiting_ms === null)
    throw new UserError("trace: holds less than one packet of 1500 bytes: it needs a higher rate or a longer time");
  yield last_ms;
}

/** Of a table that we write. */
const mostWindows = 10_000_000;

/** A trace's rate over windows; the last one may be shorter. */
export function* spansOf(times: Uint32Array, window_ms: number): Generator<RateSpan, void, undefined> {
  const length_ms = times.at(-1) ?? 0;
  if (length_ms / window_ms > mostWindows)
    throw new UserError(
      `trace: windows of ${window_ms} ms in ${length_ms} ms are more than ${mostWindows}: take longer ones`,
    );
  let place = 0;
  for (let start_ms = 0; start_ms < length_ms; start_ms += window_ms) {
    const end_ms = Math.min(length_ms, start_ms + window_ms);
    const first = place;
    // A packet that is there at the end of a window was sent in it.
    while (place < times.length && (times[place] as number) <= end_ms) place++;
    yield { start_ms, end_ms, rate_bps: ((place - first) * opportunity_bits * 1000) / (end_ms - start_ms) };
  }
}
