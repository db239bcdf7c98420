// From a page load, of a HAR or recorded live, to a recording: start URL, exchanges with their bodies as on the wire, and notes
// that count all that was changed, made up or left out. Pure: reads no file, writes no archive, and the same load gives the
// same recording.
import { urlWithoutCredentials, withoutFragment } from "../../../extension/capture/url_without_credentials.ts";
import { UserError } from "../../base/errors.ts";
import { isRecord, type JsonRecord, textField } from "../../base/json_fields.ts";
import { count } from "../../base/numbers.ts";
import type { Device } from "../../browser/device.ts";
import type { Exchange, Header, NewExchange } from "../archive/archive.ts";
import { isRedirect } from "../archive/recorded_requests.ts";
import { Addresses, hostOf } from "./addresses.ts";
import { type Body, bodyOf, bodySize, charsetParameter, isTooLarge } from "./body.ts";
import { deviceOf } from "./device.ts";
import { pictureDimensions } from "./dimensions.ts";
import { givenUrl, type HarEntry, type HarFile, type HarPage, headersOf, readHarFile } from "./har.ts";
import { HarCertificates } from "./har_certificates.ts";
import { type Credentials, cleanHeaders, headerValue } from "./headers.ts";
import { joinParts } from "./joined_parts.ts";
import { type ImportNotes, NoteCounter } from "./notes.ts";
import { recordedHints, recordedOf } from "./recorded.ts";
import { RoundTrips } from "./round_trips.ts";
import { cachedBefore, hasContent, isMostlyCached, type Selection, selectEntries } from "./select.ts";
import { ServerTimes } from "./server_times.ts";
import { bodySizeHasHeaders } from "./transfer_size.ts";
import type { LargeBody } from "./wire_exchange.ts";

export interface ImportOptions {
  /** Counted from 1; the first where it is left out. */
  readonly page?: number | undefined;
  /** The start URL, for a HAR that does not name its pages, or names them wrongly. */
  readonly url?: string | undefined;
  /** With which of the start URL's responses the recording begins, counted from 1; the first where it is left out. */
  readonly document?: number | undefined;
  /** Whether the browser was behind a slow link, where responses of all connections waited in one queue. */
  readonly oneQueue?: boolean | undefined;
  /** What the page load was recorded with, as the recording's source; default "har: " and the file's producer. */
  readonly source?: string | undefined;
  /** On which its loads are to be made; what is left out is found out. */
  readonly device?: Partial<Device> | undefined;
  /** Default: redacted. */
  readonly credentials?: Credentials | undefined;
  /** What reading the file had to say of it. */
  readonly remarks?: readonly string[] | undefined;
  /** Called after each exchange: compressing hundreds of bodies takes a while. */
  readonly onExchange?: ((done: number, total: number) => void) | undefined;
}

export interface ImportedPage {
  readonly url: string;
  /** "har: Chrome 131". */
  readonly source: string;
  /** When the page load began, ISO 8601, UTC; null: the HAR does not say. */
  readonly recorded_at: string | null;
  readonly exchanges: readonly NewExchange[];
  /** Bodies of exchanges that are not in memory, and so not in the exchanges. */
  readonly large: ReadonlyMap<NewExchange, LargeBody>;
  readonly notes: ImportNotes;
}

const hrefOf = ({ href }: URL): string => withoutFragment(href);

/** Null for a year that has not four digits, too: nothing was recorded then. */
function isoTime(time_ms: number | null): string | null {
  const text = time_ms === null ? null : new Date(time_ms).toISOString();
  return text?.length === 24 ? text : null;
}

/** For a reader: the page's URL was not recorded (the network panel was opened late), and another one is loaded in its place. */
function startRemark({ sent, page }: Selection, url: string): string[] {
  const named = page?.url ? hrefOf(page.url) : null;
  const isRecorded = named === null || sent.some((entry) => hrefOf(entry.url) === named);
  return isRecorded
    ? []
    : [`the page's own URL, ${named}, is not among the entries: its load begins with ${url} (--url)`];
}

/** The URL that a browser is to open. */
function startUrl({ sent, kept, page }: Selection, given: string | undefined): string {
  if (given !== undefined) return givenUrl(given);
  const [first] = sent;
  // DevTools names a page by where its redirects led; the load began before them.
  if (first && isRedirect(first.status) && kept.includes(first)) return hrefOf(first.url);
  const named = page?.url ? hrefOf(page.url) : null;
  if (named && (!first || sent.some(({ url }) => hrefOf(url) === named))) return named;
  if (first) return hrefOf(first.url);
  throw new UserError("has no start URL: give it with --url");
}

interface Beginning {
  readonly kept: readonly HarEntry[];
  /** Entries before the one it begins with. */
  readonly before: number;
  /** Statuses of all the start URL's responses, in order. */
  readonly documents: readonly number[];
}

/**
 * A site that lets a browser in by a script (a challenge: 202, 403, 429, 503) answers its start URL twice. In a replay the
 * script does not reach its server and the page would stay the challenge, so the load begins with the answer that is a page.
 */
function beginAt(kept: readonly HarEntry[], url: string, given: number | undefined): Beginning {
  const documents = kept.filter((entry) => entry.method === "GET" && hrefOf(entry.url) === url);
  const statuses = documents.map(({ status }) => status);
  const page = statuses.findIndex((status) => status === 200 || (status >= 300 && status < 400));
  const begin = given ?? Math.max(page, 0) + 1;
  if (begin === 1) return { kept, before: 0, documents: statuses };
  const first = documents[begin - 1];
  if (!first) throw new UserError(`has no response ${begin} to ${url}: it has ${documents.length} (--document)`);
  const before = kept.indexOf(first);
  return { kept: kept.slice(before), before, documents: statuses };
}

/** As a form sends them. */
function formText(params: readonly unknown[]): string {
  const pairs = params
    .filter(isRecord)
    .map((param): [string, string] => [textField(param, "name") ?? "", String(param.value ?? "")]);
  return new URLSearchParams(pairs).toString();
}

function requestBody({ request }: HarEntry): Buffer | undefined {
  const post: JsonRecord = isRecord(request.postData) ? request.postData : {};
  const { text, params } = post;
  if (typeof text === "string" && text !== "")
    return Buffer.from(text, post.encoding === "base64" || post._encoding === "base64" ? "base64" : "utf8");
  const isForm = /x-www-form-urlencoded/i.test(textField(post, "mimeType") ?? "");
  return isForm && Array.isArray(params) && params.length > 0 ? Buffer.from(formText(params)) : undefined;
}

/** The response's headers as they fit the body that is stored. */
function responseHeaders(entry: HarEntry, cleaned: readonly Header[], body: Body): Header[] {
  const headers: Header[] = [];
  for (const [name, value] of cleaned) {
    if (name === "content-encoding" && !body.asOnWire) continue;
    if (name === "content-type" && body.charset && charsetParameter(value) !== body.charset)
      headers.push([name, `${value.split(";")[0]?.trim()}; charset=${body.charset}`]);
    else headers.push([name, value]);
  }
  if (body.encoding && !body.asOnWire) headers.push(["content-encoding", body.encoding]);
  const redirect = textField(entry.response, "redirectURL");
  if (isRedirect(entry.status) && redirect && headerValue(headers, "location") === undefined)
    headers.push(
      ...cleanHeaders([{ name: "location", value: urlWithoutCredentials(redirect) }], "response", "kept").headers,
    );
  // A HAR whose headers were taken out for privacy still says what the bodies are.
  const type = textField(entry.content, "mimeType");
  if (cleaned.length === 0 && type?.includes("/") && bodySize(body) > 0)
    headers.push(...cleanHeaders([{ name: "content-type", value: type }], "response", "kept").headers);
  return headers;
}

interface Page {
  readonly page: HarPage | null;
  readonly addresses: Addresses;
  readonly dimensionsOf: ReturnType<typeof pictureDimensions>;
  readonly bodySizeHasHeaders: boolean;
  readonly certificates: HarCertificates;
  readonly roundTrips: RoundTrips;
  readonly serverTimes: ServerTimes;
  readonly large: Map<NewExchange, LargeBody>;
  readonly credentials: Credentials;
  readonly notes: NoteCounter;
}

/** With content-length, which is taken out of what is replayed but says the size. */
const asRecorded = (entry: HarEntry): Header[] =>
  headersOf(entry, "response").map(({ name, value }): Header => [name.trim().toLowerCase(), value.trim()]);

function importEntry(entry: HarEntry, context: Page): NewExchange {
  const { page, addresses, dimensionsOf, bodySizeHasHeaders, certificates, roundTrips } = context;
  const { serverTimes, large, credentials, notes } = context;
  const { wire } = entry;
  const request = cleanHeaders(headersOf(entry, "request"), "request", credentials);
  const recordedHeaders = headersOf(entry, "response");
  const cleaned = cleanHeaders(recordedHeaders, entry.method === "HEAD" ? "answer to HEAD" : "response", credentials);
  const lowerCased = asRecorded(entry);
  const body = bodyOf(entry, lowerCased, {
    bodySizeHasHeaders,
    dimensions: dimensionsOf(entry),
    wireBody: wire?.body ?? null,
  });
  const { url } = entry;
  const https = url.protocol === "https:";
  const address = addresses.of(entry);
  const server_time_ms = serverTimes.of(entry);
  const exchange: Exchange = {
    method: entry.method,
    scheme: https ? "https" : "http",
    host: hostOf(entry),
    port: url.port === "" ? (https ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    request_headers: request.headers,
    address: address.given,
    // A fresh browser asks for the whole, so it gets the whole.
    status: entry.status === 304 && hasContent(entry) ? 200 : entry.status,
    response_headers: responseHeaders(entry, cleaned.headers, body),
    body_origin: bodySize(body) > 0 ? body.origin : "empty",
    recorded: recordedOf({
      ...{ entry, body, page, address },
      certificate: certificates.of(entry),
      rtt_ms: roundTrips.of(entry),
      server_time_ms,
      hints: recordedHints(entry, server_time_ms, credentials),
      unsent: cleaned.unsent,
    }),
  };
  notes.add({
    ...{ entry, body, exchange, recordedHeaders: lowerCased },
    illegalHeaders: request.illegal + cleaned.illegal,
    redactedHeaders: request.redacted + cleaned.redacted,
  });
  const added: NewExchange = { exchange, body: body.bytes, requestBody: requestBody(entry) };
  if (body.large) large.set(added, body.large);
  return added;
}

/** What of the page is more than requests and answers. */
function messageRemarks(
  all: readonly HarEntry[],
  kept: readonly HarEntry[],
  exchanges: readonly NewExchange[],
): string[] {
  const hinted = exchanges.filter(({ exchange }) => exchange.recorded.early_hints !== undefined);
  const messages = all.reduce((sum, { raw }) => {
    const list = raw._webSocketMessages;
    return sum + (Array.isArray(list) ? list.length : 0);
  }, 0);
  const streams = kept.filter((entry) =>
    /^text\/event-stream/i.test(headerValue(asRecorded(entry), "content-type") ?? ""),
  );
  const partly = kept.filter(({ wire }) => wire?.isReadPartly);
  return [
    ...(partly.length > 0
      ? [`${count(partly.length, "body", "bodies")} not read to the end by the page: stored as far as received`]
      : []),
    ...(hinted.length > 0
      ? [
          `${count(hinted.length, "answer")} with Early Hints (103) before: replayed on all lanes, ahead of it with --think recorded`,
        ]
      : []),
    ...(messages > 0
      ? [`${count(messages, "WebSocket message")} not replayed: the lab answers no socket, on any lane`]
      : []),
    ...(streams.length > 0
      ? [`${count(streams.length, "event stream")} replayed as one body: its messages come at once, on all lanes alike`]
      : []),
  ];
}

/** UserError for what is no HAR or lacks what a recording needs; its message names the entry, not the file. */
export function importHar(json: unknown, options: ImportOptions = {}): ImportedPage {
  return importPage(readHarFile(json), options);
}

/** The same of what was read already, or was never JSON. */
export function importPage(har: HarFile, options: ImportOptions = {}): ImportedPage {
  const selection = selectEntries(har, { page: options.page, url: options.url });
  const url = startUrl(selection, options.url);
  const begun = beginAt(selection.kept, url, options.document);
  const { before, documents } = begun;
  const hasHeaders = bodySizeHasHeaders(begun.kept, har.producer);
  const kept = begun.kept.filter((entry) => !isTooLarge(entry, asRecorded(entry), hasHeaders));
  const tooLarge = begun.kept.length - kept.length;
  if (kept.length === 0) throw new UserError("has no response of a size that a page can have: record the page again");
  const notes = new NoteCounter();
  const roundTrips = new RoundTrips(kept);
  const page: Page = {
    page: selection.page,
    addresses: new Addresses(kept),
    dimensionsOf: pictureDimensions(kept),
    bodySizeHasHeaders: hasHeaders,
    certificates: new HarCertificates(har.entries),
    roundTrips,
    serverTimes: new ServerTimes(kept, roundTrips, options.oneQueue ?? false),
    large: new Map(),
    credentials: options.credentials ?? "redacted",
    notes,
  };
  const exchanges = kept.map((entry, index) => {
    const exchange = importEntry(entry, page);
    options.onExchange?.(index + 1, kept.length);
    return exchange;
  });
  return {
    url,
    source: options.source ?? `har: ${har.producer}`,
    recorded_at: isoTime(selection.page?.started_ms ?? null),
    exchanges: joinParts(exchanges),
    large: page.large,
    notes: notes.finish({
      entries: har.entries.length + har.faulty.length,
      pages: har.pages.length,
      skipped: {
        ...selection.skipped,
        ...(tooLarge > 0 ? { "too large": tooLarge } : {}),
        ...(before > 0 ? { "before the document": before } : {}),
      },
      failures: selection.failures,
      addresses: page.addresses.counts,
      documents,
      loadEvent_ms: selection.page?.load_event_ms ?? null,
      mostlyCached: isMostlyCached(kept),
      cachedBefore: cachedBefore(selection.sent),
      roundTrips: roundTrips.counts,
      device: { ...deviceOf(kept, selection.page), ...options.device },
      methodsGuessed: kept.filter(({ isMethodGuessed }) => isMethodGuessed).length,
      remarks: [
        ...(selection.remark === null ? [] : [selection.remark]),
        ...(options.url === undefined ? startRemark(selection, url) : []),
        ...messageRemarks(har.entries, kept, exchanges),
        ...(options.remarks ?? []),
      ],
    }),
  };
}
