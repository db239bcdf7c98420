// The optimal page load time of one load on its link: bytes over rate, and the round trips that its requests needed one
// after another. Pure.
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import { type LinkTraits, traitsOf } from "../../link/link.ts";
import { causesOf, delaysLoadEvent, type Fetch, fetchesOf, hadBegun, isOnTheLink } from "./dependencies.ts";

/** One for the name, one for the handshake: no first visit by a standard protocol has fewer before its first request. */
const opening = 2;

/**
 * In ms. `bytes`: of the page as transferred, by how many requests each had to wait for: first the document's, then of what
 * it names, then of what that names. What comes after n requests cannot begin to come before 2 + n round trips, and has to
 * pass the link then; the latest of these bounds holds. Null where the link's rate is not one number.
 */
export function optimalPltOfLevels_ms(bytes: readonly number[], { rate_bps, rtt_ms }: LinkTraits): number | null {
  if (rate_bps === null) return null;
  let left = 0;
  let optimal_ms = 0;
  for (let level = bytes.length; level > 0; level--) {
    left += bytes[level - 1] ?? 0;
    optimal_ms = Math.max(optimal_ms, (opening + level) * rtt_ms + (left * 8 * 1000) / rate_bps);
  }
  return optimal_ms;
}

/** Whether rate and delay are one number each, all the time, and no one has to begin anew. */
function isSteady({ down, up, rebind, switch: other }: LinkProfile): boolean {
  if (rebind || other) return false;
  return [down, up].every((way) => !way.trace && !way.rate_steps && !way.delay_steps && !way.onoff && !way.jitter);
}

/** A request and what it was requested by, back to the navigation's: each with how many requests had come one after another. */
function levelsBackFrom(fetch: Fetch, causes: ReadonlyMap<Fetch, Fetch>): [Fetch, number][] {
  const chain = [fetch];
  // Causes begin before what they cause: this ends.
  for (let cause = causes.get(fetch); cause; cause = causes.get(cause)) chain.push(cause);
  let level = 0;
  return chain.toReversed().flatMap((each): [Fetch, number][] => {
    if (!isOnTheLink(each)) return [];
    const cause = causes.get(each);
    if (level === 0 || !cause || hadBegun(cause, each)) level++;
    return [[each, level]];
  });
}

/**
 * Bytes of the responses that the load event waited for, and of what had to come before these, by how many requests came
 * one after another: the document's first. Where the browser does not tell a response's size none are counted.
 */
export function bytesByLevel(load: PageLoad): number[] {
  const plt_ms = load.log._trilane.metrics.plt_ms ?? Number.POSITIVE_INFINITY;
  const fetches = fetchesOf(load);
  const causes = causesOf(fetches);
  const waitedFor = fetches.filter((each) => delaysLoadEvent(each) && each.end_ms <= plt_ms);
  const needed = new Map(waitedFor.flatMap((fetch) => levelsBackFrom(fetch, causes)));
  const bytes: number[] = [];
  for (const [{ entry }, level] of needed) {
    for (let missing = bytes.length; missing < level; missing++) bytes.push(0);
    bytes[level - 1] = (bytes[level - 1] ?? 0) + Math.max(0, entry.response._transferSize);
  }
  return bytes;
}

/** Null where the link is not steady or its rate unlimited, and for a repeat visit, which needs no opening. */
export function optimalOfLoad_ms(load: PageLoad): number | null {
  const { link, repeat } = load.log._trilane;
  const levels = bytesByLevel(load);
  if (levels.length === 0 || repeat || !isSteady(link)) return null;
  return optimalPltOfLevels_ms(levels, traitsOf(link));
}
