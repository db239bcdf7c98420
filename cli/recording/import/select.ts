// Which entries of a HAR belong to the recording: those of one page that had a response of their own over HTTP. Every entry
// left out is counted under its reason. Changes no entry.
import { UserError } from "../../base/errors.ts";
import { namesIllegalHost } from "./addresses.ts";
import { type FailureKind, failureKind } from "./failures.ts";
import { type HarEntry, type HarFile, type HarPage, isRecord, numberField, textField } from "./har.ts";

export type SkipReason =
  | "other page"
  | "not http"
  | "websocket"
  | "failed"
  | "informational"
  | "from cache"
  | "not modified"
  | "pushed twice"
  | "tried again"
  | "illegal host"
  | "tunnel"
  | "before the document";

export interface Selection {
  /** Of the page, over HTTP, in the order in which they were sent; those left out for another reason too. */
  readonly sent: readonly HarEntry[];
  readonly kept: readonly HarEntry[];
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** What failed when it was recorded, and how: it will fail again, as it should. */
  readonly failures: Readonly<Record<string, FailureKind>>;
  readonly page: HarPage | null;
}

/** The page asked for, counted from 1. A file without pages is one page, if its URL is given. */
function choosePage(har: HarFile, asked: number | undefined, urlGiven: boolean): HarPage | null {
  const count = har.pages.length;
  if (count === 0) {
    if (urlGiven && (asked ?? 1) === 1) return null;
    throw new UserError(
      "has no page (log.pages is empty): give the page's start URL with --url to take all entries as one",
    );
  }
  const number = asked ?? 1;
  const page = har.pages[number - 1];
  if (!page) throw new UserError(`has no page ${number}: it has ${count === 1 ? "1 page" : `${count} pages`} (--page)`);
  return page;
}

function ofPage(entry: HarEntry, har: HarFile, page: HarPage | null): boolean {
  if (page === null || entry.pageref === page.id) return true;
  // The reference is optional, and needless where there is one page.
  return entry.pageref === null && har.pages.length === 1;
}

const isHttp = ({ url }: HarEntry): boolean => url.protocol === "http:" || url.protocol === "https:";

/** A body or at least its size. */
export const hasContent = ({ content }: HarEntry): boolean =>
  textField(content, "text") !== null || (numberField(content, "size") ?? 0) > 0;

/** Whether the recording browser had the body already, so that sizes say nothing of it. */
export function isFromCache({ raw }: HarEntry): boolean {
  // DevTools ("memory", "disk"), Firefox, browsertime; a service worker answers from its own cache or fetches by itself.
  return (
    Boolean(raw._fromCache) || raw.fromCache === true || raw._cached === true || raw._fetchedViaServiceWorker === true
  );
}

/** Also where only sizes tell: DevTools writes 0 transferred bytes for what its cache had. */
function tookNoTransfer(entry: HarEntry): boolean {
  const { status, response, content } = entry;
  const transferred = numberField(response, "_transferSize");
  const isEmpty = transferred === 0 && numberField(response, "bodySize") === 0;
  return isFromCache(entry) || status === 304 || (isEmpty && (numberField(content, "size") ?? 0) > 0);
}

/** Whether caches answered most of it: when its load event came says nothing then of when it comes on a network. */
export function isMostlyCached(entries: readonly HarEntry[]): boolean {
  const withContent = entries.filter(hasContent);
  return withContent.filter(tookNoTransfer).length * 2 > withContent.length;
}

/** Also where there was a response: one that could not be decoded, or that the browser kept from the page. */
function hasError({ response }: HarEntry): boolean {
  const error = textField(response, "_error");
  // Given up by the page is not failed.
  return error !== null && error !== "net::ERR_ABORTED";
}

/** An extension's doing, most often: no network serves what it leads to, and the browser refuses to go there. */
function leadsNowhere({ status, response }: HarEntry): boolean {
  const target = status >= 300 && status < 400 ? textField(response, "redirectURL") : null;
  return target !== null && /^[a-z][a-z0-9+.-]*:/i.test(target) && !/^https?:/i.test(target);
}

const isPushed = ({ raw }: HarEntry): boolean => raw._was_pushed === 1 || raw._was_pushed === true;

/** What is of no use without a body. */
const usefulTypes =
  /^(text\/(html|css|javascript)|application\/(x-)?(javascript|xhtml\+xml|json)|image\/|font\/|video\/|audio\/)/i;

const headerOf = ({ response }: HarEntry, name: string): string => {
  const { headers } = response;
  const found = Array.isArray(headers)
    ? headers.find((each) => isRecord(each) && String(each.name).trim().toLowerCase() === name)
    : undefined;
  return isRecord(found) ? String(found.value).trim() : "";
};

/** Bytes of a body that the file has as text; null: none, or coded. */
function textBytes({ content }: HarEntry): number | null {
  const text = textField(content, "text");
  return text === null || content.encoding !== undefined ? null : Buffer.byteLength(text);
}

/**
 * Whether the response broke off: a connection that died, after which the browser asked again. By what says that there was to be
 * more of a body than there is.
 */
function isBrokenOff(entry: HarEntry): boolean {
  const { status, method, content } = entry;
  if (method === "HEAD" || status !== 200) return false;
  const length = Number(headerOf(entry, "content-length") || "0");
  const coding = headerOf(entry, "content-encoding");
  if (hasContent(entry)) return coding === "" && (textBytes(entry) ?? length) < length;
  return coding !== "" || length > 0 || usefulTypes.test(textField(content, "mimeType") ?? "");
}

const bodyOf = ({ request }: HarEntry): string => JSON.stringify(isRecord(request.postData) ? request.postData : null);

/** A whole answer to the same request, later. */
function isTriedAgain(entry: HarEntry, alternatives: readonly HarEntry[]): boolean {
  if (!isBrokenOff(entry)) return false;
  return alternatives.some(
    (other) =>
      other.index > entry.index &&
      other.method === entry.method &&
      other.status === 200 &&
      hasContent(other) &&
      !isBrokenOff(other) &&
      bodyOf(other) === bodyOf(entry),
  );
}

function skipReason(entry: HarEntry, alternatives: readonly HarEntry[]): SkipReason | null {
  if (entry.status === 101) return "websocket";
  if (entry.method === "CONNECT") return "tunnel";
  if (entry.status <= 0 || entry.status > 999) return "failed";
  if (entry.status < 200) return "informational";
  if (namesIllegalHost(entry)) return "illegal host";
  const elsewhere = (fits: (other: HarEntry) => boolean): boolean =>
    alternatives.some((other) => other !== entry && other.method === entry.method && fits(other));
  const complete = (other: HarEntry): boolean =>
    other.status >= 200 && other.status !== 304 && !isFromCache(other) && !other.response._error;
  if (isPushed(entry) && elsewhere((other) => complete(other) && !isPushed(other))) return "pushed twice";
  // A fresh browser has no cache: it needs the response once, also where the recording browser had it already.
  if (isFromCache(entry) && (elsewhere(complete) || !hasContent(entry))) return "from cache";
  // Without a body it is for who asks on a condition, as scripts may.
  if (entry.status === 304 && elsewhere(complete)) return "not modified";
  if (isTriedAgain(entry, alternatives)) return "tried again";
  return null;
}

/** Stable: entries whose time is not known stay behind the one they follow in the file. */
function bySendTime(entries: readonly HarEntry[]): HarEntry[] {
  let last = Number.NEGATIVE_INFINITY;
  const timed = entries.map((entry) => {
    last = entry.started_ms ?? last;
    return { entry, at: last };
  });
  return timed.toSorted((a, b) => a.at - b.at || a.entry.index - b.entry.index).map(({ entry }) => entry);
}

/** `page` counts from 1. UserError where there is no such page, or nothing of it to keep. */
export function selectEntries(har: HarFile, options: { page: number | undefined; urlGiven: boolean }): Selection {
  const page = choosePage(har, options.page, options.urlGiven);
  const skipped: Partial<Record<SkipReason, number>> = {};
  const skip = (reason: SkipReason): void => {
    skipped[reason] = (skipped[reason] ?? 0) + 1;
  };
  const sent: HarEntry[] = [];
  for (const entry of har.entries) {
    if (!ofPage(entry, har, page)) skip("other page");
    else if (entry.url.protocol === "ws:" || entry.url.protocol === "wss:") skip("websocket");
    else if (!isHttp(entry)) skip("not http");
    else sent.push(entry);
  }
  const byUrl = Map.groupBy(sent, ({ url }) => url.href);
  const kept: HarEntry[] = [];
  const failures: Record<string, FailureKind> = {};
  for (const entry of bySendTime(sent)) {
    const reason = skipReason(entry, byUrl.get(entry.url.href) ?? []);
    if (reason === "failed" || hasError(entry) || leadsNowhere(entry)) failures[entry.url.href] ??= failureKind(entry);
    if (reason) skip(reason);
    else kept.push(entry);
  }
  if (kept.length === 0) {
    const reasons = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
    throw new UserError(`has no HTTP response to replay (${reasons.join(", ")}): record the page again`);
  }
  return { sent: bySendTime(sent), kept, skipped, failures, page };
}
