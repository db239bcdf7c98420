// Requests that a 103 (Early Hints) had the browser make before the page was there. DevTools has no events of them: only the server
// saw them, and the page takes their answers from the cache. As entries of the page load, with the server's times. Pure.
import {
  type HintedPreload,
  hintedPreloads,
  hintInitiator,
  resourceTypeOf,
} from "../../extension/capture/early_hints.ts";
import { queryOf } from "../../extension/capture/messages.ts";
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import type { ReplayedRequest } from "./reports.ts";
import { type Joined, servedProtocol, type ToWireUrl } from "./served_requests.ts";

interface Hint {
  readonly preload: HintedPreload;
  /** The entry that the 103 came before. */
  readonly document: HarEntry;
}

function hintsOf(entries: readonly HarEntry[], wireUrl: ToWireUrl): ReadonlyMap<string, Hint> {
  return new Map(
    entries.flatMap((document) =>
      hintedPreloads(document._early_hint_headers ?? [], document.request.url).map((preload): [string, Hint] => [
        wireUrl(preload.url),
        { preload, document },
      ]),
    ),
  );
}

const plainRequest = (url: string): HarEntry["request"] => ({
  ...{ method: "GET", url, httpVersion: "", cookies: [], headers: [], queryString: queryOf(url) },
  ...{ headersSize: -1, bodySize: 0 },
});

const plainResponse = (status: number): HarEntry["response"] => ({
  ...{ status, statusText: "", httpVersion: "", cookies: [], headers: [], content: { size: 0, mimeType: "x-unknown" } },
  ...{ redirectURL: "", headersSize: -1, bodySize: -1, _transferSize: 0, _error: null },
});

const since_ms = (from_ns: number, to_ns: number): number => Math.max(0, (to_ns - from_ns) / 1e6);

function entryOf(
  request: ReplayedRequest,
  { preload, document }: Hint,
  used: HarEntry | undefined,
  protocol: string | null,
): HarEntry {
  const { request_ns, first_byte_ns, end_ns, status, body_bytes, complete } = request;
  const began_ms = (request_ns - document._trilane.start_ns) / 1e6;
  const end = end_ns ?? first_byte_ns ?? request_ns;
  const wait = since_ms(request_ns, first_byte_ns ?? end);
  const receive = since_ms(first_byte_ns ?? end, end);
  const answered = used?._protocol ?? protocol;
  return {
    pageref: document.pageref,
    startedDateTime: new Date(Date.parse(document.startedDateTime) + began_ms).toISOString(),
    time: wait + receive,
    request: used?.request ?? plainRequest(preload.url),
    response: { ...(used?.response ?? plainResponse(status ?? 0)), _transferSize: body_bytes },
    cache: {},
    timings: { blocked: 0, dns: -1, connect: -1, ssl: -1, send: 0, wait, receive, _blocked_queueing: -1 },
    ...(answered ? { _protocol: answered } : {}),
    _resourceType: used?._resourceType ?? resourceTypeOf(preload),
    _initiator: { type: hintInitiator, url: document.request.url },
    _trilane: {
      requestId: `${document._trilane.requestId} 103 ${request_ns}`,
      frame: "main",
      documentUrl: document.request.url,
      start_ns: request_ns,
      startOffset_ms: document._trilane.startOffset_ms + began_ms,
      response_ns: first_byte_ns,
      end_ns,
      complete,
      canceled: false,
      blocked: null,
      connectionReused: null,
      serverPort: used?._trilane.serverPort ?? null,
    },
  };
}

/** Of the requests that are no entry's. One that the page makes once more is a preload, too. */
export function hintedPreloadsOf(joined: Joined, wireUrl: ToWireUrl): HarEntry[] {
  const entries = joined.served.map(({ entry }) => entry);
  const hints = hintsOf(entries, wireUrl);
  return joined.left.flatMap((request) => {
    const hint = request.method === "GET" && !request.websocket ? hints.get(request.url) : undefined;
    if (!hint || request.request_ns < hint.document._trilane.start_ns) return [];
    const used = entries.find((entry) => entry._fromCache !== undefined && wireUrl(entry.request.url) === request.url);
    return [entryOf(request, hint, used, joined.connections && servedProtocol(request, joined.connections))];
  });
}
