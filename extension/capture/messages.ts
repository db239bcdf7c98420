// The parts of HTTP messages that HAR lists apart: headers, cookies, query. No request's state.
import type { HarCookie, HarEntry, HarHeader } from "../../schemas/generated/page_load.ts";

type HarRequest = HarEntry["request"];

/** DevTools joins a header that came several times with newlines. */
export function headersOf(headers: Readonly<Record<string, string>>): HarHeader[] {
  return Object.entries(headers).flatMap(([name, values]) => values.split("\n").map((value) => ({ name, value })));
}

/** Names and values from the headers `cookie` or `set-cookie`; attributes are left in the header. */
export function cookiesOf(headers: readonly HarHeader[], header: "cookie" | "set-cookie"): HarCookie[] {
  return headers
    .filter(({ name }) => name.toLowerCase() === header)
    .flatMap(({ value }) => (header === "cookie" ? value.split(";") : [value.split(";", 1)[0] ?? ""]))
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=");
      return equals < 0 ? { name: "", value: pair } : { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
    });
}

export function queryOf(url: string): HarHeader[] {
  const start = url.indexOf("?");
  if (start < 0) return [];
  const end = url.indexOf("#", start);
  const query = url.slice(start + 1, end < 0 ? undefined : end);
  return [...new URLSearchParams(query)].map(([name, value]) => ({ name, value }));
}

/** A request as HAR has it. Sizes that are not known are -1. */
export function harRequest(
  method: string,
  url: string,
  httpVersion: string,
  headers: HarHeader[],
  { postData, headersSize = -1, bodySize = -1 }: Partial<HarRequest> = {},
): HarRequest {
  return {
    ...{ method, url, httpVersion, cookies: cookiesOf(headers, "cookie"), headers, queryString: queryOf(url) },
    ...(postData ? { postData } : {}),
    ...{ headersSize, bodySize },
  };
}

export const headerValue = (headers: readonly HarHeader[], wanted: string): string | undefined =>
  headers.find(({ name }) => name.toLowerCase() === wanted)?.value;

/** Of Firefox's errors: the request was never sent, by a policy of the page or of the browser. */
export const isBlockedError = (error: string | null): boolean =>
  error !== null && /^NS_ERROR_(CONTENT_BLOCKED|BLOCKED_\w+|CSP_\w+|TRACKING_URI|MALWARE_URI|PHISHING_URI)/.test(error);

/**
 * For a browser that names no initiators: a style sheet is the referrer of what it requests. For all else that is the document, whatever
 * requested it.
 */
export function withStyleSheets(entries: readonly HarEntry[]): HarEntry[] {
  const sheets = new Set(
    entries.flatMap(({ request, _resourceType }) => (_resourceType === "stylesheet" ? [request.url] : [])),
  );
  return entries.map((entry) => {
    const url = headerValue(entry.request.headers, "referer");
    return url !== undefined && sheets.has(url) ? { ...entry, _initiator: { type: "parser", url } } : entry;
  });
}
