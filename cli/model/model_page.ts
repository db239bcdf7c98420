// A page of the same shape as a recorded one, for bodies that a recording does not have: same hosts, requests, sizes, headers
// and server times, and a document, stylesheets and scripts that make a browser ask for each recorded request once.
//
// How: dependency_graph.ts finds out what asked for what and how long computation took in between. Here each request is put
// where its parent can ask for it, by the means that a page has: what a parser found becomes a tag in its document
// (page_source.ts), so that parser, preload scanner, priorities and render blocking act on it; what a stylesheet used becomes
// a rule and an element that it fits (stylesheet_source.ts); what a script asked for becomes a call in that script's own body
// after its recorded computation (script_source.ts), in an inline script, or, where the asker runs no script or is too small
// to hold it, a handler of the element that loads the asker. Documents, scripts and stylesheets are padded to the recorded
// sizes; all other bodies stay. Redirects stay what they are, preflights come from a header that needs one, and what the
// recording asks for again goes by fetch() past the caches. What came after the load event is asked for after it.
// What a model cannot have: the page's own computation beside requests (layout, rendering of its real content), and
// conditions that depend on the network (a timer that would have given up).
//
// Pure: archived exchanges in, exchanges out. model_recording.ts reads and writes the archive. Over 500 lines, because where one
// request is put depends on where all others are: one class holds that, and the texts it is put in have files of their own.
import type { ArchivedExchange, Exchange } from "../archive/archive.ts";
import { type ContentEncoding, contentEncoding } from "../fill/content_encoding.ts";
import type { Dimensions } from "../fill/jpeg.ts";
import { type DependencyGraph, dependencyGraph, type GraphNode } from "./dependency_graph.ts";
import { headerOf, type Kind, type ModelRequest, modelRequest } from "./model_request.ts";
import { attribute, fits, type Piece, type Source, sourceOfSize } from "./page_source.ts";
import { modelledHeaders } from "./response_headers.ts";
import {
  type Action,
  type AskOptions,
  type Compute,
  callSource,
  listSource,
  runtime,
  shortUrl,
} from "./script_source.ts";
import { shares } from "./shares.ts";
import { type StyledRequest, styledElements, stylesheetSource } from "./stylesheet_source.ts";

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
}

export interface ModelledExchange {
  /** Place among the recorded exchanges. */
  readonly index: number;
  readonly exchange: Exchange;
  /** null: the recorded one. */
  readonly body: Buffer | null;
}

/** A type and not an interface, so that it is a JsonObject. */
export type ModelFacts = {
  readonly requests: number;
  readonly documents: number;
  /** How many requests' askers are known from what. */
  readonly known_by: Readonly<Record<"initiator" | "referer" | "timing", number>>;
  readonly computation_ms: number;
  readonly after_load: number;
  /** Bodies whose code is larger than the recorded body, and by how much in all. */
  readonly larger: number;
  readonly larger_by_bytes: number;
  /** Redirects that the recording browser made by itself (HSTS), and what it asked for its own sake. */
  readonly left_out: number;
};

export interface ModelledPage {
  readonly exchanges: readonly ModelledExchange[];
  readonly facts: ModelFacts;
}

const longestHold_ms = 10_000;
/** Where it is not known when the load event came. */
const usualHold_ms = 1000;

const runnable = (type: string): boolean => !/^\s*(image|audio|video)\/|^\s*text\/csv/i.test(type);

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

interface Recorded {
  readonly exchange: ArchivedExchange;
  readonly request: ModelRequest;
}

/** Without the scheme: some lanes ask for http:// origins by https. */
const cacheKey = ({ url, method }: ModelRequest): string => `${method} ${url.replace(/^https?:/, "")}`;

const originOf = (url: string): string => new URL(url).origin;

class Model {
  readonly #page: PageToModel;
  readonly #recorded: ReadonlyMap<number, Recorded>;
  readonly #graph: DependencyGraph;
  readonly #children = new Map<number, number[]>();
  /** What leads on from a request by itself: its redirect's target, or of a preflight what it was for. */
  readonly #next = new Map<number, number>();
  readonly #again = new Set<number>();
  readonly #repeatedKeys = new Set<string>();
  /** Lists that the asker of a node starts when it has come, as its own body cannot. */
  readonly #handlers = new Map<number, readonly Action[]>();
  readonly #bodies = new Map<number, { pieces: readonly Piece[]; kind: "html" | "code"; type: string }>();
  readonly #computation = new Map<number, number>();
  /** Documents with a script that calls the runtime. */
  readonly #running = new Set<number>();

  constructor(page: PageToModel, recorded: readonly Recorded[]) {
    this.#page = page;
    this.#recorded = new Map(recorded.map((each) => [each.request.index, each]));
    this.#graph = dependencyGraph(
      recorded.map(({ request }) => request),
      page.url,
      page.load_ms,
    );
    this.#relate();
    this.#timeComputation();
  }

  #at(place: number): GraphNode {
    const node = this.#graph.nodes[place];
    if (!node) throw new RangeError(`no node ${place}`);
    return node;
  }

  #exchange(place: number): ArchivedExchange {
    const found = this.#recorded.get(this.#at(place).request.index);
    if (!found) throw new RangeError(`no exchange of node ${place}`);
    return found.exchange;
  }

  #relate(): void {
    const asked = new Set<string>();
    for (const [place, { parent, dependence, request }] of this.#graph.nodes.entries()) {
      const key = cacheKey(request);
      if (request.method === "GET" && asked.has(key)) {
        this.#repeatedKeys.add(key);
        if (dependence !== "redirect" && dependence !== "start") this.#again.add(place);
      }
      asked.add(key);
      if (parent === null) continue;
      if (dependence === "redirect" || dependence === "preflight") this.#next.set(parent, place);
      else this.#children.set(parent, [...(this.#children.get(parent) ?? []), place]);
    }
  }

  /** What is spent before each request that a script makes. */
  #timeComputation(): void {
    const { compute } = this.#page;
    const last_ms = new Map<number, number>();
    for (const [place, node] of this.#graph.nodes.entries()) {
      if (node.dependence !== "script" && node.dependence !== "response" && node.dependence !== "load") continue;
      // Of a thread's work, what one list spends no other spends again.
      const since_ms = node.sent_ms - (last_ms.get(node.document) ?? Number.NEGATIVE_INFINITY);
      last_ms.set(node.document, node.sent_ms);
      const busy_ms = Math.round(Math.min(node.wait_ms, since_ms));
      this.#computation.set(place, compute === "none" ? 0 : compute === "busy" ? busy_ms : node.wait_ms);
    }
  }

  /** Where a request's redirects and its preflight lead. */
  #end(place: number): number {
    let last = place;
    for (let next = this.#next.get(last); next !== undefined; next = this.#next.get(last)) last = next;
    return last;
  }

  /** How a page has to ask for it. */
  #kind(place: number): Kind {
    const { kind } = this.#at(place);
    if (this.#again.has(place)) return "data";
    // Without a page to show, a frame's load is not waited for.
    const { status } = this.#exchange(this.#end(place));
    return kind === "document" && (status === 204 || status === 205) ? "data" : kind;
  }

  #isScript(place: number): boolean {
    const { kind } = this.#at(place);
    const { status, response_headers } = this.#exchange(place);
    if (kind !== "script" || this.#isAgain(place) || status < 200 || status > 299 || status === 204) return false;
    return runnable(headerOf(response_headers, "content-type") ?? "");
  }

  /** Also at a redirect's end. */
  #isAgain(place: number): boolean {
    let first = place;
    for (let node = this.#at(first); node.dependence === "redirect" && node.parent !== null; node = this.#at(first))
      first = node.parent;
    return this.#again.has(first);
  }

  #documentUrl(place: number): string {
    const { document } = this.#at(place);
    return this.#at(document).request.url;
  }

  #cors(place: number): AskOptions["cors"] | null {
    const node = this.#at(place);
    const kind = this.#kind(place);
    const { request_headers, response_headers } = this.#exchange(place);
    if (kind === "font") return "anonymous";
    const mode = headerOf(request_headers, "sec-fetch-mode");
    if (kind === "data" || kind === "preflight") {
      if (this.#isOpaque(place)) return null;
    } else if (mode !== "cors" && (mode !== null || headerOf(request_headers, "origin") === null)) return null;
    if (kind === "document" || kind === "beacon") return null;
    const allowed = headerOf(response_headers, "access-control-allow-credentials")?.toLowerCase() === "true";
    // The origin to allow is another on lanes that upgrade it.
    const isLasting = this.#documentUrl(place).startsWith("https:") && node.request.url.startsWith("https:");
    const isCross = originOf(this.#documentUrl(place)) !== originOf(node.request.url);
    return allowed && isLasting && isCross && this.#end(place) === place ? "use-credentials" : "anonymous";
  }

  /** Data that were recorded without CORS, or are no data but asked for again. */
  #isOpaque(place: number): boolean {
    const { kind, request } = this.#at(place);
    if (request.method !== "GET" && request.method !== "POST" && request.method !== "HEAD") return false;
    if (this.#again.has(place)) return ["image", "script", "stylesheet"].includes(kind);
    return kind === "data" && headerOf(this.#exchange(place).request_headers, "sec-fetch-mode") === "no-cors";
  }

  #action(place: number): Action {
    const { request } = this.#at(place);
    const kind = this.#kind(place);
    const cors = this.#cors(place);
    const actual = kind === "preflight" ? this.#next.get(place) : undefined;
    const index = actual === undefined ? request.index : this.#at(actual).request.index;
    const body = this.#page.requestBodies.get(index);
    const method = actual === undefined ? request.method : this.#at(actual).request.method;
    const options: AskOptions = {
      ...(cors ? { cors } : {}),
      ...(kind === "preflight" ? { preflighted: true, method: actual === undefined ? "GET" : method } : { method }),
      ...(body && method !== "GET" && method !== "HEAD" ? { body } : {}),
      ...(kind === "data" && this.#isOpaque(place) ? { opaque: true } : {}),
      ...(this.#again.has(place) ? { again: true } : {}),
      ...(kind === "data" || kind === "preflight" ? { holds_ms: this.#holds_ms(place) } : {}),
    };
    const wait_ms = this.#computation.get(place) ?? 0;
    return { kind, wait_ms, url: request.url, options, next: this.#handlers.get(this.#end(place)) ?? [] };
  }

  /**
   * A browser's load event does not wait for data. But a load that is over while a request still waits for its connection
   * would never have asked for it: so the event comes after the response, or after the time that it took to come then.
   */
  #holds_ms(place: number): number {
    const { sent_ms, isAfterLoad, kind } = this.#at(place);
    if (isAfterLoad) return 0;
    // A picture or script delays it, however it is asked for.
    if (kind !== "data" && kind !== "preflight") return longestHold_ms;
    const { load_ms } = this.#page;
    return load_ms === null ? usualHold_ms : Math.round(Math.min(longestHold_ms, Math.max(0, load_ms - sent_ms)));
  }

  #childrenOf(place: number, ...dependences: readonly GraphNode["dependence"][]): number[] {
    return (this.#children.get(place) ?? []).filter((child) => dependences.includes(this.#at(child).dependence));
  }

  #tailOf(place: number): Action[] {
    const { tail } = this.#graph;
    if (tail?.node !== place || this.#page.compute === "none") return [];
    return [{ kind: "nothing", wait_ms: tail.wait_ms, url: "", options: {}, next: [] }];
  }

  /** What a stylesheet's rules can ask for; the rest is its element's handler's. */
  #isStyled(place: number): boolean {
    return !this.#again.has(place) && ["image", "font", "stylesheet"].includes(this.#kind(place));
  }

  #styled(place: number): StyledRequest {
    const { request } = this.#at(place);
    return { url: request.url, kind: this.#kind(place) as StyledRequest["kind"], name: `m${request.index}` };
  }

  /** Scripts and stylesheets, the last first, so that what does not fit into one is known when its asker is made. */
  #makeBodies(): void {
    for (let place = this.#graph.nodes.length - 1; place >= 0; place--) {
      const { kind } = this.#at(place);
      const isAsked = this.#end(place) === place && !this.#isAgain(place);
      if (kind === "document" && isAsked && this.#hasPage(place)) continue;
      const called = this.#childrenOf(place, "script", "response").map((child) => this.#action(child));
      const unstyled = this.#childrenOf(place, "stylesheet")
        .filter((child) => !this.#isStyled(child))
        .map((child) => this.#action(child));
      const list = [...called, ...unstyled, ...this.#tailOf(place)];
      if (kind === "stylesheet" && isAsked) this.#makeStylesheet(place);
      if (this.#isScript(place)) {
        const code = list.length > 0 ? callSource(list, this.#documentUrl(place)) : "";
        const isHeld = fits(code, { ...this.#sizeOf(place) });
        const type = "text/javascript; charset=utf-8";
        if (isHeld || list.length === 0) {
          this.#bodies.set(place, { pieces: [{ html: code, share: 0 }], kind: "code", type });
          continue;
        }
        // As recorded it would do what it did; here others do it.
        this.#bodies.set(place, { pieces: [], kind: "code", type });
      }
      if (list.length > 0) this.#handlers.set(place, list);
    }
  }

  #makeStylesheet(place: number): void {
    const { status } = this.#exchange(place);
    if (status < 200 || status > 299 || status === 204) return;
    const styled = this.#childrenOf(place, "stylesheet").filter((child) => this.#isStyled(child));
    const code = stylesheetSource(
      styled.map((child) => this.#styled(child)),
      this.#at(place).request.url,
    );
    this.#bodies.set(place, { pieces: [{ html: code, share: 0 }], kind: "code", type: "text/css; charset=utf-8" });
  }

  #hasPage(place: number): boolean {
    const { status } = this.#exchange(place);
    return status !== 204 && status !== 205 && (status < 300 || status > 399);
  }

  /** Without them it takes no room until it has come: browsers ask first for what is large and in sight. */
  #dimensions(place: number): string {
    const known = this.#page.images.get(this.#at(this.#end(place)).request.index);
    return known ? ` width=${known.width} height=${known.height}` : "";
  }

  /** The tag by which a parser comes by it. */
  #tag(place: number): string {
    const { request, isBlocking } = this.#at(place);
    const url = attribute(shortUrl(request.url, this.#documentUrl(place)));
    const handler = this.#handlers.get(this.#end(place)) ?? [];
    const cors = this.#cors(place);
    const attributes = [
      ...(cors === "use-credentials" ? [" crossorigin=use-credentials"] : cors ? [" crossorigin"] : []),
      ...(handler.length > 0
        ? [` onload="t(${attribute(listSource(handler, this.#documentUrl(place)))})" onerror=this.onload()`]
        : []),
    ].join("");
    switch (this.#kind(place)) {
      case "script":
        return `<script src="${url}"${isBlocking ? "" : " async"}${attributes}></script>`;
      case "stylesheet":
        return `<link rel=stylesheet href="${url}"${attributes}>`;
      case "image":
        return `<img src="${url}" alt=""${this.#dimensions(place)}${attributes}>`;
      case "document":
        return `<iframe src="${url}"${attributes}></iframe>`;
      case "font": {
        const styled = [this.#styled(place)];
        return `<style>${stylesheetSource(styled, request.url)}</style>${styledElements(styled)}`;
      }
      default:
        return `<script>${callSource([this.#action(place)], this.#documentUrl(place))}</script>`;
    }
  }

  #makeDocument(place: number): void {
    const { request } = this.#at(place);
    const base = request.url;
    const found = this.#childrenOf(place, "parser");
    const inline = this.#childrenOf(place, "script", "response");
    const call = (children: readonly number[]): string =>
      children.length === 0
        ? ""
        : `<script>${callSource(
            children.map((child) => this.#action(child)),
            base,
          )}</script>`;
    const after = Map.groupBy(inline, (child) => this.#at(child).after ?? -1);
    const parts = found.map((child) => {
      const passed = after.get(child) ?? [];
      after.delete(child);
      return { node: this.#at(child), html: this.#tag(child) + call(passed) };
    });
    const first = call([...after.values()].flat());
    const styled = this.#graph.nodes.flatMap((node, child) =>
      node.dependence === "stylesheet" && node.document === place && this.#isStyled(child) ? [this.#styled(child)] : [],
    );
    const late = place === this.#graph.root ? this.#childrenOf(place, "load").map((child) => this.#action(child)) : [];
    const tail = this.#tailOf(place);
    const end = [
      ...(late.length > 0 ? [`<script>l(${listSource(late, base)})</script>`] : []),
      ...(tail.length > 0 ? [`<script>${callSource(tail, base)}</script>`] : []),
    ].join("");
    const placed = shares(
      this.#at(place),
      parts.map(({ node }) => node),
    );
    const elements = styledElements(styled);
    // Elements that rules fit stand behind what stands in a head.
    const bodyAt = parts.findIndex(({ node }) => node.kind !== "script" && node.kind !== "stylesheet");
    const pieces: Piece[] = parts.map(({ html }, index) => ({
      html: index === bodyAt ? elements + html : html,
      share: placed[index] ?? 0,
    }));
    const needsRuntime = this.#running.has(place) || [first, end, ...parts.map(({ html }) => html)].some(hasCall);
    const upgrade =
      new URL(base).protocol === "http:"
        ? `<script>location.protocol=="https:"&&document.write('<meta http-equiv=Content-Security-Policy content=upgrade-insecure-requests>')</script>`
        : "";
    const head = `<!doctype html><meta charset=utf-8><title>modelled page</title><link rel=icon href=data:,>${upgrade}${needsRuntime ? `<script>${runtime(this.#page.compute)}</script>` : ""}${first}`;
    const rest: Piece = { html: `${bodyAt < 0 ? elements : ""}${end}`, share: 1 };
    this.#bodies.set(place, {
      pieces: [{ html: head, share: 0 }, ...pieces, rest],
      kind: "html",
      type: "text/html; charset=utf-8",
    });
  }

  #sizeOf(place: number): { wire_bytes: number; encoding: ContentEncoding | null } {
    const { body_size, response_headers } = this.#exchange(place);
    return { wire_bytes: body_size, encoding: contentEncoding(headerOf(response_headers, "content-encoding") ?? "") };
  }

  /** The body of its own that an exchange has in the model; null: the recorded one. */
  #source(place: number): MadeBody | null {
    const made = this.#bodies.get(place);
    if (!made) return null;
    const { body_origin, body_size, recorded } = this.#exchange(place);
    const code = made.pieces.map(({ html }) => html).join("");
    // A comment of the right size already.
    if (code === "" && (body_origin === "empty" || (body_origin === "filled" && recorded.cut_off !== true)))
      return null;
    // A frame that was empty and asks for nothing stays so.
    if (made.kind === "html" && body_size === 0 && made.pieces.length <= 2) return null;
    const decoded_bytes = typeof recorded.decoded_size === "number" ? recorded.decoded_size : null;
    const size = this.#sizeOf(place);
    const seed = this.#at(place).request.url;
    const encoding = body_size === 0 ? null : size.encoding;
    const source = sourceOfSize(made.pieces, made.kind, { ...size, encoding, decoded_bytes, seed });
    return { ...source, type: made.type, encoding };
  }

  make(): ModelledPage {
    this.#makeBodies();
    for (const [place, made] of this.#bodies)
      if (this.#isScript(place) && made.pieces.some(({ html }) => html !== ""))
        this.#running.add(this.#at(place).document);
    for (const [place, { kind }] of this.#graph.nodes.entries())
      if (kind === "document" && this.#end(place) === place && !this.#isAgain(place) && this.#hasPage(place))
        this.#makeDocument(place);
    let larger = 0;
    let larger_by_bytes = 0;
    const exchanges = this.#graph.nodes.map((_, place): ModelledExchange => {
      const source = this.#source(place);
      if (source && source.excess_bytes > 0) {
        larger++;
        larger_by_bytes += source.excess_bytes;
      }
      return this.#modelled(place, source);
    });
    const nodes = this.#graph.nodes;
    const knownBy = (how: GraphNode["knownBy"]): number => nodes.filter((node) => node.knownBy === how).length;
    return {
      exchanges: exchanges.toSorted((a, b) => a.index - b.index),
      facts: {
        requests: nodes.length,
        documents: nodes.filter(({ kind }, place) => kind === "document" && this.#end(place) === place).length,
        known_by: { initiator: knownBy("initiator"), referer: knownBy("referer"), timing: knownBy("timing") },
        computation_ms: Math.max(0, ...nodes.map(({ wait_ms, isAfterLoad }) => (isAfterLoad ? 0 : wait_ms))),
        after_load: nodes.filter(({ isAfterLoad }) => isAfterLoad).length,
        larger,
        larger_by_bytes,
        left_out: this.#page.exchanges.length - nodes.length,
      },
    };
  }

  #modelled(place: number, source: MadeBody | null): ModelledExchange {
    const node = this.#at(place);
    const exchange = this.#exchange(place);
    // What is allowed is decided by who began the chain.
    let first = place;
    for (let each = node; each.dependence === "redirect" || each.dependence === "preflight"; each = this.#at(first))
      first = each.parent ?? first;
    const cors = first === 0 ? null : this.#cors(first);
    const origin = originOf(this.#documentUrl(first));
    const isPreflight = this.#kind(place) === "preflight";
    const actual = this.#next.get(place);
    const letsThrough = isPreflight && actual !== undefined ? this.#at(actual).request.method : null;
    const isSecurePage = node.kind === "document" && node.request.url.startsWith("https:");
    const response_headers = modelledHeaders(exchange.response_headers, {
      cors: cors && !(isPreflight && actual === undefined) ? { origin, credentials: cors === "use-credentials" } : null,
      letsThrough,
      type: source?.type ?? null,
      encoding: source ? source.encoding : undefined,
      isRepeated: this.#repeatedKeys.has(cacheKey(node.request)),
      upgrades: isSecurePage && source !== null,
    });
    const { seq: _, request_body_sha256: _r, body_sha256: _b, body_size: _s, ...kept } = exchange;
    return {
      index: node.request.index,
      exchange: {
        ...kept,
        // A part of a body is given only to who asks for a part.
        status: exchange.status === 206 ? 200 : exchange.status,
        response_headers,
        ...(source ? { body_origin: source.bytes.length > 0 ? ("filled" as const) : ("empty" as const) } : {}),
      },
      body: source?.bytes ?? null,
    };
  }
}

interface MadeBody extends Source {
  readonly type: string;
  readonly encoding: ContentEncoding | null;
}

const hasCall = (html: string): boolean => /<script>[tl]\(|onload="t\(/.test(html);

/** RangeError for a page without a request. */
export function modelPage(page: PageToModel): ModelledPage {
  const recorded = page.exchanges.map((exchange, index) => ({ exchange, request: modelRequest(exchange, index) }));
  return new Model(
    page,
    recorded.filter((each) => !isInternalRedirect(each) && !isBrowsersOwn(each)),
  ).make();
}
