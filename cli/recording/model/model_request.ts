// An exchange of a recording as the dependency graph wants it: when it was requested and answered, what named it, and what
// kind of thing a page has to name for a browser to ask for it. Pure.

import { withoutFragment } from "../../../extension/capture/url_without_credentials.ts";
import { isRecord } from "../../base/json_fields.ts";
import type { Exchange, Header, JsonObject } from "../archive/archive.ts";
import { isRedirect } from "../archive/recorded_requests.ts";
import { urlOf } from "../export/recording_source.ts";
import { type FillKind, fillKind } from "../fill/fill.ts";
import { type RecordedInitiator, readInitiator } from "../import/recorded.ts";

/** What asks for it: a navigation, <link>, <script>, <img>, @font-face, fetch(), sendBeacon(), or CORS by itself. */
export type Kind = "document" | "stylesheet" | "script" | "image" | "font" | "data" | "beacon" | "preflight";

export interface ModelRequest {
  /** Place among the recording's exchanges. */
  readonly index: number;
  readonly url: string;
  readonly method: string;
  readonly status: number;
  readonly kind: Kind;
  /** ms from the beginning of the page load; null: not known. */
  readonly sent_ms: number | null;
  /** From there to the response's first byte and its last, as far as known; never negative. */
  readonly untilFirstByte_ms: number;
  readonly untilEnd_ms: number;
  readonly initiator: RecordedInitiator | null;
  readonly documentUrl: string | null;
  readonly referer: string | null;
  /** Chromium's, in lower case without spaces: verylow, low, medium, high, veryhigh; null: not known. */
  readonly priority: string | null;
  /** Where it redirects to; null: it does not. */
  readonly location: string | null;
}

export function headerOf(headers: readonly Header[], name: string): string | null {
  return headers.find(([candidate]) => candidate === name)?.[1] ?? null;
}

const ofDestination: Readonly<Record<string, Kind>> = {
  document: "document",
  iframe: "document",
  frame: "document",
  style: "stylesheet",
  script: "script",
  image: "image",
  font: "font",
  empty: "data",
  worker: "data",
  sharedworker: "data",
  serviceworker: "data",
  audio: "data",
  video: "data",
  track: "data",
  manifest: "data",
  embed: "data",
  object: "data",
};

/** DevTools' and WebPageTest's names. */
const ofType: Readonly<Record<string, Kind>> = {
  document: "document",
  stylesheet: "stylesheet",
  script: "script",
  image: "image",
  font: "font",
  xhr: "data",
  fetch: "data",
  eventsource: "data",
  media: "data",
  manifest: "data",
  texttrack: "data",
  preflight: "preflight",
};

const ofContent: Partial<Record<FillKind, Kind>> = {
  css: "stylesheet",
  javascript: "script",
  jpeg: "image",
  png: "image",
  gif: "image",
  webp: "image",
  ico: "image",
  svg: "image",
  woff: "font",
  woff2: "font",
  ttf: "font",
};

const fontEnding = /\.(woff2?|ttf|otf|eot)(?:[?#]|$)/i;

function kindOf(exchange: Exchange, url: string): Kind {
  const { method, request_headers, response_headers, recorded } = exchange;
  if (method === "OPTIONS" && headerOf(request_headers, "access-control-request-method") !== null) return "preflight";
  const type = typeof recorded.resource_type === "string" ? recorded.resource_type : "";
  if (method === "OPTIONS" && type === "preflight") return "preflight";
  if (method !== "GET") return method === "POST" && /^(ping|beacon|cspviolationreport)$/.test(type) ? "beacon" : "data";
  const destination = ofDestination[headerOf(request_headers, "sec-fetch-dest") ?? ""];
  const accept = headerOf(request_headers, "accept") ?? "";
  const known = destination ?? ofType[type];
  // WebPageTest calls a frame's page what it is, Chromium's "document" may be an <object>: a browser asks for both as pages.
  if (known) return known;
  if (headerOf(request_headers, "upgrade-insecure-requests") !== null || accept.startsWith("text/html"))
    return "document";
  if (accept.startsWith("text/css")) return "stylesheet";
  if (accept.startsWith("image/")) return "image";
  const recordedType = typeof recorded.mime_type === "string" ? recorded.mime_type : "";
  const content = ofContent[fillKind(headerOf(response_headers, "content-type") ?? recordedType, url)];
  return content ?? (fontEnding.test(url) ? "font" : "data");
}

/** HAR's phases, of which -1 and less do not apply. */
function phasesOf({ timings }: JsonObject): { untilFirstByte_ms: number; untilEnd_ms: number } {
  const phase = (name: string): number => {
    const time_ms = isRecord(timings) ? timings[name] : 0;
    return typeof time_ms === "number" && Number.isFinite(time_ms) && time_ms > 0 ? time_ms : 0;
  };
  // What TLS took is part of connect.
  const untilFirstByte_ms = ["blocked", "dns", "connect", "send", "wait"].reduce((sum, name) => sum + phase(name), 0);
  return { untilFirstByte_ms, untilEnd_ms: untilFirstByte_ms + phase("receive") };
}

function locationOf({ status, response_headers }: Exchange, url: string): string | null {
  if (!isRedirect(status)) return null;
  const location = headerOf(response_headers, "location");
  return location !== null && URL.canParse(location, url) ? withoutFragment(new URL(location, url).href) : null;
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

export function modelRequest(exchange: Exchange, index: number): ModelRequest {
  const { method, status, request_headers, recorded } = exchange;
  const url = withoutFragment(urlOf(exchange));
  const sent_ms = recorded.start_offset_ms;
  const referer = headerOf(request_headers, "referer");
  return {
    ...{ index, url, method },
    status: status === 304 ? 200 : status,
    kind: kindOf(exchange, url),
    sent_ms: typeof sent_ms === "number" && Number.isFinite(sent_ms) ? sent_ms : null,
    ...phasesOf(recorded),
    initiator: readInitiator(recorded),
    documentUrl: text(recorded.document_url),
    referer: referer !== null && URL.canParse(referer) ? withoutFragment(referer) : null,
    priority:
      text(recorded.priority)
        ?.toLowerCase()
        .replaceAll(/[^a-z]/g, "")
        .replace(/^highest$/, "veryhigh")
        .replace(/^lowest$/, "verylow") ?? null,
    location: locationOf(exchange, url),
  };
}

/** The start URL's first response and where its redirects lead. */
export function startChain(requests: readonly ModelRequest[], startUrl: string): ModelRequest[] {
  const url = withoutFragment(startUrl);
  const first =
    requests.find((request) => request.url === url && request.method === "GET") ??
    requests.find(({ kind }) => kind === "document") ??
    requests[0];
  if (!first) return [];
  const chain = [first];
  for (const request of requests) {
    const { location, index } = chain.at(-1) ?? first;
    if (location === null) break;
    if (request.index > index && request.url === location && !chain.includes(request)) chain.push(request);
  }
  return chain;
}
