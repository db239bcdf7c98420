// What a loaded page's own timeline says that its requests were answered on (nextHopProtocol of Resource Timing): a third word, beside the
// server's and the one that the browser reports whoever drives it (lane_agreement.ts). It judges nothing: pages of other origins, frames and
// whatever came after the 250 that a browser keeps have no such word.
import { withoutFragment } from "../../extension/capture/url_without_credentials.ts";
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import { isOnWire } from "./served_requests.ts";

/** Words by URL. */
export type NextHops = ReadonlyMap<string, ReadonlySet<string>>;

/** For the page, once all that is measured was read. */
export const nextHopsExpression = `["navigation", "resource"]
  .flatMap((type) => performance.getEntriesByType(type))
  .filter(({ nextHopProtocol }) => nextHopProtocol)
  .map(({ name, nextHopProtocol }) => [name, nextHopProtocol])`;

/** Of the page's answer, which may be anything. */
export function nextHopsOf(answer: unknown): NextHops {
  const words = new Map<string, Set<string>>();
  for (const pair of Array.isArray(answer) ? answer : []) {
    const [name, word] = Array.isArray(pair) ? (pair as unknown[]) : [];
    if (typeof name !== "string" || typeof word !== "string" || !/^[\w./-]{1,40}$/.test(word)) continue;
    const url = withoutFragment(name);
    words.set(url, (words.get(url) ?? new Set()).add(word));
  }
  return words;
}

/** A redirect's word is that of what it led to. */
const isRedirect = ({ response: { status } }: HarEntry): boolean => status >= 300 && status < 400 && status !== 304;

/** The entries with the page's word, where it has one, and only one, for an URL. */
export function withNextHops(entries: readonly HarEntry[], hops: NextHops): HarEntry[] {
  return entries.map((entry) => {
    const words = hops.get(withoutFragment(entry.request.url));
    const [word] = words ?? [];
    if (word === undefined || words?.size !== 1 || entry._trilane.frame !== "main") return entry;
    return isOnWire(entry) && !isRedirect(entry)
      ? { ...entry, _trilane: { ...entry._trilane, next_hop: word.toLowerCase() } }
      : entry;
  });
}
