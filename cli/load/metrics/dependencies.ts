// What of a page requested what: each request's cause, as far as the browser reported it. Pure; knows no times but those of
// the requests, and nothing of what the main thread did.
import { withoutFragment } from "../../../extension/capture/url_without_credentials.ts";
import type { HarEntry, PageLoad } from "../../../schemas/generated/page_load.ts";

/** A request that came to an end; times in ms since navigationStart. */
export interface Fetch {
  readonly entry: HarEntry;
  readonly url: string;
  readonly start_ms: number;
  /** Its response's first byte; null: none came. */
  readonly response_ms: number | null;
  readonly end_ms: number;
}

/** Whether its time was the link's: what a cache gave was not on it, unless it waited for another request's answer. */
export function isOnTheLink({ entry: { _fromCache } }: Fetch): boolean {
  return _fromCache === undefined || _fromCache === "shared";
}

// By the HTML standard these delay the load event. Media do only until their first data; requests by script never do.
const delaying = new Set(["document", "stylesheet", "script", "image", "font"]);

export function delaysLoadEvent({ entry }: Fetch): boolean {
  return delaying.has(entry._resourceType);
}

/** The requests that ended, in the order of their starts. Empty where the navigation's start is not known. */
export function fetchesOf({ log }: PageLoad): Fetch[] {
  const navigation_ns = log._trilane.navigation_start_ns;
  if (navigation_ns === null) return [];
  return log.entries
    .flatMap((entry) => {
      const { start_ns, response_ns, end_ns } = entry._trilane;
      if (end_ns === null) return [];
      const sinceNavigation_ms = (at_ns: number): number => (at_ns - navigation_ns) / 1e6;
      const start_ms = sinceNavigation_ms(start_ns);
      const response_ms = response_ns === null ? null : sinceNavigation_ms(response_ns);
      const end_ms = Math.max(start_ms, sinceNavigation_ms(end_ns));
      return [{ entry, url: withoutFragment(entry.request.url), start_ms, response_ms, end_ms }];
    })
    .sort((a, b) => a.start_ms - b.start_ms);
}

// A page may fetch its own URL, or a script's, as data: such a response asks for nothing.
const asking = new Set(["document", "stylesheet", "script"]);

/** Whether the response had begun to come when the request was made: else the request did not need it, as with early hints. */
export function hadBegun({ response_ms, end_ms }: Fetch, { start_ms }: Fetch): boolean {
  return (response_ms ?? end_ms) <= start_ms;
}

/**
 * What each request was requested by: the request that was redirected to it, else what its initiator names (the document
 * or stylesheet that was parsed, the script that ran), else its document. Of several of one URL the last whose response had
 * begun, of a document's at least the last that was requested before.
 * Nothing: it began the navigation, or what requested it is not among `fetches`.
 */
export function causesOf(fetches: readonly Fetch[]): Map<Fetch, Fetch> {
  const byUrl = Map.groupBy(fetches, ({ url }) => url);
  const byRequest = Map.groupBy(fetches, ({ entry }) => entry._trilane.requestId);
  const lastBefore = (candidates: readonly Fetch[] | undefined, fetch: Fetch): Fetch | undefined =>
    candidates?.findLast((each) => each !== fetch && each.start_ms < fetch.start_ms);
  const first = fetches.find(({ entry }) => entry._resourceType === "document" && entry._trilane.frame === "main");
  const causes = new Map<Fetch, Fetch>();
  for (const fetch of fetches) {
    if (fetch === first) continue;
    const { _initiator, _trilane } = fetch.entry;
    const redirected = lastBefore(
      byRequest.get(_trilane.requestId)?.filter(({ entry }) => entry.response.redirectURL !== ""),
      fetch,
    );
    const named = _initiator.url === undefined ? [] : (byUrl.get(withoutFragment(_initiator.url)) ?? []);
    const asker = named.filter((each) => asking.has(each.entry._resourceType) && hadBegun(each, fetch));
    const document = byUrl
      .get(withoutFragment(_trilane.documentUrl))
      ?.filter(({ entry }) => entry._resourceType === "document");
    const cause =
      redirected ?? lastBefore(asker, fetch) ?? lastBefore(document, fetch) ?? lastBefore(first && [first], fetch);
    if (cause) causes.set(fetch, cause);
  }
  return causes;
}
