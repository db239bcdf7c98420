// What of a link's profile verdicts and bounds speak of: rate, round trip and loss towards the browser. Pure.
import type { LinkProfile } from "./link.ts";

/** What of a link a verdict may speak about. */
export interface LinkTraits {
  readonly rate_bps: number | null;
  readonly rtt_ms: number;
  readonly loss: number;
}

/** At the start, where they vary. */
export function traitsOf({ down, rtt_ms }: LinkProfile): LinkTraits {
  return { rate_bps: down.rate_bps, rtt_ms, loss: down.loss };
}

/** By the links' labels. */
export function traitsByLink(
  cells: readonly { readonly link: string; readonly link_profile: LinkProfile }[],
): Map<string, LinkTraits> {
  return new Map(cells.map(({ link, link_profile }) => [link, traitsOf(link_profile)]));
}
