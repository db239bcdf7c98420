// What of a page requested what: from a recording's requests to a graph, as WProf (NSDI 2013) draws it and Epload (NSDI 2014)
// replays it. Every request has one parent, which had begun before it: a document whose parser found it, a stylesheet that
// uses it, a script (or the document's own inline script) that requested it after `wait_ms` of computation, a response that
// its asker had waited for, a redirect that led to it, a preflight, or the load event. Pure: data in, data out.
//
// Who the parent is comes from the recorded initiator; without one from Referer (a stylesheet, a frame's document), and
// within a document from timing: what was requested while the document came was found by its parser, what came later was
// requested by the last script to arrive before it. A script runs once it has arrived and, where it blocks the parser, once
// the blocking scripts and stylesheets before it have too: `wait_ms` counts from there, so that waiting for the network is
// not taken for computation. Waiting for the main thread is: a script that arrives during the first rendering asks late, and the
// model keeps that delay even where the script arrives at another time. Requests are put in the order of their sending first
// and parents are looked for only among the earlier ones: whatever cycles or impossible times a file claims, the graph is a
// tree, found in n log n steps.
import { withoutFragment } from "../../../extension/capture/url_without_credentials.ts";
import { countThrough } from "../../base/quantile.ts";
import type { Kind, ModelRequest } from "./model_request.ts";
import { startChain } from "./model_request.ts";

type Dependence =
  | "start"
  | "redirect"
  | "preflight"
  | "parser"
  | "stylesheet"
  | "script"
  | "response"
  /** Requested once the load event was over. */
  | "load";

export interface GraphNode {
  readonly request: ModelRequest;
  /** As the request's, but of what a redirect leads to: a redirected image is one. */
  readonly kind: Kind;
  /** ms from the beginning of the page load, in an order that can be: sent <= firstByte <= end. */
  readonly sent_ms: number;
  readonly firstByte_ms: number;
  readonly end_ms: number;
  /** Place in the graph's nodes; null: the first request. */
  readonly parent: number | null;
  readonly dependence: Dependence;
  /** Computation between what it depends on and its sending. */
  readonly wait_ms: number;
  /** The document that it belongs to; of a document, the one that it is a frame of. */
  readonly document: number;
  /**
   * Of what an inline script asks for: the blocking script or stylesheet of the document after which that script stands;
   * null: before all of them.
   */
  readonly after: number | null;
  /** Whether the parser waits for it: a script without async or defer. */
  readonly isBlocking: boolean;
  readonly isAfterLoad: boolean;
  readonly knownBy: "initiator" | "referer" | "timing" | "itself";
}

export interface DependencyGraph {
  /** In the order of sending, but the first request and its redirects come first. */
  readonly nodes: readonly GraphNode[];
  /** The page's document. */
  readonly root: number;
  /** Computation between the last arrival and the load event, and after which node. */
  readonly tail: { readonly node: number; readonly wait_ms: number } | null;
}

/** No page computes for longer without a request: a timer's wait, or a clock that jumped. */
const longestWait_ms = 5000;
/** What a browser needs itself between an arrival and the next request. */
const ownTime_ms = 2;
/** How long after a document's end its parser may still find something. */
const parserTime_ms = 100;
/** An arrival is what a script waited for if the request comes so soon after it. */
const afterArrival_ms = 30;
/**
 * What scripts and responses ask for is nested in a model's code, and code can only be nested so deep. A longer chain (a page that
 * polls) continues from its document.
 */
const deepest = 200;

type Draft = { -readonly [Name in keyof GraphNode]: GraphNode[Name] } & {
  ready_ms: number;
  /** What its initiator names, whatever it had waited for. */
  namer: number | null;
  /** How many requests of its document wait for one another up to this one. */
  depth: number;
};

const isNumber = (value: number | null): value is number => value !== null && Number.isFinite(value);

/** The requests in an order that can be: `first` begins, what has no time follows what it follows in the recording. */
function drafts(requests: readonly ModelRequest[], first: ReadonlySet<ModelRequest>): Draft[] {
  const known = requests.map(({ sent_ms }) => sent_ms).filter(isNumber);
  let last_ms = Math.min(...known.slice(0, 1), 0);
  const timed = requests.map((request) => {
    last_ms = isNumber(request.sent_ms) ? request.sent_ms : last_ms;
    return { request, sent_ms: last_ms };
  });
  const isFirst = ({ request }: { request: ModelRequest }): number => (first.has(request) ? 0 : 1);
  timed.sort((a, b) => isFirst(a) - isFirst(b) || a.sent_ms - b.sent_ms || a.request.index - b.request.index);
  let chain_ms = Number.NEGATIVE_INFINITY;
  return timed.map(({ request, sent_ms: recorded_ms }): Draft => {
    // What began before the page's first request began with it.
    const sent_ms = Math.max(recorded_ms, chain_ms);
    if (first.has(request) || chain_ms === Number.NEGATIVE_INFINITY) chain_ms = sent_ms;
    return {
      request,
      kind: request.kind,
      sent_ms,
      firstByte_ms: sent_ms + request.untilFirstByte_ms,
      end_ms: sent_ms + Math.max(request.untilFirstByte_ms, request.untilEnd_ms),
      parent: null,
      dependence: "start",
      wait_ms: 0,
      document: 0,
      after: null,
      isBlocking: false,
      isAfterLoad: false,
      knownBy: "itself",
      ready_ms: sent_ms + Math.max(request.untilFirstByte_ms, request.untilEnd_ms),
      namer: null,
      depth: 0,
    };
  });
}

/** The last place in an ascending list that is below `limit`; -1: none. */
const lastBelow = (places: readonly number[], limit: number): number =>
  places[countThrough(places, limit - 1) - 1] ?? -1;

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "");

/** Blocking scripts and stylesheets of a document, in order, with the time from which on all of them so far had run. */
interface Gates {
  readonly places: number[];
  readonly passed_ms: number[];
}

class Builder {
  readonly nodes: Draft[];
  readonly #load_ms: number | null;
  readonly #byUrl: Map<string, number[]>;
  readonly #documentsOf = new Map<string, number[]>();
  readonly #followed = new Map<number, number>();
  readonly #preflightOf = new Map<number, number>();
  readonly #gates = new Map<number, Gates>();
  /** When a document's parser is first known to run: until then a browser makes a process and commits the navigation. */
  readonly #parsing = new Map<number, number>();
  /** Of each document, the script that arrived last, and the script or data. */
  readonly #lastScript = new Map<number, number>();
  readonly #last = new Map<number, number>();
  /** Of what each script or document was named as the initiator of, the script or data that arrived last. */
  readonly #lastNamed = new Map<number, number>();
  readonly #byEnd: readonly number[];
  #arrived = 0;
  root = 0;

  constructor(nodes: Draft[], load_ms: number | null) {
    this.nodes = nodes;
    this.#load_ms = load_ms;
    this.#byUrl = new Map();
    for (const [place, { request }] of nodes.entries()) {
      const places = this.#byUrl.get(request.url);
      if (places) places.push(place);
      else this.#byUrl.set(request.url, [place]);
    }
    this.#byEnd = nodes.map((_, place) => place).sort((a, b) => this.at(a).end_ms - this.at(b).end_ms || a - b);
  }

  at(place: number): Draft {
    const node = this.nodes[place];
    if (!node) throw new RangeError(`no node ${place}`);
    return node;
  }

  /** Each redirect leads to the next request of its target, each preflight to the request that it was for. */
  pair(): void {
    const claimed = new Set<number>();
    const cursor = new Map<string, number>();
    const claim = (url: string, after: number, fits: (node: Draft) => boolean): number | null => {
      const places = this.#byUrl.get(url) ?? [];
      // Places before the cursor are all claimed or passed for good.
      for (let at = cursor.get(url) ?? 0; at < places.length; at++) {
        const place = places[at] ?? 0;
        if (place <= after || claimed.has(place) || !fits(this.at(place))) continue;
        claimed.add(place);
        if (at === (cursor.get(url) ?? 0)) cursor.set(url, at + 1);
        return place;
      }
      return null;
    };
    for (const [place, { request }] of this.nodes.entries()) {
      if (request.location === null) continue;
      const next = claim(request.location, place, ({ request: { kind } }) => kind !== "preflight");
      if (next !== null) this.#followed.set(place, next);
    }
    for (const [place, { request, kind }] of this.nodes.entries()) {
      if (kind !== "preflight") continue;
      // Some recorders date a request before the preflight that it waited for.
      const next = claim(request.url, -1, (node) => node.kind !== "preflight");
      if (next !== null) this.#preflightOf.set(next, place);
    }
    // From the end, so that a chain has the kind of what it leads to.
    for (let place = this.nodes.length - 1; place >= 0; place--) {
      const next = this.#followed.get(place);
      if (next !== undefined) this.at(place).kind = this.at(next).kind;
    }
  }

  /** What loads of the model did not ask for otherwise: the page's own script asks. What leads on by itself follows what began it. */
  askDirectly(isDirect: (request: ModelRequest) => boolean): void {
    const first_ms = this.#parsing.get(this.root) ?? this.at(this.root).firstByte_ms;
    for (const [place, missed] of this.nodes.entries()) {
      if (!isDirect(missed.request)) continue;
      let first = place;
      for (let each = missed; each.dependence === "redirect" || each.dependence === "preflight"; each = this.at(first))
        first = each.parent ?? first;
      const node = this.at(first);
      if (node.dependence === "start" || node.dependence === "load") continue;
      Object.assign(node, { parent: this.root, document: this.root, dependence: "script", after: null });
      node.wait_ms = Math.min(Math.max(0, Math.round(node.sent_ms - first_ms)), longestWait_ms);
    }
  }

  followed(place: number): number | null {
    return this.#followed.get(place) ?? null;
  }

  build(): void {
    const targets = new Map([...this.#followed].map(([from, to]) => [to, from]));
    const preflights = new Map([...this.#preflightOf].map(([request, preflight]) => [preflight, request]));
    const done = new Set<number>();
    for (let place = 0; place < this.nodes.length; place++) {
      if (done.has(place)) continue;
      this.#arrivals(place);
      const from = targets.get(place);
      const preflight = this.#preflightOf.get(place) ?? (preflights.has(place) ? place : undefined);
      if (from !== undefined) this.#follow(place, from);
      else if (place > 0 && preflight !== undefined) {
        const actual = preflights.get(preflight) ?? place;
        this.#ask(preflight, place);
        const { document, isAfterLoad, depth } = this.at(preflight);
        Object.assign(this.at(actual), { parent: preflight, dependence: "preflight", document, isAfterLoad, depth });
        done.add(preflight).add(actual);
      } else if (place > 0) this.#ask(place, place);
      this.#enter(place);
    }
  }

  /** Notes what has arrived when the request at `place` was sent. */
  #arrivals(place: number): void {
    const { sent_ms } = this.at(place);
    for (; this.#arrived < this.#byEnd.length; this.#arrived++) {
      const arrived = this.#byEnd[this.#arrived] ?? 0;
      const node = this.at(arrived);
      if (node.end_ms > sent_ms || arrived >= place) return;
      if (this.#followed.has(arrived)) continue;
      if (node.kind === "script") this.#lastScript.set(node.document, arrived);
      else if (node.kind !== "data" || node.request.method === "OPTIONS") continue;
      this.#last.set(node.document, arrived);
      if (node.namer !== null) this.#lastNamed.set(node.namer, arrived);
    }
  }

  #follow(place: number, from: number): void {
    const source = this.at(from);
    const { document, isAfterLoad, isBlocking, depth } = source;
    Object.assign(this.at(place), { parent: from, dependence: "redirect", document, isAfterLoad, isBlocking, depth });
  }

  /** Finds the parent of the request at `place` among those before `limit`. */
  #ask(place: number, limit: number): void {
    const node = this.at(place);
    const styled = this.#stylesheetOf(node, limit);
    const asker = styled ?? this.#initiatorOf(node, limit);
    if (asker !== null) {
      const parent = this.at(asker);
      node.namer = asker;
      node.knownBy = styled !== null && node.request.initiator === null ? "referer" : "initiator";
      const isScript = node.request.initiator?.type === "script";
      if (parent.kind === "stylesheet" && styled !== null) this.#depend(node, asker, "stylesheet");
      else if (parent.kind === "document") this.#inDocument(node, place, asker, isScript ? "script" : "parser");
      else if (parent.kind === "script") this.#depend(node, asker, "script");
      else if (parent.kind === "data") this.#depend(node, asker, "response");
      else this.#inDocument(node, place, parent.document, "parser");
    } else {
      const document = this.#documentOf(node, limit);
      node.knownBy = "timing";
      this.#inDocument(node, place, document, null);
    }
    this.#afterArrival(node, limit);
    this.#afterLoad(node);
  }

  /** The stylesheet that uses it, by Referer or initiator. */
  #stylesheetOf(node: Draft, limit: number): number | null {
    if (!["image", "font", "stylesheet"].includes(node.kind)) return null;
    for (const url of [node.request.referer, ...(node.request.initiator?.urls.slice(0, 1) ?? [])]) {
      const place = url === null ? -1 : lastBelow(this.#byUrl.get(url) ?? [], limit);
      if (place >= 0 && this.at(place).kind === "stylesheet") return place;
    }
    return null;
  }

  /** Of the scripts on a stack, the one that arrived last before the request: the others were waiting for it. */
  #initiatorOf(node: Draft, limit: number): number | null {
    let best: number | null = null;
    for (const url of node.request.initiator?.urls ?? []) {
      let place = lastBelow(this.#byUrl.get(url) ?? [], limit);
      for (let next = this.#followed.get(place); next !== undefined && next < limit; next = this.#followed.get(place))
        place = next;
      if (place < 0 || !["document", "stylesheet", "script", "data"].includes(this.at(place).kind)) continue;
      const { end_ms } = this.at(place);
      if (best === null || (end_ms <= node.sent_ms && end_ms > this.at(best).end_ms)) best = place;
    }
    return best;
  }

  #documentOf(node: Draft, limit: number): number {
    for (const url of [node.request.documentUrl, node.request.referer]) {
      if (url === null) continue;
      const exact = lastBelow(this.#documentsOf.get(withoutFragment(url)) ?? [], limit);
      if (exact >= 0) return exact;
    }
    const { referer } = node.request;
    // A policy may leave only the origin of it.
    if (referer === null || originOf(referer) === originOf(this.at(this.root).request.url)) return this.root;
    const ofOrigin = lastBelow(this.#documentsOf.get(originOf(referer)) ?? [], limit);
    return ofOrigin >= 0 ? ofOrigin : this.root;
  }

  /** Found by its parser, or requested by its inline script or, `how` null, by whichever arrived last. */
  #inDocument(node: Draft, place: number, document: number, how: "parser" | "script" | null): void {
    const owner = this.at(document);
    node.document = document;
    const isFound = how === "parser" || (how === null && node.sent_ms <= owner.end_ms + parserTime_ms);
    if (isFound && node.kind !== "data" && node.kind !== "beacon" && node.kind !== "preflight") {
      Object.assign(node, { parent: document, dependence: "parser" });
      if (!this.#parsing.has(document)) this.#parsing.set(document, node.sent_ms);
      this.#addGate(node, place, document);
      return;
    }
    const script = how === null ? this.#lastScript.get(document) : undefined;
    if (script !== undefined) {
      this.#depend(node, script, "script");
      return;
    }
    const gates = this.#gates.get(document);
    // The last gate that had been passed by then.
    const last = countThrough(gates?.passed_ms ?? [], node.sent_ms) - 1;
    node.after = gates?.places[last] ?? null;
    const begun_ms = this.#parsing.get(document) ?? owner.firstByte_ms;
    this.#dependAt(node, document, "script", Math.max(begun_ms, gates?.passed_ms[last] ?? begun_ms));
  }

  /** A blocking script waits for those before it, and all of them for the stylesheets before them. */
  #addGate(node: Draft, place: number, document: number): void {
    const isAsync = node.request.priority === "low" || node.request.priority === "verylow";
    node.isBlocking = node.kind === "script" && !isAsync;
    if (!node.isBlocking && node.kind !== "stylesheet") return;
    const gates: Gates = this.#gates.get(document) ?? { places: [], passed_ms: [] };
    this.#gates.set(document, gates);
    const passed_ms = Math.max(this.#endOfChain(place), gates.passed_ms.at(-1) ?? 0);
    if (node.isBlocking) node.ready_ms = passed_ms;
    gates.places.push(place);
    gates.passed_ms.push(passed_ms);
  }

  #endOfChain(place: number): number {
    let last = place;
    for (let next = this.#followed.get(last); next !== undefined; next = this.#followed.get(last)) last = next;
    return this.at(last).end_ms;
  }

  #depend(node: Draft, parent: number, dependence: Dependence): void {
    const { ready_ms, end_ms, document } = this.at(parent);
    node.document = document;
    // It ran before it could have, as we count: it does not block.
    this.#dependAt(node, parent, dependence, ready_ms <= node.sent_ms ? ready_ms : end_ms);
  }

  #dependAt(node: Draft, parent: number, dependence: Dependence, from_ms: number): void {
    const { kind, depth } = this.at(parent);
    if (kind !== "document" && depth >= deepest) {
      node.after = null;
      const { firstByte_ms } = this.at(node.document);
      this.#dependAt(node, node.document, "script", this.#parsing.get(node.document) ?? firstByte_ms);
      return;
    }
    const wait_ms = node.sent_ms - from_ms;
    node.parent = parent;
    node.dependence = dependence;
    node.depth = kind === "document" ? 1 : depth + 1;
    node.wait_ms =
      dependence === "stylesheet" || !(wait_ms > ownTime_ms) ? 0 : Math.min(Math.round(wait_ms), longestWait_ms);
  }

  /**
   * A script continues when what it waited for has come: a loader names itself as the initiator of all that it loads, one after
   * another. So of what it had requested the last arrival counts, and of all others in the document one just before.
   */
  #afterArrival(node: Draft, limit: number): void {
    if (node.dependence !== "script" || node.wait_ms <= afterArrival_ms) return;
    const own = node.namer === null ? undefined : this.#lastNamed.get(node.namer);
    const any = this.#last.get(node.document);
    const fits = (place: number | undefined, within_ms: number): place is number =>
      place !== undefined &&
      place < limit &&
      place !== node.parent &&
      this.at(place).ready_ms <= node.sent_ms &&
      node.sent_ms - this.at(place).ready_ms <= Math.min(within_ms, node.wait_ms);
    const found = fits(any, afterArrival_ms) ? any : fits(own, Number.POSITIVE_INFINITY) ? own : null;
    if (found === null) return;
    node.after = null;
    this.#depend(node, found, this.at(found).kind === "data" ? "response" : "script");
  }

  #afterLoad(node: Draft): void {
    const load_ms = this.#load_ms;
    if (load_ms === null || node.sent_ms < load_ms) return;
    node.isAfterLoad = true;
    if (node.parent !== null && this.at(node.parent).isAfterLoad && node.dependence !== "parser") return;
    if (node.dependence === "parser" && this.at(node.document).isAfterLoad) return;
    Object.assign(node, { parent: this.root, document: this.root, dependence: "load", after: null });
    node.depth = 1;
    node.wait_ms = Math.min(Math.round(node.sent_ms - load_ms), longestWait_ms);
  }

  /** From now on it may be what others are requested by. */
  #enter(place: number): void {
    const { kind, request } = this.at(place);
    if (kind !== "document" || this.#followed.has(place)) return;
    for (const key of [request.url, originOf(request.url)]) {
      const documents = this.#documentsOf.get(key);
      if (documents) documents.push(place);
      else this.#documentsOf.set(key, [place]);
    }
  }

  /**
   * What was left to compute once all had come. Documents, stylesheets and scripts give a browser work; what pictures and fonts
   * give it, those of a page of the same shape give it, too.
   */
  tail(): DependencyGraph["tail"] {
    if (this.#load_ms === null) return null;
    let last = this.root;
    let arrived_ms = this.at(last).ready_ms;
    for (const [place, { kind, isAfterLoad, end_ms, ready_ms }] of this.nodes.entries()) {
      const isCode = kind === "document" || kind === "stylesheet" || kind === "script";
      if ((!isCode && kind !== "image") || isAfterLoad || end_ms > this.#load_ms) continue;
      arrived_ms = Math.max(arrived_ms, ready_ms);
      if (isCode && ready_ms > this.at(last).ready_ms) last = place;
    }
    const wait_ms = Math.round(this.#load_ms - arrived_ms);
    return wait_ms > ownTime_ms ? { node: last, wait_ms: Math.min(wait_ms, longestWait_ms) } : null;
  }
}

/**
 * `requests`: in recorded order. `load_ms`: when the load event came, in the requests' time; null: not known, all requests
 * were before it. `isDirect`: whether the page's own script has to ask for a request. RangeError if there is no request.
 */
export function dependencyGraph(
  requests: readonly ModelRequest[],
  startUrl: string,
  load_ms: number | null,
  isDirect: (request: ModelRequest) => boolean = () => false,
): DependencyGraph {
  if (requests.length === 0) throw new RangeError("a graph of no requests");
  const chain = startChain(requests, startUrl);
  const nodes = drafts(requests, new Set(chain));
  const builder = new Builder(nodes, load_ms);
  builder.pair();
  // Whatever it was said to be, the page's first response is its document.
  builder.at(0).kind = "document";
  for (let next = builder.followed(0); next === builder.root + 1; next = builder.followed(next)) {
    builder.root = next;
    builder.at(next).kind = "document";
  }
  builder.build();
  builder.askDirectly(isDirect);
  const tail = builder.tail();
  return { nodes: nodes.map(({ ready_ms: _, namer: _n, depth: _d, ...node }) => node), root: builder.root, tail };
}
