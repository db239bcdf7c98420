// A page of a corpus as exchanges with their bodies: its plan becomes a recording without bodies, cli/recording/model makes of
// that a document, style sheets and scripts by which a browser asks for each object once, and cli/recording/fill the
// pictures, fonts and data. The same page has the same bytes each time. Pure: writes nothing.
//
// Texts are not compressed: an object's size is that of its body on the wire.
import type { ArchivedExchange, Exchange } from "../archive/archive.ts";
import { fill } from "../fill/fill.ts";
import { type Dimensions, dimensionsFor } from "../fill/jpeg.ts";
import { modelPage } from "../model/model_page.ts";
import type { PlannedKind, PlannedObject, PlannedPage } from "./page_plan.ts";

/** Goes up when the same name gives other bytes than before, so that old recordings are not taken for new ones. */
export const generation = 1;

export interface CorpusExchange {
  readonly exchange: Exchange;
  /** Bodies of the same key have the same bytes on all pages; null: this page's own. */
  readonly shared: string | null;
  body(): Uint8Array;
}

export interface CorpusPage {
  readonly url: string;
  readonly exchanges: readonly CorpusExchange[];
}

const contentTypes: Record<Exclude<PlannedKind, "image">, string> = {
  document: "text/html; charset=utf-8",
  frame: "text/html; charset=utf-8",
  stylesheet: "text/css; charset=utf-8",
  script: "text/javascript; charset=utf-8",
  font: "font/woff2",
  data: "application/json",
};
const resourceTypes: Record<PlannedKind, string> = {
  document: "document",
  frame: "document",
  stylesheet: "stylesheet",
  script: "script",
  image: "image",
  font: "font",
  data: "fetch",
};
const endings: Record<Exclude<PlannedKind, "image">, string> = {
  document: "",
  frame: "html",
  stylesheet: "css",
  script: "js",
  font: "woff2",
  data: "json",
};
/** Smaller ones are GIFs: no JPEG has so few bytes. */
const smallestJpeg_bytes = 400;

function typeOf({ kind, size_bytes }: PlannedObject): { type: string; ending: string } {
  if (kind !== "image") return { type: contentTypes[kind], ending: endings[kind] };
  return size_bytes < smallestJpeg_bytes ? { type: "image/gif", ending: "gif" } : { type: "image/jpeg", ending: "jpg" };
}

/** No page of 2014 showed more of one picture; what of a larger one's bytes is left stands in comments. */
const largestShown_bytes = 60_000;

const dimensionsOf = (size_bytes: number): Dimensions =>
  size_bytes < smallestJpeg_bytes ? { width: 1, height: 1 } : dimensionsFor(Math.min(size_bytes, largestShown_bytes));

/** .test is kept for such use (RFC 2606). Short, as each reference has it. */
const hostName = (page: number, server: number): string =>
  server === 0 ? `p${page}.corpus.test` : `s${server}.p${page}.corpus.test`;

/** 198.18.0.0/15 is the range for benchmarks (RFC 2544): no real server, and one address space for a whole page. */
const address = (server: number): string => `198.18.${Math.floor(server / 250)}.${(server % 250) + 1}`;

/** As it would have been recorded, by a recorder that keeps no bodies. */
function recorded({ objects, isHttps }: PlannedPage, page: number): ArchivedExchange[] {
  const paths = objects.map((object, place) => (place === 0 ? "/" : `/${place}.${typeOf(object).ending}`));
  const urlAt = (place: number): string => {
    const server = objects[place]?.server ?? 0;
    return `${isHttps[server] ? "https" : "http"}://${hostName(page, server)}${paths[place]}`;
  };
  return objects.map((object, place): ArchivedExchange => {
    const { kind, size_bytes, server, asker, how, isAsync, sent_ms, wait_ms } = object;
    const { type } = typeOf(object);
    const secure = isHttps[server] ?? false;
    const initiator = { type: how === "script" ? "script" : "parser", urls: [urlAt(asker ?? 0)], line: null };
    return {
      seq: place,
      method: "GET",
      scheme: secure ? "https" : "http",
      host: hostName(page, server),
      port: secure ? 443 : 80,
      path: paths[place] ?? "/",
      request_headers: [],
      address: address(server),
      status: 200,
      response_headers: [["content-type", type]],
      body_origin: "filled",
      recorded: {
        resource_type: resourceTypes[kind],
        mime_type: type,
        transfer_size: size_bytes,
        start_offset_ms: sent_ms,
        timings: { wait: wait_ms, receive: 0 },
        ...(place === 0 ? {} : { initiator }),
        ...(isAsync ? { priority: "Low" } : {}),
      },
      request_body_sha256: null,
      body_sha256: null,
      body_size: size_bytes,
    };
  });
}

/** `page`: its number in the corpus. */
export function corpusPage(planned: PlannedPage, page: number): CorpusPage {
  const exchanges = recorded(planned, page);
  const [document] = exchanges;
  if (!document) throw new RangeError("a page without a document");
  const url = `${document.scheme}://${document.host}/`;
  const images = new Map(
    planned.objects.flatMap(({ kind, size_bytes }, place) =>
      kind === "image" ? [[place, dimensionsOf(size_bytes)] as const] : [],
    ),
  );
  const made = modelPage({ url, exchanges, load_ms: null, compute: "timer", requestBodies: new Map(), images });
  return {
    url,
    exchanges: made.exchanges.map(({ index, exchange, body }): CorpusExchange => {
      if (body) return { exchange, shared: null, body: () => body };
      const object = planned.objects[index] as PlannedObject;
      const { type } = typeOf(object);
      const { size_bytes } = object;
      const shared = `${type} ${size_bytes}`;
      const request = { mime_type: type, url: `trilane corpus ${generation} ${shared}`, wire_bytes: size_bytes };
      const dimensions = object.kind === "image" ? dimensionsOf(size_bytes) : null;
      return {
        exchange,
        shared,
        body: () => fill({ ...request, decoded_bytes: null, encoding: null, dimensions }).bytes,
      };
    }),
  };
}
