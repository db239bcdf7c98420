// What a video's link carried, and what waited for it, over stretches of about half a second: a burst of packets is no rate. The shaper
// keeps few bins, which are the longer the longer it ran: stretches are whole bins, and say how long they are. Pure.
import type { LoadFacts } from "../../../schemas/generated/page_load.ts";
import { formatTime } from "../../base/numbers.ts";
import { binsOf } from "../figures/link_over_time.ts";

/** Times are since the navigation. */
export interface LinkSpan {
  readonly start_ms: number;
  readonly end_ms: number;
  /** Mean. */
  readonly rate_bps: number;
  /** The most. */
  readonly queue_bytes: number;
}

const wanted_ms = 500;

/** Down, from the navigation to `until_ms`; empty if the load did not keep it. */
export function linkSpans({ shaper, navigation_start_ns }: LoadFacts, until_ms: number): LinkSpan[] {
  const timeline = shaper?.timeline;
  if (!timeline || navigation_start_ns === null) return [];
  const bins = binsOf(timeline, "down", navigation_start_ns).filter(
    ({ start_ms, end_ms }) => end_ms > 0 && start_ms < until_ms,
  );
  const together = Math.max(1, Math.round((wanted_ms * 1e6) / timeline.bin_ns));
  return [...Map.groupBy(bins, (_, index) => Math.floor(index / together)).values()].map((span) => ({
    start_ms: span[0]?.start_ms ?? 0,
    end_ms: span.at(-1)?.end_ms ?? 0,
    rate_bps: span.reduce((sum, { rate_bps }) => sum + rate_bps, 0) / span.length,
    queue_bytes: span.reduce((most, { queue_bytes }) => Math.max(most, queue_bytes), 0),
  }));
}

export const spanLength_ms = ({ start_ms, end_ms }: LinkSpan): number => end_ms - start_ms;

/** The one that a time lies in; null: none does. */
export const spanAt = (spans: readonly LinkSpan[], t_ms: number): LinkSpan | null =>
  spans.find(({ start_ms, end_ms }) => t_ms >= start_ms && t_ms < end_ms) ?? null;

/** How long they are: the last of each load may be shorter. */
export function spanWords(loads: readonly (readonly LinkSpan[])[]): string {
  const lengths = loads.flatMap(([first]) => (first ? [spanLength_ms(first)] : []));
  const words = [Math.min(...lengths), Math.max(...lengths)].map(formatTime);
  return lengths.length === 0 ? "" : [...new Set(words)].join(" to ");
}
