// A page load's pages and entries, and how those of a HAR are read from unknown JSON. Strict about what a recording cannot do without (method,
// URL, status, headers), lenient about the rest: producers leave out and add a lot. Judges and changes no entry.
import { urlWithoutCredentials } from "../../../extension/capture/url_without_credentials.ts";
import { dateTime_ms } from "../../../extension/har/date_time.ts";
import { UserError } from "../../base/errors.ts";
import type { WireFacts } from "./wire_facts.ts";

export type JsonRecord = Readonly<Record<string, unknown>>;

export interface NameValue {
  readonly name: string;
  readonly value: string;
}

export interface HarPage {
  readonly id: string;
  /** The start URL where the producer names it. */
  readonly url: URL | null;
  readonly started_ms: number | null;
  /** When its load event came, from its beginning; null: not told, or it never came. */
  readonly load_event_ms: number | null;
  readonly title: string;
}

/** An entry's place and request: what is needed to say whether it is one to import at all. */
export interface HarEntry {
  /** Position in log.entries, from 0. */
  readonly index: number;
  readonly url: URL;
  readonly method: string;
  readonly status: number;
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

export interface HarFile {
  /** "Chrome 131", "WebPagetest 21.07": the browser where it is named, else the program that wrote the file. */
  readonly producer: string;
  readonly pages: readonly HarPage[];
  readonly entries: readonly HarEntry[];
}

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

/** A field's text, trimmed; null where it is missing, empty or no text (no text that means anything holds a NUL). */
export function textField(record: JsonRecord, name: string): string | null {
  const value = record[name];
  if (typeof value !== "string" || value.trim() === "" || value.includes("\0")) return null;
  // Half a surrogate pair has no UTF-8.
  return value.trim().toWellFormed();
}

/** A field's number; null where it is missing or no finite number. Some producers write numbers as text. */
export function numberField(record: JsonRecord, name: string): number | null {
  const value = record[name];
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

function timeField(record: JsonRecord, name: string): number | null {
  return dateTime_ms(textField(record, name) ?? "");
}

/** How messages call an entry: its number as the eye counts, and as much of its URL as fits into a line. */
export function entryName(index: number, url: string): string {
  // A line stays one line, and a terminal gets no commands.
  const line = url.replaceAll(/\p{Cc}+/gu, " ");
  const shown = line.length > 80 ? `${line.slice(0, 77)}...` : line;
  return shown === "" ? `entry ${index + 1}` : `entry ${index + 1} (${shown})`;
}

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
    id: textField(page, "id") ?? `${index}`,
    url: pageUrl(page),
    started_ms: timeField(page, "startedDateTime"),
    load_event_ms: onLoad_ms !== null && onLoad_ms > 0 ? onLoad_ms : null,
    title: textField(page, "title") ?? "",
  };
}

/** Firefox writes 0 for what HTTP/2 pushed, beside its headers and its body. */
function statusOf(response: JsonRecord): number | null {
  const status = numberField(response, "status");
  const isWhole = textField(recordOf(response.content), "text") !== null && textField(response, "_error") === null;
  return status === 0 && isWhole && Array.isArray(response.headers) && response.headers.length > 0 ? 200 : status;
}

function readEntry(value: unknown, index: number): HarEntry {
  const raw = recordOf(value);
  const request = recordOf(raw.request);
  const response = recordOf(raw.response);
  const told = textField(request, "url");
  const urlText = told === null ? null : urlWithoutCredentials(told);
  const refuse = (what: string): UserError =>
    new UserError(`${entryName(index, urlText ?? "")}: ${what}: record the page again`);
  if (!isRecord(value)) throw refuse("is not an object");
  if (!isRecord(raw.request)) throw refuse("has no request");
  if (!urlText) throw refuse("has no request.url");
  if (!URL.canParse(urlText)) throw refuse("request.url is not a URL");
  const method = textField(request, "method");
  if (!method) throw refuse("has no request.method");
  if (!isRecord(raw.response)) throw refuse("has no response");
  const status = statusOf(response);
  if (status === null || !Number.isInteger(status)) throw refuse("has no response.status");
  return {
    index,
    url: new URL(urlText),
    method: method.toUpperCase(),
    status,
    pageref: textField(raw, "pageref"),
    started_ms: timeField(raw, "startedDateTime"),
    raw,
    request,
    response,
    content: recordOf(response.content),
    wire: null,
  };
}

/** The headers of an entry's request or response. UserError where there is no list of them. */
export function headersOf(entry: HarEntry, side: "request" | "response"): NameValue[] {
  const list = entry[side].headers;
  const refuse = (what: string): UserError =>
    new UserError(`${entryName(entry.index, entry.url.href)}: ${side}.headers ${what}: record the page again`);
  if (!Array.isArray(list)) throw refuse("is missing");
  return list.map((header: unknown) => {
    const { name, value } = recordOf(header);
    if (typeof name !== "string") throw refuse("holds one without a name");
    if (typeof value !== "string") throw refuse(`has no value for ${JSON.stringify(name)}`);
    return { name, value };
  });
}

function producerOf(log: JsonRecord): string {
  for (const program of [recordOf(log.browser), recordOf(log.creator)]) {
    const name = textField(program, "name");
    if (name) return [name, textField(program, "version")].filter(Boolean).join(" ");
  }
  return "unknown producer";
}

/** Reads the JSON of a HAR. UserError, naming the entry, for one that lacks what a recording needs. */
export function readHarFile(json: unknown): HarFile {
  const log = isRecord(json) ? json.log : undefined;
  if (!isRecord(log)) throw new UserError("is JSON but not HAR (it has no log): name a HAR 1.2 file");
  if (!Array.isArray(log.entries)) throw new UserError("is not a whole HAR (log.entries is missing): save it again");
  if (log.entries.length === 0)
    throw new UserError("has no entries: record the page again with the network panel open");
  return {
    producer: producerOf(log),
    pages: (Array.isArray(log.pages) ? log.pages : []).map(readPage),
    entries: log.entries.map(readEntry),
  };
}
