// A page load's pages and entries, and how those of a HAR are read from unknown JSON. Lenient: producers leave out and add a lot, and an entry
// that is unusable costs itself, with the reason, and never the file.
import { urlWithoutCredentials, withoutFragment } from "../../../extension/capture/url_without_credentials.ts";
import { dateTime_ms } from "../../../extension/har/date_time.ts";
import { UserError } from "../../base/errors.ts";
import { isRecord, type JsonRecord, numberField, textField } from "../../base/json_fields.ts";
import { legalMethod } from "./headers.ts";
import type { WireFacts } from "./wire_exchange.ts";

export interface NameValue {
  readonly name: string;
  readonly value: string;
}

export interface HarPage {
  readonly id: string;
  /** The start URL where the producer names it. */
  readonly url: URL | null;
  readonly started_ms: number | null;
  /** When its load event came, from its beginning; null: not reported, or it never came. */
  readonly load_event_ms: number | null;
  readonly title: string;
  /** As WebPageTest has it: { width, height, dpr }. */
  readonly viewport?: unknown;
}

/** Why an entry cannot be imported, whatever page it is of. */
export type EntryFault = "not an object" | "no request" | "no URL" | "bad URL" | "bad method" | "body elsewhere";

/** An entry that is left out. */
interface FaultyEntry {
  readonly fault: EntryFault;
  readonly pageref: string | null;
}

/** An entry's place and request: what is needed to say whether it is one to import at all. */
export interface HarEntry {
  /** Position in log.entries, from 0. */
  readonly index: number;
  readonly url: URL;
  readonly method: string;
  /** The entry has none: taken to be GET, or POST if something was posted. */
  readonly isMethodGuessed: boolean;
  /** 0 if there is none, or none of HTTP. */
  readonly status: number;
  /** Why there is no status; null: there is one. */
  readonly unanswered: "no response" | "no status" | null;
  readonly pageref: string | null;
  readonly started_ms: number | null;
  /** The whole entry, and its request, response and content, for fields that only some producers have. */
  readonly raw: JsonRecord;
  readonly request: JsonRecord;
  readonly response: JsonRecord;
  readonly content: JsonRecord;
  /** What went over the wire, for who saw it; null: not seen, as by all that write HARs. */
  readonly wire: WireFacts | null;
}

/** A start URL that a user gave (`--url`). @throws UserError if it is none of HTTP */
export function givenUrl(given: string): string {
  const url = URL.parse(urlWithoutCredentials(given));
  if (!url || !/^https?:$/.test(url.protocol)) throw new UserError(`--url ${given}: is not an http or https URL`);
  return withoutFragment(url.href);
}

export interface HarFile {
  /** "Chrome 131", "WebPagetest 21.07": the browser where it is named, else the program that wrote the file. */
  readonly producer: string;
  readonly pages: readonly HarPage[];
  readonly entries: readonly HarEntry[];
  readonly faulty: readonly FaultyEntry[];
}

const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

/** Of an entry that is no HAR's: its method and status were seen. */
export const asAnswered = { isMethodGuessed: false, unanswered: null } as const;

/** 2001 to 2286 in ms, and in s. */
const earliest_ms = 1e12;
const latest_ms = 1e13;

/** A date as text, in ms or s since 1970, or as .NET writes it; null for anything else. */
function timeField(record: JsonRecord, name: string): number | null {
  const text = textField(record, name);
  const number = numberField(record, name) ?? numberField({ date: /^\/Date\((\d+)/.exec(text ?? "")?.[1] }, "date");
  if (number !== null && number >= earliest_ms && number < latest_ms) return number;
  if (number !== null && number * 1000 >= earliest_ms && number * 1000 < latest_ms) return number * 1000;
  return number === null ? dateTime_ms(text ?? "") : null;
}

/** A page's name in the file, text or number. */
const idField = (record: JsonRecord, name: string): string | null =>
  textField(record, name) ?? numberField(record, name)?.toString() ?? null;

function httpUrl(text: string | null): URL | null {
  if (!text || !URL.canParse(text)) return null;
  const url = new URL(urlWithoutCredentials(text));
  return url.protocol === "http:" || url.protocol === "https:" ? url : null;
}

function pageUrl(page: JsonRecord): URL | null {
  // browsertime, WebPageTest; DevTools calls the page as its URL.
  for (const name of ["_url", "_URL", "title"]) {
    const url = httpUrl(textField(page, name));
    if (url) return url;
  }
  return null;
}

function readPage(value: unknown, index: number): HarPage {
  const page = recordOf(value);
  const onLoad_ms = numberField(recordOf(page.pageTimings), "onLoad");
  return {
    id: idField(page, "id") ?? `${index}`,
    url: pageUrl(page),
    started_ms: timeField(page, "startedDateTime"),
    load_event_ms: onLoad_ms !== null && onLoad_ms > 0 ? onLoad_ms : null,
    viewport: page._viewport,
    title: textField(page, "title") ?? "",
  };
}

/** Firefox writes 0 for what HTTP/2 pushed, beside its headers and its body. */
function statusOf(response: JsonRecord): number | null {
  const status = numberField(response, "status");
  const isWhole = textField(recordOf(response.content), "text") !== null && textField(response, "_error") === null;
  if (status === 0 && isWhole && Array.isArray(response.headers) && response.headers.length > 0) return 200;
  return status !== null && Number.isInteger(status) ? status : null;
}

/**
 * With its text as text: some write a body of JSON as its value, and Node's programs bytes as `{"type": "Buffer", "data": [...]}`.
 */
function withText(holder: JsonRecord): JsonRecord {
  const { text } = holder;
  if (text === undefined || text === null) return holder;
  const isBuffer = isRecord(text) && text.type === "Buffer" && Array.isArray(text.data);
  const bytes = isBuffer ? Buffer.from(text.data as number[]) : chunksOfPolly(holder);
  if (bytes !== null) return { ...holder, text: bytes.toString("base64"), encoding: "base64" };
  return typeof text === "string" ? holder : { ...holder, text: JSON.stringify(text) };
}

/** Polly.js writes binary bodies in hex, or their chunks as a list in a text. null: it is none of these. */
function chunksOfPolly({ text, encoding, _isBinary }: JsonRecord): Buffer | null {
  const isHex = _isBinary === true && encoding === undefined;
  if (typeof text !== "string" || (!isHex && (encoding !== "base64" || !/^\s*\["/.test(text)))) return null;
  const chunks = parsedTexts(text) ?? [text];
  if (isHex && !chunks.every((chunk) => /^([0-9a-f]{2})*$/i.test(chunk))) return null;
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, isHex ? "hex" : "base64")));
}

function parsedTexts(text: string): string[] | null {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((each) => typeof each === "string") ? list : null;
  } catch {
    return null;
  }
}

/** A body that the HAR names outside of its folder. */
const isElsewhere = (content: JsonRecord): boolean =>
  textField(content, "_file") !== null && textField(content, "text") === null;

function readEntry(value: unknown, index: number): HarEntry | FaultyEntry {
  const raw = recordOf(value);
  const sent = recordOf(raw.request);
  const request = isRecord(sent.postData) ? { ...sent, postData: withText(sent.postData) } : sent;
  const response = recordOf(raw.response);
  const content = withText(recordOf(response.content));
  const pageref = idField(raw, "pageref");
  const faulty = (fault: EntryFault): FaultyEntry => ({ fault, pageref });
  if (!isRecord(value)) return faulty("not an object");
  if (!isRecord(raw.request)) return faulty("no request");
  // WebPageTest has it twice.
  const named = textField(request, "url") ?? textField(raw, "_full_url");
  if (named === null) return faulty("no URL");
  const url = URL.parse(urlWithoutCredentials(named));
  if (url === null) return faulty("bad URL");
  const given = textField(request, "method");
  const method = given ?? (isRecord(request.postData) ? "POST" : "GET");
  if (!legalMethod.test(method)) return faulty("bad method");
  if (isElsewhere(content)) return faulty("body elsewhere");
  const status = statusOf(response);
  return {
    index,
    url,
    method: method.toUpperCase(),
    isMethodGuessed: given === null,
    status: status ?? 0,
    unanswered: status !== null ? null : isRecord(raw.response) ? "no status" : "no response",
    pageref,
    started_ms: timeField(raw, "startedDateTime"),
    raw,
    request,
    response,
    content,
    wire: null,
  };
}

function headerOf(value: unknown): NameValue[] {
  // Pairs are lists of two in some producers' HARs.
  const { name, value: text } = Array.isArray(value) ? { name: value[0], value: value[1] } : recordOf(value);
  if (typeof name !== "string" || name.trim() === "") return [];
  return [{ name, value: typeof text === "object" || text === undefined ? "" : String(text) }];
}

/** The headers of an entry's request or response: a list, an object, or the text of a message's head. None if there are none. */
export function headersOf(entry: HarEntry, side: "request" | "response"): NameValue[] {
  const { headers } = entry[side];
  if (Array.isArray(headers)) return headers.flatMap(headerOf);
  if (typeof headers === "string")
    return headers.split("\n").flatMap((line) => {
      const [, name, value] = /^([^:\s]+):(.*)$/.exec(line.trim()) ?? [];
      return headerOf({ name, value: value?.trim() });
    });
  return Object.entries(recordOf(headers)).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).flatMap((value) => headerOf({ name, value })),
  );
}

function producerOf(log: JsonRecord): string {
  for (const program of [recordOf(log.browser), recordOf(log.creator)]) {
    const name = textField(program, "name");
    if (name) return [name, textField(program, "version")].filter(Boolean).join(" ");
  }
  return "unknown producer";
}

/** Reads the JSON of a HAR. UserError for what is none, or has no entries. */
export function readHarFile(json: unknown): HarFile {
  const log = isRecord(json) ? json.log : undefined;
  if (!isRecord(log)) throw new UserError("is JSON but not HAR (it has no log): name a HAR 1.2 file");
  if (!Array.isArray(log.entries)) throw new UserError("is not a whole HAR (log.entries is missing): save it again");
  if (log.entries.length === 0)
    throw new UserError("has no entries: record the page again with the network panel open");
  const read = log.entries.map(readEntry);
  return {
    producer: producerOf(log),
    pages: (Array.isArray(log.pages) ? log.pages : []).map(readPage),
    entries: read.filter((entry): entry is HarEntry => !("fault" in entry)),
    faulty: read.filter((entry): entry is FaultyEntry => "fault" in entry),
  };
}
