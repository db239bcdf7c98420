// What of a recording a load is expected to ask for: its requests before the recorded load event, without those that are the
// browser's own or that nothing depends on. Requests that are the same (method, URL whichever of http and https, body) are
// one: a cache may answer the second. Pure.
import { type Device, deviceIn } from "../../browser/device.ts";
import type { ArchivedExchange, Header, Recording } from "./archive.ts";

/** Why an exchange is not expected of a load. */
export type NotExpected =
  | "after the load event"
  | "some visits"
  | "not modified"
  | "report"
  | "preflight"
  | "icon"
  | "manifest"
  | "browser"
  | "upgrade";

interface RecordedRequest {
  readonly method: string;
  /** As recorded; of several that are the same, the first one's. */
  readonly url: string;
  /** Of the largest response's body, as on the wire. */
  readonly bytes: number;
  /** null: a load is expected to ask for it. */
  readonly notExpected: NotExpected | null;
}

export interface RecordedRequests {
  readonly digest: string;
  readonly requests: readonly RecordedRequest[];
  /** By the exchange's seq, its place in `requests`. */
  readonly placeOf: ReadonlyMap<number, number>;
  /** By requestKey of what a page may ask for, the same. */
  readonly placeOfKey: ReadonlyMap<string, number>;
  /** Whether a page of https:// requested http://, which browsers do as https:// or not at all. */
  readonly isMixed: boolean;
  /** On which its loads are made. */
  readonly device: Device;
  /** By host, an address that it is served from. */
  readonly addresses: ReadonlyMap<string, string>;
}

const header = (headers: readonly Header[], name: string): string =>
  headers.find(([each]) => each === name)?.[1].toLowerCase() ?? "";

const text = (value: unknown): string => (typeof value === "string" ? value.toLowerCase() : "");

/** Whichever of http and https, default ports left out, and without its fragment. */
export function requestKey(method: string, url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return `${method} ${url}`;
  const port = parsed.port === "80" || parsed.port === "443" ? "" : parsed.port;
  return `${method} ${parsed.hostname}:${port}${parsed.pathname}${parsed.search}`;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const latin1 = new TextDecoder("windows-1252");

/** One text for what browsers write as `%E9` or as `%C3%A9`, by the charset that they take a page's for: of the two a load asks for one. */
function withoutCharset(key: string): string {
  if (!/%[89a-f]/i.test(key)) return key;
  return key.replaceAll(/(?:%[89a-f][0-9a-f])+/gi, (coded) => {
    const bytes = Buffer.from(coded.replaceAll("%", ""), "hex");
    try {
      return utf8.decode(bytes);
    } catch {
      return latin1.decode(bytes);
    }
  });
}

export function recordedUrl({ scheme, host, port, path }: Pick<ArchivedExchange, "scheme" | "host" | "port" | "path">) {
  const authority = host.includes(":") ? `[${host}]` : host;
  return `${scheme}://${authority}${port === (scheme === "https" ? 443 : 80) ? "" : `:${port}`}${path}`;
}

const reportTypes = ["ping", "beacon", "cspviolationreport", "csp-report", "csp_report", "reporting"];

/**
 * Beacons, pings and reports: the page learns nothing from their answer. A POST without CORS by a script is one, too: its answer
 * cannot be read.
 */
function isReport({ method, request_headers, recorded }: ArchivedExchange): boolean {
  const of = (name: string): string => header(request_headers, name);
  if (reportTypes.includes(text(recorded.resource_type)) || of("sec-fetch-dest") === "report") return true;
  if (/^application\/(csp-report|reports\+json)\b/.test(of("content-type")) || of("ping-to") !== "") return true;
  return method === "POST" && of("sec-fetch-mode") === "no-cors" && of("sec-fetch-dest") === "empty";
}

function mimeType({ response_headers, recorded }: ArchivedExchange): string {
  return (header(response_headers, "content-type") || text(recorded.mime_type)).split(";")[0]?.trim() ?? "";
}

/** The tab's icon, which a browser without a window does not show. */
function isIcon(exchange: ArchivedExchange): boolean {
  if (/\/favicon[^/]*\.(ico|png|svg|gif)(\?.*)?$/i.test(exchange.path)) return true;
  const mime = mimeType(exchange);
  if (/^image\/(x-icon|vnd\.microsoft\.icon)$/.test(mime)) return true;
  return text(exchange.recorded.resource_type) === "other" && mime.startsWith("image/");
}

function isManifest(exchange: ArchivedExchange): boolean {
  const isType = text(exchange.recorded.resource_type) === "manifest";
  return (
    isType ||
    header(exchange.request_headers, "sec-fetch-dest") === "manifest" ||
    mimeType(exchange) === "application/manifest+json"
  );
}

/** What browsers ask for their own sake: revoked certificates, safe browsing, updates. */
const ownTypes = /^application\/(ocsp-(request|response)|pkix-(cert|crl)|x-pkcs7-crl)$/;
const ownHosts =
  /^(safebrowsing|update|clientservices|optimizationguide-pa|content-autofill)\.googleapis\.com$|^clients[0-9]\.google\.com$|(^|\.)(services|telemetry|cdn)\.mozilla\.(com|org|net)$|^detectportal\.firefox\.com$|^incoming\.telemetry\.mozilla\.org$/;

function isBrowsersOwn(exchange: ArchivedExchange): boolean {
  return (
    ownTypes.test(mimeType(exchange)) ||
    ownTypes.test(header(exchange.request_headers, "content-type")) ||
    ownHosts.test(exchange.host)
  );
}

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** From http:// to the same on https://: lanes over TLS begin behind it. */
function isUpgrade(exchange: ArchivedExchange): boolean {
  if (exchange.scheme !== "http" || !isRedirect(exchange.status)) return false;
  const url = recordedUrl(exchange);
  const to = URL.parse(exchange.response_headers.find(([name]) => name === "location")?.[1] ?? "", url);
  return to?.protocol === "https:" && requestKey("", to.href) === requestKey("", url);
}

function whyNotExpected(exchange: ArchivedExchange, loadEvent_ms: number | null, url: string): NotExpected | null {
  const { start_offset_ms } = exchange.recorded;
  const isPage = requestKey("GET", recordedUrl(exchange)) === requestKey("GET", url);
  if (isUpgrade(exchange)) return "upgrade";
  if (isPage) return null;
  if (loadEvent_ms !== null && typeof start_offset_ms === "number" && start_offset_ms > loadEvent_ms)
    return "after the load event";
  // Not every visit that was recorded requested it, and a load is one visit more.
  if (exchange.recorded.visits !== undefined) return "some visits";
  // Given only to who asks on a condition, which a fresh browser does by scripts alone.
  if (exchange.status === 304) return "not modified";
  if (isReport(exchange)) return "report";
  if (exchange.method === "OPTIONS" && header(exchange.request_headers, "access-control-request-method") !== "")
    return "preflight";
  if (isIcon(exchange)) return "icon";
  if (isManifest(exchange)) return "manifest";
  return isBrowsersOwn(exchange) ? "browser" : null;
}

/** When the page's load event came as it was recorded; null: the recording does not say, and all of it is expected. */
function recordedLoadEvent_ms({ notes }: Pick<Recording, "notes">): number | null {
  const { load_event_ms } = notes;
  return typeof load_event_ms === "number" ? load_event_ms : null;
}

/** What failed when the page was recorded, as the import noted it; a synthetic page has none. */
export function failedUrlsOf({ notes }: Pick<Recording, "notes">): string[] {
  const urls = notes.failed_urls;
  return Array.isArray(urls) ? urls.filter((url): url is string => typeof url === "string") : [];
}

export function recordedRequests(
  recording: Pick<Recording, "url" | "digest" | "notes">,
  exchanges: readonly ArchivedExchange[],
): RecordedRequests {
  const loadEvent_ms = recordedLoadEvent_ms(recording);
  const requests: { method: string; url: string; bytes: number; notExpected: NotExpected | null }[] = [];
  const placeOf = new Map<number, number>();
  const placeOfKey = new Map<string, number>();
  const places = new Map<string, number>();
  for (const exchange of exchanges) {
    const url = recordedUrl(exchange);
    const key = requestKey(exchange.method, url);
    const notExpected = whyNotExpected(exchange, loadEvent_ms, recording.url);
    const same = `${withoutCharset(key)} ${exchange.request_body_sha256 ?? ""}`;
    const place = places.get(same) ?? requests.length;
    const known = requests[place];
    if (known) {
      known.bytes = Math.max(known.bytes, exchange.body_size);
      // One that a load is expected to ask for is expected, however often it is requested again.
      if (known.notExpected !== null) known.notExpected = notExpected;
    } else requests.push({ method: exchange.method, url, bytes: exchange.body_size, notExpected });
    places.set(same, place);
    placeOf.set(exchange.seq, place);
    if (!placeOfKey.has(key)) placeOfKey.set(key, place);
  }
  const addresses = new Map(exchanges.map(({ host, address }) => [host, address]));
  const isSecurePage =
    /^https:/i.test(recording.url) || exchanges.some((each) => isUpgrade(each) && recordedUrl(each) === recording.url);
  const isExpected = (each: ArchivedExchange): boolean => whyNotExpected(each, loadEvent_ms, recording.url) === null;
  const isMixed = isSecurePage && exchanges.some((each) => each.scheme === "http" && isExpected(each));
  return {
    digest: recording.digest,
    requests,
    placeOf,
    placeOfKey,
    isMixed,
    device: deviceIn(recording.notes.device),
    addresses,
  };
}
