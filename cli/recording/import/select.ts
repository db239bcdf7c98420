// Which entries of a HAR belong to the recording: those of one page that had a response of their own over HTTP. Every entry
// left out is counted under its reason. Changes no entry.
import { hintInitiator } from "../../../extension/capture/early_hints.ts";
import { UserError } from "../../base/errors.ts";
import { isRecord, numberField, textField } from "../../base/json_fields.ts";
import { namesIllegalHost } from "./addresses.ts";
import { findPage, insteadOfPage } from "./find_page.ts";
import { type HarEntry, type HarFile, type HarPage, headersOf } from "./har.ts";
import { legalPath } from "./headers.ts";
import { type FailureKind, failureKind, type Skipped, type SkipReason, skippedWords } from "./skip_words.ts";

export interface Selection {
  /** Of the page, over HTTP, in the order in which they were sent; those left out for another reason too. */
  readonly sent: readonly HarEntry[];
  readonly kept: readonly HarEntry[];
  readonly skipped: Skipped;
  /** What failed when it was recorded, and how: it will fail again, as it should. */
  readonly failures: Readonly<Record<string, FailureKind>>;
  readonly page: HarPage | null;
  /** For a reader: how the page was chosen; null: as usual. */
  readonly remark: string | null;
}

/** A file without a page; who knows the file says what to do with it. */
export class NoPageError extends UserError {
  readonly canBeFetched: boolean;

  constructor(words: string, canBeFetched: boolean) {
    super(`${words}, no page`);
    this.canBeFetched = canBeFetched;
  }
}

/** An entry is sent a little before its page is said to begin. */
const pageSlack_ms = 100;

/** Which page each entry is of: as it says, else by the only page, a page's URL, or when it was sent; null: it is not known. */
function pagesOf(har: HarFile): ReadonlyMap<HarEntry, HarPage | null> {
  const { pages, entries } = har;
  const byId = new Map(pages.toReversed().map((page) => [page.id, page]));
  const only = pages.length === 1 ? (pages[0] ?? null) : null;
  const started = pages.filter(({ started_ms }) => started_ms !== null);
  const bySent = ({ started_ms }: HarEntry): HarPage | null =>
    started_ms === null
      ? null
      : (started.findLast((page) => (page.started_ms ?? 0) <= started_ms + pageSlack_ms) ?? null);
  // Those with one reference are of one page, whatever it is called.
  const strays = entries.filter(({ pageref }) => pageref !== null && !byId.has(pageref));
  const ofStray = new Map<string | null, HarPage>();
  for (const { pageref, url } of strays) {
    const page = pages.find((candidate) => candidate.url !== null && withoutHash(candidate.url) === withoutHash(url));
    if (page && !ofStray.has(pageref)) ofStray.set(pageref, page);
  }
  return new Map(
    entries.map((entry) => {
      const named = entry.pageref === null ? undefined : byId.get(entry.pageref);
      return [entry, named ?? only ?? ofStray.get(entry.pageref) ?? bySent(entry)];
    }),
  );
}

const withoutHash = ({ origin, pathname, search }: URL): string => `${origin}${pathname}${search}`;

interface ChosenPage {
  readonly page: HarPage | null;
  readonly has: (entry: HarEntry) => boolean;
  /** For a reader: why this one; null: as usual. */
  readonly remark: string | null;
}

/** Of a file that names no page. */
function foundPage(har: HarFile, given: number | undefined, url: string | undefined): ChosenPage {
  if ((given ?? 1) !== 1) throw new UserError(`has no page ${given}: it names none (--url)`);
  const found = findPage(bySendTime(har.entries.filter(isHttp)), url);
  if (found) {
    const { page, entries } = found;
    const remark =
      url === undefined
        ? `the file names no page: taken to be ${page.url?.href}, its first HTML document (--url)`
        : null;
    return { page, has: (entry) => entries.has(entry), remark };
  }
  if (url !== undefined) return { page: null, has: () => true, remark: null };
  const { words, canBeFetched } = insteadOfPage(har);
  throw new NoPageError(words, canBeFetched);
}

/** The page requested, counted from 1; if none is, the first that has a response. */
function choosePage(har: HarFile, given: number | undefined, url: string | undefined): ChosenPage {
  const amount = har.pages.length;
  if (amount === 0) return foundPage(har, given, url);
  const pages = pagesOf(har);
  const answered = new Set([...pages].filter(([entry]) => isHttp(entry) && entry.status > 0).map(([, page]) => page));
  const first = har.pages.findIndex((page) => answered.has(page));
  // The file does not say which page anything is of.
  if (given === undefined && first < 0 && answered.has(null)) return foundPage(har, given, url);
  const page = har.pages[(given ?? Math.max(first, 0) + 1) - 1];
  if (!page)
    throw new UserError(`has no page ${given}: it has ${amount === 1 ? "1 page" : `${amount} pages`} (--page)`);
  const remark =
    given === undefined && first > 0
      ? `page ${first + 1} of the file: those before it have no response (--page)`
      : null;
  return { page, has: (entry) => pages.get(entry) === page, remark };
}

const isHttp = ({ url }: HarEntry): boolean => url.protocol === "http:" || url.protocol === "https:";

/** A body or at least its size. */
export const hasContent = ({ content }: HarEntry): boolean =>
  textField(content, "text") !== null || (numberField(content, "size") ?? 0) > 0;

/** Whether the recording browser had the body already, so that sizes say nothing of it. */
export function isFromCache({ raw }: HarEntry): boolean {
  // DevTools ("memory", "disk"), Safari, Firefox, browsertime; a service worker answers from its own cache or fetches by itself.
  return (
    Boolean(raw._fromCache) ||
    (typeof raw._fetchType === "string" && raw._fetchType.endsWith("Cache")) ||
    raw.fromCache === true ||
    raw._cached === true ||
    raw._fetchedViaServiceWorker === true
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

/** How many URLs only a cache answered, or confirmed by 304: the browser that recorded had them from before. A service worker's are none. */
export function cachedBefore(entries: readonly HarEntry[]): number {
  // A server may send a 304 to who did not ask on a condition, and then nothing was in a cache.
  const isConfirmed = (entry: HarEntry): boolean =>
    entry.status === 304 &&
    (hasContent(entry) ||
      headersOf(entry, "request").some(({ name }) => /^if-(none-match|modified-since)$/i.test(name)));
  const fromCache = (entry: HarEntry): boolean =>
    isConfirmed(entry) || (isFromCache(entry) && entry.raw._fetchedViaServiceWorker !== true);
  return [...Map.groupBy(entries, ({ url }) => url.href).values()].filter((ofUrl) => ofUrl.every(fromCache)).length;
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

/** Fetched because of a 103 (Early Hints). */
const isHinted = ({ raw }: HarEntry): boolean => isRecord(raw._initiator) && raw._initiator.type === hintInitiator;

/** What is of no use without a body. */
const usefulTypes =
  /^(text\/(html|css|javascript)|application\/(x-)?(javascript|xhtml\+xml|json)|image\/|font\/|video\/|audio\/)/i;

const headerOf = (entry: HarEntry, name: string): string =>
  headersOf(entry, "response")
    .find((header) => header.name.trim().toLowerCase() === name)
    ?.value.trim() ?? "";

/** Bytes of a body that the file has as text; null: none, or coded. */
function textBytes({ content }: HarEntry): number | null {
  const text = textField(content, "text");
  return text === null || content.encoding !== undefined ? null : Buffer.byteLength(text);
}

const isOk = ({ status }: HarEntry): boolean => status === 200 || status === 203;

/**
 * Whether the response broke off: a connection that died, after which the browser sent it again. By what says that there was to be
 * more of a body than there is.
 */
function isBrokenOff(entry: HarEntry): boolean {
  const { method, content } = entry;
  if (method === "HEAD" || !isOk(entry) || isFromCache(entry) || entry.wire?.body) return false;
  const length = Number(headerOf(entry, "content-length") || "0");
  const coding = headerOf(entry, "content-encoding");
  if (textField(content, "text") !== null) return coding === "" && (textBytes(entry) ?? length) < length;
  return hasContent(entry) || coding !== "" || length > 0 || usefulTypes.test(textField(content, "mimeType") ?? "");
}

const bodyOf = ({ request }: HarEntry): string => JSON.stringify(request.postData ?? null);

/** The whole of what broke off: its text, or in a file without bodies at least a size. */
function isWhole(entry: HarEntry, broken: HarEntry): boolean {
  if (!isOk(entry) || hasError(entry)) return false;
  if (textField(entry.content, "text") !== null) return !isBrokenOff(entry);
  return hasContent(entry) && !hasContent(broken);
}

/** A whole answer to the same request. */
function isTriedAgain(entry: HarEntry, alternatives: readonly HarEntry[]): boolean {
  if (!isBrokenOff(entry)) return false;
  return alternatives.some(
    (other) =>
      other !== entry && other.method === entry.method && isWhole(other, entry) && bodyOf(other) === bodyOf(entry),
  );
}

function skipReason(entry: HarEntry, alternatives: readonly HarEntry[]): SkipReason | null {
  if (entry.status === 101) return "websocket";
  if (entry.method === "CONNECT") return "tunnel";
  if (entry.unanswered !== null) return entry.unanswered;
  if (entry.status <= 0 || entry.status > 999) return "failed";
  if (!legalPath.test(`${entry.url.pathname}${entry.url.search}`)) return "bad path";
  if (entry.status < 200) return "informational";
  if (namesIllegalHost(entry)) return "illegal host";
  const elsewhere = (fits: (other: HarEntry) => boolean): boolean =>
    alternatives.some((other) => other !== entry && other.method === entry.method && fits(other));
  const complete = (other: HarEntry): boolean =>
    other.status >= 200 && other.status !== 304 && !isFromCache(other) && !other.response._error;
  if (isPushed(entry) && elsewhere((other) => complete(other) && !isPushed(other))) return "pushed twice";
  if (isHinted(entry) && elsewhere((other) => complete(other) && !isHinted(other))) return "preloaded twice";
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

const failedReasons: ReadonlySet<SkipReason> = new Set(["failed", "no response", "no status"]);

/**
 * `page` counts from 1; `url` is the start URL, if the user gave it.
 * @throws UserError if there is no such page, or nothing of it to keep.
 */
export function selectEntries(
  har: HarFile,
  options: { page: number | undefined; url?: string | undefined },
): Selection {
  const { page, has, remark } = choosePage(har, options.page, options.url);
  const skipped: Partial<Record<SkipReason, number>> = {};
  const skip = (reason: SkipReason): void => {
    skipped[reason] = (skipped[reason] ?? 0) + 1;
  };
  for (const { fault, pageref } of har.faulty) {
    const isOther =
      page !== null && pageref !== null && pageref !== page.id && har.pages.some(({ id }) => id === pageref);
    skip(isOther ? "other page" : fault);
  }
  const sent: HarEntry[] = [];
  for (const entry of har.entries) {
    if (!has(entry)) skip("other page");
    else if (entry.url.protocol === "ws:" || entry.url.protocol === "wss:") skip("websocket");
    else if (!isHttp(entry)) skip("not http");
    else sent.push(entry);
  }
  const byUrl = Map.groupBy(sent, ({ url }) => url.href);
  const kept: HarEntry[] = [];
  const failures: Record<string, FailureKind> = {};
  for (const entry of bySendTime(sent)) {
    const reason = skipReason(entry, byUrl.get(entry.url.href) ?? []);
    const isFailed = reason !== null && failedReasons.has(reason);
    if (isFailed || hasError(entry) || leadsNowhere(entry)) failures[entry.url.href] ??= failureKind(entry);
    if (reason) skip(reason);
    else kept.push(entry);
  }
  // What was tried again with success does not fail in a load.
  for (const entry of kept) if (isOk(entry) && !hasError(entry) && hasContent(entry)) delete failures[entry.url.href];
  if (kept.length === 0) {
    throw new UserError(`has no HTTP response to replay (${skippedWords(skipped)}): record the page again`);
  }
  return { sent: bySendTime(sent), kept, skipped, failures, page, remark };
}
