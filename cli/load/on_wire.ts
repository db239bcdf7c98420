// Which of a page's entries went to the network, and which of these are the page's own. Pure; judges nothing.
import type { HarEntry } from "../../schemas/generated/page_load.ts";

/** What a service worker answers it had, or asked for by a request of its own, which is another entry. */
export const isFromCache = ({ _fromCache, response }: HarEntry): boolean =>
  _fromCache !== undefined || response._fetchedViaServiceWorker === true;

/** What a network could serve at all: a redirect may lead to an extension of the browser that recorded. */
export const isHttp = ({ request }: HarEntry): boolean => /^https?:/i.test(request.url);

/**
 * A redirect that the browser made up, as a host's HSTS policy or HTTPS record wants it (Chromium's URLRequestRedirectJob). It
 * bears the header on no connection; a recorded one comes over some.
 */
function isInternalRedirect({ _connectionId, response: { headers } }: HarEntry): boolean {
  return _connectionId === undefined && headers.some(({ name }) => name.toLowerCase() === "non-authoritative-reason");
}

/** Requests that were meant for the network. */
export function isOnWire(entry: HarEntry): boolean {
  return !isFromCache(entry) && entry._trilane.blocked === null && !isInternalRedirect(entry);
}

export function isFailed(entry: HarEntry): boolean {
  return entry.response._error !== null && !entry._trilane.canceled && entry._trilane.blocked === null;
}

const headerOf = ({ request: { headers } }: HarEntry, wanted: string): string =>
  headers.find(({ name }) => name.toLowerCase() === wanted)?.value.toLowerCase() ?? "";

/** Where a page's icon is if the page names none. */
function isUsualIcon({ request: { url }, _trilane: { documentUrl } }: HarEntry): boolean {
  return URL.parse("/favicon.ico", documentUrl)?.href === url;
}

/**
 * The page's icon, which the browser fetches for its own tab when the page is loaded: nothing in the page began it, no element
 * waits for it, and it asks for an image.
 */
export function isIcon(entry: HarEntry): boolean {
  if (entry._resourceType !== "other" || entry._initiator.type !== "other" || entry._trilane.frame !== "main")
    return false;
  return (
    headerOf(entry, "sec-fetch-dest") === "image" ||
    headerOf(entry, "accept").startsWith("image/") ||
    isUsualIcon(entry)
  );
}
