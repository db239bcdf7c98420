// What a modelled page's scripts do: the recorded computation before each request, the request, and what follows when it has come.
// Which text holds these actions is page_bodies.ts's.
import type { PageNodes, PageToModel } from "./page_nodes.ts";
import { type Action, type AskOptions, longestHold_ms } from "./script_source.ts";

/** Where it is not known when the load event came. */
const usualHold_ms = 1000;

export class PageActions {
  readonly #nodes: PageNodes;
  readonly #page: PageToModel;
  readonly #computation = new Map<number, number>();
  /** Lists that the asker of a node starts when it has come, as its own body cannot. */
  readonly #handlers = new Map<number, readonly Action[]>();

  constructor(nodes: PageNodes, page: PageToModel) {
    this.#nodes = nodes;
    this.#page = page;
    this.#timeComputation();
  }

  /** From now on whatever asks for the node starts this list, when it has come. */
  handle(place: number, list: readonly Action[]): void {
    this.#handlers.set(place, list);
  }

  handlerOf(place: number): readonly Action[] {
    return this.#handlers.get(this.#nodes.end(place)) ?? [];
  }

  /** What is spent before each request that a script makes. */
  #timeComputation(): void {
    const { compute } = this.#page;
    const last_ms = new Map<number, number>();
    for (const [place, node] of this.#nodes.graph.nodes.entries()) {
      if (node.dependence !== "script" && node.dependence !== "response" && node.dependence !== "load") continue;
      // Of a thread's work, what one list spends no other spends again.
      const since_ms = node.sent_ms - (last_ms.get(node.document) ?? Number.NEGATIVE_INFINITY);
      last_ms.set(node.document, node.sent_ms);
      const busy_ms = Math.round(Math.min(node.wait_ms, since_ms));
      this.#computation.set(place, compute === "none" ? 0 : compute === "busy" ? busy_ms : node.wait_ms);
    }
  }

  action(place: number): Action {
    const { request } = this.#nodes.at(place);
    const kind = this.#nodes.kind(place);
    const cors = this.#nodes.cors(place);
    const actual = kind === "preflight" ? this.#nodes.next(place) : undefined;
    const index = actual === undefined ? request.index : this.#nodes.at(actual).request.index;
    const body = this.#page.requestBodies.get(index);
    const method = actual === undefined ? request.method : this.#nodes.at(actual).request.method;
    const options: AskOptions = {
      ...(cors ? { cors } : {}),
      ...(kind === "preflight" ? { preflighted: true, method: actual === undefined ? "GET" : method } : { method }),
      ...(body && method !== "GET" && method !== "HEAD" ? { body } : {}),
      ...(kind === "data" && this.#nodes.isOpaque(place) ? { opaque: true } : {}),
      ...(this.#nodes.isByScriptAlone(place) ? { again: true } : {}),
      ...(kind === "data" || kind === "preflight" ? { holds_ms: this.#holds_ms(place) } : {}),
    };
    const wait_ms = this.#computation.get(place) ?? 0;
    return { kind, wait_ms, url: request.url, options, next: this.handlerOf(place) };
  }

  /**
   * A browser's load event does not wait for data. But a load that is over while a request still waits for its connection
   * would never have requested it: so the event comes after the response, or after the time that it took to come then.
   */
  #holds_ms(place: number): number {
    const { sent_ms, isAfterLoad, kind } = this.#nodes.at(place);
    if (isAfterLoad) return 0;
    // A picture or script delays it, however it is requested.
    if (kind !== "data" && kind !== "preflight") return longestHold_ms;
    const { load_ms } = this.#page;
    return load_ms === null ? usualHold_ms : Math.round(Math.min(longestHold_ms, Math.max(0, load_ms - sent_ms)));
  }

  tailOf(place: number): Action[] {
    const { tail } = this.#nodes.graph;
    if (tail?.node !== place || this.#page.compute === "none") return [];
    return [{ kind: "nothing", wait_ms: tail.wait_ms, url: "", options: {}, next: [] }];
  }
}
