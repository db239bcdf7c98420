// The page of a file that names none (a proxy's, an API client's): the first HTML document that requested others, as the importers of Mahimahi
// and Web Page Replay find it, with what came before it by redirect and what it requested until the next document or a long rest. Pure.

import { withoutFragment } from "../../../extension/capture/url_without_credentials.ts";
import { textField } from "../../base/json_fields.ts";
import { count } from "../../base/numbers.ts";
import { type HarEntry, type HarFile, type HarPage, headersOf } from "./har.ts";

/** A page that has requested nothing for so long has come to rest; what follows is a user's doing. */
const rest_ms = 10_000;

const hrefOf = ({ href }: URL): string => withoutFragment(href);

function requestHeader(entry: HarEntry, name: string): string | null {
  return (
    headersOf(entry, "request")
      .find((header) => header.name.trim().toLowerCase() === name)
      ?.value.trim() ?? null
  );
}

function typeOf(entry: HarEntry): string {
  const header = headersOf(entry, "response").find(({ name }) => name.trim().toLowerCase() === "content-type");
  return (header?.value || textField(entry.content, "mimeType") || "").toLowerCase();
}

const textOf = ({ content }: HarEntry): string =>
  typeof content.text !== "string"
    ? ""
    : content.encoding === "base64"
      ? Buffer.from(content.text, "base64").toString("latin1")
      : content.text;

/** Something that a person can open: HTML that came whole, and that no script requested. */
function isDocument(entry: HarEntry): boolean {
  // What the browser's cache was right to keep is there if its body is.
  const isKept = entry.status === 304 && textOf(entry) !== "";
  if (entry.method !== "GET" || ((entry.status < 200 || entry.status > 299) && !isKept)) return false;
  const destination = requestHeader(entry, "sec-fetch-dest");
  if (destination !== null && destination !== "document") return false;
  const kind = textField(entry.raw, "_resourceType");
  if (kind !== null && kind !== "document") return false;
  if (requestHeader(entry, "x-requested-with") !== null) return false;
  const type = typeOf(entry);
  return type === "" ? /^\s*<(!doctype html|html)[\s>]/i.test(textOf(entry).slice(0, 512)) : /html/.test(type);
}

/** Where a redirect leads; null: it is none. */
function redirectOf(entry: HarEntry): string | null {
  if (entry.status < 300 || entry.status > 399) return null;
  const location = headersOf(entry, "response").find(({ name }) => name.trim().toLowerCase() === "location")?.value;
  const target = URL.parse(textField(entry.response, "redirectURL") ?? location ?? "", entry.url.href);
  return target === null ? null : hrefOf(target);
}

/** What has requested what so far. */
class Gathered {
  readonly #urls = new Set<string>();
  readonly #origins = new Set<string>();
  readonly #texts: string[] = [];

  add(entry: HarEntry): void {
    this.#urls.add(hrefOf(entry.url));
    this.#origins.add(`${entry.url.origin}/`);
    if (/html|css|javascript|json|svg/.test(typeOf(entry))) this.#texts.push(textOf(entry));
  }

  /** By its Referer, or, as of a font of another host, its Origin; null: these do not say. */
  refersTo(entry: HarEntry): boolean | null {
    const referer = URL.parse(requestHeader(entry, "referer") ?? "");
    if (referer !== null) return this.#urls.has(hrefOf(referer)) || this.#origins.has(referer.href);
    const origin = URL.parse(requestHeader(entry, "origin") ?? "");
    return origin !== null && this.#origins.has(origin.href) ? true : null;
  }

  mentions({ url }: HarEntry): boolean {
    if (this.#origins.has(`${url.origin}/`)) return true;
    return this.#texts.some((text) => text.includes(url.host));
  }
}

const startOf = ({ started_ms }: HarEntry): number | null => started_ms;

function asksForOthers(document: HarEntry, later: readonly HarEntry[]): boolean {
  const gathered = new Gathered();
  gathered.add(document);
  return later.some(
    (entry) => hrefOf(entry.url) !== hrefOf(document.url) && (gathered.refersTo(entry) ?? gathered.mentions(entry)),
  );
}

/** What led to the document, in order. */
function redirectsTo(document: HarEntry, earlier: readonly HarEntry[]): HarEntry[] {
  const chain: HarEntry[] = [];
  let target = hrefOf(document.url);
  for (const entry of earlier.toReversed()) {
    if (redirectOf(entry) !== target) continue;
    chain.unshift(entry);
    target = hrefOf(entry.url);
  }
  return chain;
}

interface FoundPage {
  readonly page: HarPage;
  readonly entries: ReadonlySet<HarEntry>;
}

/**
 * `url`: the document's, if the user gave it; it has the whole file then, unless others were opened too. `sent`: over HTTP, in the order in
 * which they were sent. Null: there is no document, or nothing to choose from.
 */
export function findPage(sent: readonly HarEntry[], url?: string): FoundPage | null {
  const wanted = url === undefined ? null : URL.parse(url);
  const opened = sent.filter((entry) => isDocument(entry) && requestHeader(entry, "referer") === null);
  if (wanted !== null && new Set(opened.map((entry) => hrefOf(entry.url))).size < 2) return null;
  const documents =
    wanted === null ? sent.filter(isDocument) : sent.filter((entry) => hrefOf(entry.url) === hrefOf(wanted));
  const after = (document: HarEntry): HarEntry[] => sent.slice(sent.indexOf(document) + 1);
  const document = documents.find((candidate) => asksForOthers(candidate, after(candidate))) ?? documents[0];
  if (!document) return null;
  const redirects = wanted === null ? redirectsTo(document, sent.slice(0, sent.indexOf(document))) : [];
  const gathered = new Gathered();
  const entries = new Set<HarEntry>();
  const take = (entry: HarEntry): void => {
    gathered.add(entry);
    entries.add(entry);
  };
  for (const entry of [...redirects, document]) take(entry);
  let last_ms = startOf(document);
  for (const entry of after(document)) {
    const start_ms = startOf(entry);
    if (last_ms !== null && start_ms !== null && start_ms - last_ms > rest_ms) break;
    const refers = gathered.refersTo(entry);
    // The next page; a frame refers to its page.
    if (isDocument(entry) && refers === null && hrefOf(entry.url) !== hrefOf(document.url)) break;
    if (!(refers ?? gathered.mentions(entry))) continue;
    take(entry);
    last_ms = start_ms ?? last_ms;
  }
  const first = redirects[0] ?? document;
  const page = { id: "", url: first.url, started_ms: first.started_ms, load_event_ms: null, title: "" };
  return { page, entries };
}

/** What a file without a page has instead, for one line, and whether `trilane fetch` can measure some of it. */
export function insteadOfPage({ entries, faulty }: HarFile): {
  readonly words: string;
  readonly canBeFetched: boolean;
} {
  const kinds: Record<string, number> = {};
  const add = (one: string, many: string): void => {
    const key = `${one}|${many}`;
    kinds[key] = (kinds[key] ?? 0) + 1;
  };
  let canBeFetched = false;
  for (const entry of entries) {
    const { url, method, status } = entry;
    if (/^wss?:$/.test(url.protocol) || status === 101) add("WebSocket", "WebSockets");
    else if (!/^https?:$/.test(url.protocol)) add("entry that is not over HTTP", "entries that are not over HTTP");
    else if (status <= 0) add("request without a response", "requests without a response");
    else if (/event-stream/.test(typeOf(entry))) add("event stream", "event streams");
    else if (method !== "GET" || /json|xml|protobuf|grpc|text\/plain/.test(typeOf(entry))) add("API call", "API calls");
    else add("other response", "other responses");
    canBeFetched ||= method === "GET" && url.protocol === "https:";
  }
  for (const { fault } of faulty) add(`entry with ${faultWords[fault]}`, `entries with ${faultWords[fault]}`);
  const parts = Object.entries(kinds).map(([key, amount]) => count(amount, ...(key.split("|") as [string, string])));
  return { words: parts.join(", "), canBeFetched };
}

/** After "with", or of many: "3 with no URL". */
export const faultWords = {
  "not an object": "nothing in it",
  "no request": "no request",
  "no URL": "no URL",
  "bad URL": "a URL that is none, or relative",
  "bad method": "a method that HTTP does not have",
  "body elsewhere": "a body outside of the HAR's folder",
} as const;
