// A page of the same shape as a recorded one, for bodies that a recording does not have: same hosts, requests, sizes, headers
// and server times, and a document, stylesheets and scripts that make a browser ask for each recorded request once.
//
// How: dependency_graph.ts finds out what requested what and how long computation took in between. Here each request is put
// where its parent can ask for it, by the means that a page has: what a parser found becomes a tag in its document
// (page_source.ts), so that parser, preload scanner, priorities and render blocking act on it; what a stylesheet used becomes
// a rule and an element that it fits (script_source.ts); what a script requested becomes a call in that script's own body
// after its recorded computation (script_source.ts), in an inline script, or, where the asker runs no script or is too small
// to hold it, a handler of the element that loads the asker. Documents, scripts and stylesheets are padded to the recorded
// sizes; all other bodies stay. Redirects stay what they are, preflights come from a header that needs one, and what the
// recording asks for again goes by fetch() past the caches. What came after the load event is requested after it.
// What a model cannot have: the page's own computation beside requests (layout, rendering of its real content), and
// conditions that depend on the network (a timer that would have given up).
//
// Pure: archived exchanges in, exchanges out. page_nodes.ts says how each request is requested, page_actions.ts what scripts do,
// page_bodies.ts writes it; model_recording.ts reads and writes the archive.
import type { Exchange } from "../archive/archive.ts";
import type { ContentEncoding } from "../fill/content_encoding.ts";
import type { GraphNode } from "./dependency_graph.ts";
import { PageActions } from "./page_actions.ts";
import { PageBodies } from "./page_bodies.ts";
import { originOf, PageNodes, type PageToModel } from "./page_nodes.ts";
import { type Source, sourceOfSize } from "./page_source.ts";
import { modelledHeaders } from "./response_headers.ts";

interface ModelledExchange {
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
  /** Redirects that the recording browser made by itself (HSTS), and what it requested for its own sake. */
  readonly left_out: number;
};

export interface ModelledPage {
  readonly exchanges: readonly ModelledExchange[];
  readonly facts: ModelFacts;
}

interface MadeBody extends Source {
  readonly type: string;
  readonly encoding: ContentEncoding | null;
}

/** The body of its own that an exchange has in the model; null: the recorded one. */
function bodyOf(nodes: PageNodes, bodies: PageBodies, place: number): MadeBody | null {
  const made = bodies.of(place);
  if (!made) return null;
  const { body_origin, body_size, recorded } = nodes.exchange(place);
  const code = made.pieces.map(({ html }) => html).join("");
  // A comment of the right size already.
  if (code === "" && (body_origin === "empty" || (body_origin === "filled" && recorded.cut_off !== true))) return null;
  // A frame that was empty and asks for nothing stays so.
  if (made.kind === "html" && body_size === 0 && made.pieces.length <= 2) return null;
  const decoded_bytes = typeof recorded.decoded_size === "number" ? recorded.decoded_size : null;
  const size = nodes.sizeOf(place);
  const seed = nodes.at(place).request.url;
  const encoding = body_size === 0 ? null : size.encoding;
  const source = sourceOfSize(made.pieces, made.kind, { ...size, encoding, decoded_bytes, seed });
  return { ...source, type: made.type, encoding };
}

function modelled(nodes: PageNodes, place: number, source: MadeBody | null): ModelledExchange {
  const node = nodes.at(place);
  const exchange = nodes.exchange(place);
  // What is allowed is decided by who began the chain.
  let first = place;
  for (let each = node; each.dependence === "redirect" || each.dependence === "preflight"; each = nodes.at(first))
    first = each.parent ?? first;
  const cors = first === 0 ? null : nodes.cors(first);
  const origin = originOf(nodes.documentUrl(first));
  const isPreflight = nodes.kind(place) === "preflight";
  const actual = nodes.next(place);
  const letsThrough = isPreflight && actual !== undefined ? nodes.at(actual).request.method : null;
  const isSecurePage = node.kind === "document" && node.request.url.startsWith("https:");
  const response_headers = modelledHeaders(exchange.response_headers, {
    cors: cors && !(isPreflight && actual === undefined) ? { origin, credentials: cors === "use-credentials" } : null,
    letsThrough,
    type: source?.type ?? null,
    encoding: source ? source.encoding : undefined,
    isRepeated: nodes.isRepeated(place),
    upgrades: isSecurePage && source !== null,
  });
  const { seq: _, request_body_sha256: _r, body_sha256: _b, body_size: _s, ...kept } = exchange;
  return {
    index: node.request.index,
    exchange: {
      ...kept,
      // A part of a body is given only to who asks for a part, and a 304 to who asks on a condition.
      status: exchange.status === 206 || exchange.status === 304 ? 200 : exchange.status,
      response_headers,
      ...(source ? { body_origin: source.bytes.length > 0 ? ("filled" as const) : ("empty" as const) } : {}),
    },
    body: source?.bytes ?? null,
  };
}

/** RangeError for a page without a request. */
export function modelPage(page: PageToModel): ModelledPage {
  const nodes = new PageNodes(page);
  const bodies = new PageBodies(nodes, new PageActions(nodes, page), page);
  let larger = 0;
  let larger_by_bytes = 0;
  const exchanges = nodes.graph.nodes.map((_, place): ModelledExchange => {
    const source = bodyOf(nodes, bodies, place);
    if (source && source.excess_bytes > 0) {
      larger++;
      larger_by_bytes += source.excess_bytes;
    }
    return modelled(nodes, place, source);
  });
  const all = nodes.graph.nodes;
  const knownBy = (how: GraphNode["knownBy"]): number => all.filter((node) => node.knownBy === how).length;
  return {
    exchanges: exchanges.toSorted((a, b) => a.index - b.index),
    facts: {
      requests: all.length,
      documents: all.filter(({ kind }, place) => kind === "document" && nodes.end(place) === place).length,
      known_by: { initiator: knownBy("initiator"), referer: knownBy("referer"), timing: knownBy("timing") },
      computation_ms: Math.max(0, ...all.map(({ wait_ms, isAfterLoad }) => (isAfterLoad ? 0 : wait_ms))),
      after_load: all.filter(({ isAfterLoad }) => isAfterLoad).length,
      larger,
      larger_by_bytes,
      left_out: page.exchanges.length - all.length,
    },
  };
}
