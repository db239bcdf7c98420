// Which exchanges of a recording of the wire a replay needs, in which order, and with which page it begins. Neither
// Mahimahi nor Web Page Replay says when an exchange was, nor which page was loaded: both are derived from the messages.
import { withoutFragment } from "../../../extension/capture/url_without_credentials.ts";
import { UserError } from "../../base/errors.ts";
import { isRedirect } from "../archive/recorded_requests.ts";
import { namesIllegalHost } from "./addresses.ts";
import { givenUrl } from "./har.ts";
import { valueIn } from "./http_message.ts";
import type { WireExchange, WireRecording } from "./wire_exchange.ts";

export interface WireSelection {
  readonly url: string;
  readonly kept: readonly WireExchange[];
  readonly skipped: Readonly<Record<string, number>>;
  /** Statuses of the start URL's responses. */
  readonly documents: readonly number[];
  /** Whether the start URL was found out and not given. */
  readonly guessed: boolean;
}

const hrefOf = ({ href }: URL): string => withoutFragment(href);

/** When the response was sent: the server's clock, and how long the response had been in a cache (RFC 9110 6.6.1, 9111 5.1). */
function sent_ms({ responseHeaders }: WireExchange): number {
  const date = Date.parse(valueIn(responseHeaders, "date") ?? "");
  const age = valueIn(responseHeaders, "age") ?? "";
  return Number.isNaN(date) ? Number.NaN : date + (/^\d{1,9}$/.test(age) ? Number(age) * 1000 : 0);
}

/** By the servers' clocks, to a second. Those of one URL stay in the order in which the recorder has them. */
function inOrder(exchanges: readonly WireExchange[]): WireExchange[] {
  const latest = new Map<string, number>();
  let last = Number.NEGATIVE_INFINITY;
  const timed = exchanges.map((exchange, index) => {
    const own = sent_ms(exchange);
    const before = latest.get(exchange.url.href) ?? Number.NEGATIVE_INFINITY;
    const at = Math.max(Number.isNaN(own) ? last : own, before);
    latest.set(exchange.url.href, at);
    last = at;
    return { exchange, at, index };
  });
  return timed
    .toSorted((a, b) => (a.at === b.at ? 0 : a.at - b.at) || a.index - b.index)
    .map(({ exchange }) => exchange);
}

function redirectsTo(exchange: WireExchange): string | null {
  const location = isRedirect(exchange.status) ? valueIn(exchange.responseHeaders, "location") : undefined;
  const url = location === undefined ? null : URL.parse(location, exchange.url.href);
  return url && hrefOf(url);
}

const isPage = (exchange: WireExchange): boolean =>
  exchange.method === "GET" &&
  exchange.status >= 200 &&
  exchange.status < 300 &&
  /^\s*(text\/html|application\/xhtml\+xml)/i.test(valueIn(exchange.responseHeaders, "content-type") ?? "");

/** How much speaks for an exchange being the page that was opened: what its request says, then how many name it. */
function likeliness(exchange: WireExchange, referers: ReadonlyMap<string, number>): number {
  const field = (name: string): string => valueIn(exchange.requestHeaders, name)?.toLowerCase() ?? "";
  let points = 0;
  if (field("sec-fetch-dest") === "document") points += 16;
  if (/^(iframe|frame|object|embed|empty)$/.test(field("sec-fetch-dest"))) points -= 8;
  if (field("referer") === "") points += 4;
  if (field("upgrade-insecure-requests") === "1") points += 2;
  if (field("accept").includes("text/html")) points += 1;
  const named = (referers.get(hrefOf(exchange.url)) ?? 0) + (referers.get(`${exchange.url.origin}/`) ?? 0) / 2;
  return points + (8 * named) / (named + 4);
}

/** The page that was opened, or what redirected to it. */
function likelyStart(kept: readonly WireExchange[]): string {
  const referers = new Map<string, number>();
  for (const { requestHeaders } of kept) {
    const referer = URL.parse(valueIn(requestHeaders, "referer") ?? "");
    if (referer) referers.set(hrefOf(referer), (referers.get(hrefOf(referer)) ?? 0) + 1);
  }
  const pages = kept.filter(isPage).map((exchange) => ({ exchange, points: likeliness(exchange, referers) }));
  const best = pages.reduce((a, b) => (b.points > a.points ? b : a), pages[0] ?? { exchange: null, points: 0 });
  if (!best.exchange) throw new UserError("holds no page (no HTML in answer to GET): give the start URL with --url");
  let url = hrefOf(best.exchange.url);
  const seen = new Set([url]);
  for (;;) {
    const from = kept.find(
      (exchange) =>
        redirectsTo(exchange) === url &&
        !seen.has(hrefOf(exchange.url)) &&
        !valueIn(exchange.requestHeaders, "referer"),
    );
    if (!from) return url;
    url = hrefOf(from.url);
    seen.add(url);
  }
}

function skipReason(exchange: WireExchange): string | null {
  const { status } = exchange;
  if (status === 101) return "websocket";
  if (status < 200) return "informational";
  if (namesIllegalHost(exchange)) return "illegal host";
  // A fresh browser has no cache: it needs the whole response, which is recorded beside this one or not at all.
  return status === 304 ? "not modified" : null;
}

/** `document`: with which of the start URL's responses the load begins, counted from 1. UserError where nothing is to keep. */
export function selectWire(
  recording: WireRecording,
  options: { url: string | undefined; document: number | undefined },
): WireSelection {
  const skipped: Record<string, number> = {};
  const skip = (reason: string, count = 1): void => {
    if (count > 0) skipped[reason] = (skipped[reason] ?? 0) + count;
  };
  for (const [reason, count] of Object.entries(recording.left)) skip(reason, count);
  skip("failed", recording.failedUrls.length);
  const kept: WireExchange[] = [];
  for (const exchange of inOrder(recording.exchanges)) {
    const reason = skipReason(exchange);
    if (reason) skip(reason);
    else kept.push(exchange);
  }
  if (kept.length === 0) throw new UserError("has no HTTP response to replay: record the page again");
  const guessed = options.url === undefined;
  const url = options.url === undefined ? likelyStart(kept) : givenUrl(options.url);
  const documents = kept.filter((exchange) => exchange.method === "GET" && hrefOf(exchange.url) === url);
  const first = documents.findIndex((exchange) => exchange.status === 200 || isRedirect(exchange.status));
  const begin = options.document ?? Math.max(first, 0) + 1;
  if (options.document !== undefined && !documents[begin - 1])
    throw new UserError(`has no response ${begin} to ${url}: it has ${documents.length} (--document)`);
  const before = new Set(documents.slice(0, begin - 1));
  skip("before the document", before.size);
  const opened = documents[begin - 1];
  const rest = kept.filter((exchange) => exchange !== opened && !before.has(exchange));
  return {
    url,
    kept: opened ? [opened, ...rest] : rest,
    skipped,
    documents: documents.map(({ status }) => status),
    guessed,
  };
}
