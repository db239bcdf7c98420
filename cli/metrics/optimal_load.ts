// The optimal page load time of one load on its link: bytes over rate, and the round trips that its requests needed one
// after another. Pure.
import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import { optimalPltOfLevels_ms } from "../stats/optimal.ts";
import { causesOf, delaysLoadEvent, type Fetch, fetchesOf, isOnTheLink } from "./dependencies.ts";

/** Whether rate and delay are one number each, all the time. */
export function isSteady({ down, up }: LinkProfile): boolean {
  return [down, up].every((way) => !way.trace && !way.rate_steps && !way.delay_steps && !way.onoff && !way.jitter);
}

/**
 * Bytes of the responses that the load event waited for, and of what had to come before these, by how many requests came
 * one after another: the document's first.
 */
export function bytesByLevel(load: PageLoad): number[] {
  const plt_ms = load.log._trilane.metrics.plt_ms ?? Number.POSITIVE_INFINITY;
  const fetches = fetchesOf(load);
  const causes = causesOf(fetches);
  // Causes begin before what they cause: this ends.
  const chainOf = (fetch: Fetch): Fetch[] => {
    const chain = [fetch];
    for (let cause = causes.get(fetch); cause; cause = causes.get(cause)) chain.push(cause);
    return chain.filter(isOnTheLink);
  };
  const needed = new Map<Fetch, number>();
  for (const fetch of fetches.filter((each) => delaysLoadEvent(each) && each.end_ms <= plt_ms)) {
    const chain = chainOf(fetch);
    chain.forEach((each, index) => {
      needed.set(each, chain.length - index);
    });
  }
  const bytes: number[] = [];
  for (const [{ entry }, level] of needed) {
    for (let missing = bytes.length; missing < level; missing++) bytes.push(0);
    bytes[level - 1] = (bytes[level - 1] ?? 0) + entry.response._transferSize;
  }
  return bytes;
}

/** Null where the link is not steady or its rate unlimited, and for a repeat visit, which needs no opening. */
export function optimalOfLoad_ms(load: PageLoad): number | null {
  const { link, repeat } = load.log._trilane;
  const levels = bytesByLevel(load);
  if (levels.length === 0 || repeat || !isSteady(link)) return null;
  return optimalPltOfLevels_ms(levels, { rate_bps: link.down.rate_bps, rtt_ms: link.rtt_ms, loss: link.down.loss });
}
