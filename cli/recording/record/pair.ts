// Which logged request is which request of the page: DevTools and the net log share a clock but no number. Pure.

import type { Capture } from "../../../extension/capture/requests.ts";
import { urlWithoutCredentials, withoutFragment } from "../../../extension/capture/url_without_credentials.ts";
import type { HarEntry } from "../../../schemas/generated/page_load.ts";
import type { LoggedRequest } from "./net_log.ts";

/** Of a request that the page waited for in a queue, the network hears late. */
const patience_ms = 60_000;
/** The log counts whole milliseconds. */
const logAccuracy_ms = 1;

const keyOf = (method: string, url: string): string => `${method} ${withoutFragment(url)}`;

const statusFits = (entry: HarEntry, logged: LoggedRequest): boolean =>
  // A cache that checked whether its response still holds got 304, and the page the response.
  entry.response.status === 0 || logged.status === entry.response.status || logged.status === 304;

/** What a cache of this browser answered was fetched before, by a request without events: a 103's preload, a worker's. */
function fetchedBefore(entry: HarEntry, left: readonly LoggedRequest[]): LoggedRequest | null {
  if (entry._fromCache !== "disk" && entry._fromCache !== "prefetch") return null;
  const key = keyOf(entry.request.method, entry.request.url);
  return (
    left.findLast(
      ({ method, url, status, started_ms }) =>
        keyOf(method, url) === key &&
        status === entry.response.status &&
        started_ms + logAccuracy_ms < entry._trilane.start_ns / 1e6,
    ) ?? null
  );
}

interface Paired {
  /** For each entry, in their order: what was logged of it, or null. */
  readonly ofEntries: readonly (LoggedRequest | null)[];
  /** Answered requests that are no entry's. */
  readonly left: readonly LoggedRequest[];
}

/** DevTools says of a preflight when it is over. */
const isPreflight = (entry: HarEntry): boolean => entry._initiator.type === "preflight";

/** Each entry takes the first answered request of its method and URL that was not begun before it. */
export function pair(entries: readonly HarEntry[], requests: readonly LoggedRequest[]): Paired {
  const answered = requests.filter(({ status }) => status !== null);
  const free = Map.groupBy(answered, ({ method, url }) => keyOf(method, url));
  const ofEntries = entries.map((entry): LoggedRequest | null => {
    const candidates = free.get(keyOf(entry.request.method, entry.request.url)) ?? [];
    const sent_ms = entry._trilane.start_ns / 1e6;
    const index = candidates.findIndex((logged) => {
      const late_ms = logged.started_ms - sent_ms;
      const isNotBefore = late_ms >= -logAccuracy_ms || isPreflight(entry);
      return isNotBefore && Math.abs(late_ms) <= patience_ms && statusFits(entry, logged);
    });
    if (entry._fromCache !== undefined || index < 0) return null;
    return candidates.splice(index, 1)[0] ?? null;
  });
  const taken = new Set(ofEntries);
  const left = new Set(answered.filter((logged) => !taken.has(logged)));
  for (const [index, entry] of entries.entries()) {
    const fetched = ofEntries[index] ? null : fetchedBefore(entry, [...left]);
    if (!fetched) continue;
    ofEntries[index] = fetched;
    left.delete(fetched);
  }
  return { ofEntries, left: [...left] };
}

/**
 * Whether the log begins after the page: a network process that ended takes its log with it, and the next one begins another. A log
 * without any request says nothing.
 */
export function beginsLate(requests: readonly LoggedRequest[], capture: Capture): boolean {
  const logged = new Set(requests.map(({ url }) => withoutFragment(url)));
  const isPage = ({ sent }: Capture["requests"][number]): boolean =>
    sent.frameId === capture.mainFrame && sent.type === "Document";
  const pages = capture.requests.filter(isPage).map(({ sent }) => urlWithoutCredentials(sent.request.url));
  return logged.size > 0 && pages.length > 0 && !pages.some((url) => logged.has(withoutFragment(url)));
}
