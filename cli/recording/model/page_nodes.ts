// A recorded page's requests as the nodes of its graph, and how a page has to ask for each: by which tag or call, with which CORS,
// once more or for the first time. Writes no text.
import type { ArchivedExchange } from "../archive/archive.ts";
import { requestKey } from "../archive/recorded_requests.ts";
import { type ContentEncoding, contentEncoding } from "../fill/content_encoding.ts";
import type { Dimensions } from "../fill/jpeg.ts";
import type { Compute } from "./compute_option.ts";
import { type DependencyGraph, dependencyGraph, type GraphNode } from "./dependency_graph.ts";
import { headerOf, type Kind, type ModelRequest, modelRequest } from "./model_request.ts";
import type { AskOptions } from "./script_source.ts";

export interface PageToModel {
  readonly url: string;
  readonly exchanges: readonly ArchivedExchange[];
  /** In the exchanges' time; null: not known. */
  readonly load_ms: number | null;
  readonly compute: Compute;
  /** Of a request by its place among the exchanges, where it has one. */
  readonly requestBodies: ReadonlyMap<number, Buffer>;
  /** Likewise, of pictures whose dimensions are known. */
  readonly images: ReadonlyMap<number, Dimensions>;
  /** Keys (requestKey) of what a load of an earlier model did not ask for: fetched by the page's own script. */
  readonly direct?: ReadonlySet<string> | undefined;
}

/** A browser that knows a host by HSTS answers itself, in no time. */
function isInternalRedirect({ exchange, request }: Recorded): boolean {
  if (exchange.status !== 307 || request.location === null || !request.url.startsWith("http:")) return false;
  if (request.location !== request.url.replace(/^http:/, "https:")) return false;
  const isSaid = headerOf(exchange.response_headers, "non-authoritative-reason") !== null;
  return isSaid || request.untilEnd_ms < 1;
}

/** Whether a certificate was revoked: the browser's own request, which it makes of any page. */
const isBrowsersOwn = ({ exchange: { request_headers, response_headers } }: Recorded): boolean =>
  [headerOf(request_headers, "content-type"), headerOf(response_headers, "content-type")].some((type) =>
    /^application\/ocsp-/.test(type ?? ""),
  );

/** No page can ask so: fetch() refuses. */
const isForbidden = ({ request: { method } }: Recorded): boolean => /^(CONNECT|TRACE|TRACK)$/.test(method);

interface Recorded {
  readonly exchange: ArchivedExchange;
  readonly request: ModelRequest;
}

const runnable = (type: string): boolean => !/^\s*(image|audio|video)\/|^\s*text\/csv/i.test(type);

/** Chromium gives a picture this priority once it is to be seen; what has only the first ones that it gave has none such. */
const isOfSight = ({ kind, priority }: ModelRequest): boolean =>
  kind === "image" && /^(very)?high$/.test(priority ?? "");

/** Without the scheme: some lanes ask for http:// origins by https. */
const cacheKey = ({ url, method }: ModelRequest): string => `${method} ${url.replace(/^https?:/, "")}`;

export const originOf = (url: string): string => new URL(url).origin;

export class PageNodes {
  readonly graph: DependencyGraph;
  readonly #recorded: ReadonlyMap<number, Recorded>;
  readonly #children = new Map<number, number[]>();
  /** What leads on from a request by itself: its redirect's target, or of a preflight what it was for. */
  readonly #next = new Map<number, number>();
  readonly #again = new Set<number>();
  readonly #repeatedKeys = new Set<string>();
  readonly #hasFinalPriorities: boolean;

  /** RangeError for a page without a request. */
  constructor({ url, exchanges, load_ms, direct = new Set() }: PageToModel) {
    const recorded = exchanges
      .map((exchange, index) => ({ exchange, request: modelRequest(exchange, index) }))
      .filter((each) => !isInternalRedirect(each) && !isBrowsersOwn(each) && !isForbidden(each));
    this.#recorded = new Map(recorded.map((each) => [each.request.index, each]));
    this.graph = dependencyGraph(
      recorded.map(({ request }) => request),
      url,
      load_ms,
      (request) => direct.has(requestKey(request.method, request.url)),
    );
    this.#relate(direct);
    this.#hasFinalPriorities = recorded.some(({ request }) => isOfSight(request));
  }

  /** What leads on from it by itself. */
  next(place: number): number | undefined {
    return this.#next.get(place);
  }

  /** Whether the page asks for it more than once. */
  isRepeated(place: number): boolean {
    return this.#repeatedKeys.has(cacheKey(this.at(place).request));
  }

  /** Whether nothing but a script's fetch() can ask for it: a repetition, or what a load did not ask for otherwise. */
  isByScriptAlone(place: number): boolean {
    return this.#again.has(place);
  }

  at(place: number): GraphNode {
    const node = this.graph.nodes[place];
    if (!node) throw new RangeError(`no node ${place}`);
    return node;
  }

  exchange(place: number): ArchivedExchange {
    const found = this.#recorded.get(this.at(place).request.index);
    if (!found) throw new RangeError(`no exchange of node ${place}`);
    return found.exchange;
  }

  #relate(direct: ReadonlySet<string>): void {
    const seen = new Set<string>();
    for (const [place, { parent, dependence, request }] of this.graph.nodes.entries()) {
      const key = cacheKey(request);
      if (request.method === "GET" && seen.has(key)) {
        this.#repeatedKeys.add(key);
        if (dependence !== "redirect" && dependence !== "start") this.#again.add(place);
      }
      const isDirect = direct.has(requestKey(request.method, request.url));
      if (isDirect && (dependence === "script" || dependence === "load") && request.kind !== "preflight")
        this.#again.add(place);
      seen.add(key);
      if (parent === null) continue;
      if (dependence === "redirect" || dependence === "preflight") this.#next.set(parent, place);
      else this.#children.set(parent, [...(this.#children.get(parent) ?? []), place]);
    }
  }

  /** Where a request's redirects and its preflight lead. */
  end(place: number): number {
    let last = place;
    for (let next = this.#next.get(last); next !== undefined; next = this.#next.get(last)) last = next;
    return last;
  }

  /** How a page has to ask for it. */
  kind(place: number): Kind {
    const { kind } = this.at(place);
    if (this.#again.has(place)) return "data";
    // Without a page to show, a frame's load is not waited for.
    const { status } = this.exchange(this.end(place));
    return kind === "document" && (status === 204 || status === 205) ? "data" : kind;
  }

  isScript(place: number): boolean {
    const { kind } = this.at(place);
    const { status, response_headers } = this.exchange(place);
    if (kind !== "script" || this.isAgain(place) || status < 200 || status > 299 || status === 204) return false;
    return runnable(headerOf(response_headers, "content-type") ?? "");
  }

  /** Also at a redirect's end. */
  isAgain(place: number): boolean {
    let first = place;
    for (let node = this.at(first); node.dependence === "redirect" && node.parent !== null; node = this.at(first))
      first = node.parent;
    return this.#again.has(first);
  }

  /** Of a picture: the browser had laid it out, and not where it is seen. */
  isOutOfSight(place: number): boolean {
    const { kind, priority } = this.at(place).request;
    return kind === "image" && this.#hasFinalPriorities && /^(verylow|low|medium)$/.test(priority ?? "");
  }

  documentUrl(place: number): string {
    const { document } = this.at(place);
    return this.at(document).request.url;
  }

  cors(place: number): AskOptions["cors"] | null {
    const node = this.at(place);
    const kind = this.kind(place);
    const { request_headers, response_headers } = this.exchange(place);
    if (kind === "font") return "anonymous";
    const mode = headerOf(request_headers, "sec-fetch-mode");
    if (kind === "data" || kind === "preflight") {
      if (this.isOpaque(place)) return null;
    } else if (mode !== "cors" && (mode !== null || headerOf(request_headers, "origin") === null)) return null;
    if (kind === "document" || kind === "beacon") return null;
    const allowed = headerOf(response_headers, "access-control-allow-credentials")?.toLowerCase() === "true";
    // The origin to allow is another on lanes that upgrade it.
    const isLasting = this.documentUrl(place).startsWith("https:") && node.request.url.startsWith("https:");
    const isCross = originOf(this.documentUrl(place)) !== originOf(node.request.url);
    return allowed && isLasting && isCross && this.end(place) === place ? "use-credentials" : "anonymous";
  }

  /** Data that were recorded without CORS, or are no data but requested again. */
  isOpaque(place: number): boolean {
    const { kind, request } = this.at(place);
    if (request.method !== "GET" && request.method !== "POST" && request.method !== "HEAD") return false;
    if (this.#again.has(place)) return ["image", "script", "stylesheet"].includes(kind);
    return kind === "data" && headerOf(this.exchange(place).request_headers, "sec-fetch-mode") === "no-cors";
  }

  childrenOf(place: number, ...dependences: readonly GraphNode["dependence"][]): number[] {
    return (this.#children.get(place) ?? []).filter((child) => dependences.includes(this.at(child).dependence));
  }

  hasPage(place: number): boolean {
    const { status } = this.exchange(place);
    return status !== 204 && status !== 205 && (status < 300 || status > 399);
  }

  sizeOf(place: number): { wire_bytes: number; encoding: ContentEncoding | null } {
    const { body_size, response_headers } = this.exchange(place);
    return { wire_bytes: body_size, encoding: contentEncoding(headerOf(response_headers, "content-encoding") ?? "") };
  }
}
