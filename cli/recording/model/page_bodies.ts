import type { GraphNode } from "./dependency_graph.ts";
import type { PageActions } from "./page_actions.ts";
import type { PageNodes, PageToModel } from "./page_nodes.ts";
import { attribute, fits, type Piece } from "./page_source.ts";
import {
  callSource,
  listSource,
  runtime,
  type StyledRequest,
  shortUrl,
  styledElements,
  stylesheetSource,
  watchSource,
} from "./script_source.ts";

// Where in a document its tags stood: how much of its bytes goes before each. From the initiators' lines, else from when
// parts of a slow document were parsed, else evenly, a head's stylesheets and scripts first. Pure.

/** What a document's head takes of it, as far as nothing else is known. */
const headShare = 0.08;
/** A document that came faster says nothing of places by its times. */
const slow_ms = 30;

const lineOf = ({ request }: GraphNode): number | null => request.initiator?.line ?? null;

const neverFalling = (values: readonly number[]): number[] => {
  let highest = 0;
  return values.map((value) => {
    highest = Math.max(highest, value);
    return highest;
  });
};

function shares(document: GraphNode, found: readonly GraphNode[]): number[] {
  const lines = found.map(lineOf);
  const highest = lines.reduce<number>((most, line) => Math.max(most, line ?? 0), 0);
  // Minified, all stands on one line.
  if (highest >= found.length && lines.every((line) => line !== null))
    return neverFalling(lines.map((line) => ((line ?? 0) / (highest + 1)) * 0.98));
  const receive_ms = document.end_ms - document.firstByte_ms;
  if (receive_ms > slow_ms)
    return neverFalling(
      found.map(({ sent_ms }) => Math.min(1, Math.max(0, (sent_ms - document.firstByte_ms) / receive_ms)) * 0.98),
    );
  const body = found.findIndex(({ kind }) => kind !== "script" && kind !== "stylesheet");
  const heads = body < 0 ? found.length : body;
  return found.map((_, index) =>
    index < heads
      ? (headShare * index) / Math.max(1, heads)
      : headShare + ((0.95 - headShare) * (index - heads)) / Math.max(1, found.length - heads),
  );
}

interface MadeText {
  readonly pieces: readonly Piece[];
  readonly kind: "html" | "code";
  readonly type: string;
}

const hasCall = (html: string): boolean => /<script>[tlo]\(|onload="t\(/.test(html);

export class PageBodies {
  readonly #nodes: PageNodes;
  readonly #actions: PageActions;
  readonly #page: PageToModel;
  readonly #bodies = new Map<number, MadeText>();
  /** Documents with a script that calls the runtime. */
  readonly #running = new Set<number>();

  constructor(nodes: PageNodes, actions: PageActions, page: PageToModel) {
    this.#nodes = nodes;
    this.#actions = actions;
    this.#page = page;
    this.#makeBodies();
    this.#makeDocuments();
  }

  /** null: the recorded one stays. */
  of(place: number): MadeText | null {
    return this.#bodies.get(place) ?? null;
  }

  /** What a stylesheet's rules can ask for; the rest is its element's handler's. */
  #isStyled(place: number): boolean {
    return !this.#nodes.isByScriptAlone(place) && ["image", "font", "stylesheet"].includes(this.#nodes.kind(place));
  }

  #styled(place: number): StyledRequest {
    const { request } = this.#nodes.at(place);
    return {
      url: request.url,
      kind: this.#nodes.kind(place) as StyledRequest["kind"],
      name: `m${request.index}`,
      isOutOfSight: this.#nodes.isOutOfSight(place),
    };
  }

  /** Scripts and stylesheets, the last first, so that what does not fit into one is known when its asker is made. */
  #makeBodies(): void {
    for (let place = this.#nodes.graph.nodes.length - 1; place >= 0; place--) {
      const { kind } = this.#nodes.at(place);
      const isRequested = this.#nodes.end(place) === place && !this.#nodes.isAgain(place);
      if (kind === "document" && isRequested && this.#nodes.hasPage(place)) continue;
      // A document without a page has no parser that finds anything, and one that is refused no rules.
      const found = kind === "document" ? this.#nodes.childrenOf(place, "parser") : [];
      const called = [...found, ...this.#nodes.childrenOf(place, "script", "response")].map((child) =>
        this.#actions.action(child),
      );
      const hasRules = this.#hasRules(place);
      const unstyled = this.#nodes
        .childrenOf(place, "stylesheet")
        .filter((child) => !hasRules || !this.#isStyled(child))
        .map((child) => this.#actions.action(child));
      const list = [...called, ...unstyled, ...this.#actions.tailOf(place)];
      if (hasRules) this.#makeStylesheet(place);
      if (this.#nodes.isScript(place)) {
        const code = list.length > 0 ? callSource(list, this.#nodes.documentUrl(place)) : "";
        const isHeld = fits(code, { ...this.#nodes.sizeOf(place) });
        const type = "text/javascript; charset=utf-8";
        if (isHeld || list.length === 0) {
          this.#bodies.set(place, { pieces: [{ html: code, share: 0 }], kind: "code", type });
          continue;
        }
        // As recorded it would do what it did; here others do it.
        this.#bodies.set(place, { pieces: [], kind: "code", type });
      }
      if (list.length > 0) this.#actions.handle(place, list);
    }
  }

  #makeDocuments(): void {
    for (const [place, made] of this.#bodies)
      if (this.#nodes.isScript(place) && made.pieces.some(({ html }) => html !== ""))
        this.#running.add(this.#nodes.at(place).document);
    for (const [place, { kind }] of this.#nodes.graph.nodes.entries())
      if (
        kind === "document" &&
        this.#nodes.end(place) === place &&
        !this.#nodes.isAgain(place) &&
        this.#nodes.hasPage(place)
      )
        this.#makeDocument(place);
  }

  #hasRules(place: number): boolean {
    const { status } = this.#nodes.exchange(place);
    const isRequested = this.#nodes.end(place) === place && !this.#nodes.isAgain(place);
    return (
      this.#nodes.at(place).kind === "stylesheet" && isRequested && status >= 200 && status <= 299 && status !== 204
    );
  }

  #makeStylesheet(place: number): void {
    const styled = this.#nodes.childrenOf(place, "stylesheet").filter((child) => this.#isStyled(child));
    const code = stylesheetSource(
      styled.map((child) => this.#styled(child)),
      this.#nodes.at(place).request.url,
    );
    this.#bodies.set(place, { pieces: [{ html: code, share: 0 }], kind: "code", type: "text/css; charset=utf-8" });
  }

  /** Browsers ask first for what is large and in sight: so large as it is, and where it was. */
  #layout(place: number): string {
    const known = this.#page.images.get(this.#nodes.at(this.#nodes.end(place)).request.index);
    const size = known ? ` width=${known.width} height=${known.height}` : "";
    return this.#nodes.isOutOfSight(place) ? `${size} style=position:absolute;top:9999px` : size;
  }

  /** The tag by which a parser comes by it. */
  #tag(place: number): string {
    const { request, isBlocking } = this.#nodes.at(place);
    const url = attribute(shortUrl(request.url, this.#nodes.documentUrl(place)));
    const handler = this.#actions.handlerOf(place);
    const cors = this.#nodes.cors(place);
    const attributes = [
      ...(cors === "use-credentials" ? [" crossorigin=use-credentials"] : cors ? [" crossorigin"] : []),
      ...(handler.length > 0
        ? [` onload="t(${attribute(listSource(handler, this.#nodes.documentUrl(place)))})" onerror=this.onload()`]
        : []),
    ].join("");
    switch (this.#nodes.kind(place)) {
      case "script":
        return `<script src="${url}"${isBlocking ? "" : " async"}${attributes}></script>`;
      case "stylesheet":
        return `<link rel=stylesheet href="${url}"${attributes}>`;
      case "image":
        return `<img src="${url}" alt=""${this.#layout(place)}${attributes}>`;
      case "document":
        return `<iframe src="${url}"${attributes}></iframe>`;
      case "font": {
        const styled = [this.#styled(place)];
        return `<style>${stylesheetSource(styled, this.#nodes.documentUrl(place))}</style>${styledElements(styled)}`;
      }
      default:
        return `<script>${callSource([this.#actions.action(place)], this.#nodes.documentUrl(place))}</script>`;
    }
  }

  #makeDocument(place: number): void {
    const { request } = this.#nodes.at(place);
    const base = request.url;
    const found = this.#nodes.childrenOf(place, "parser");
    const inline = this.#nodes.childrenOf(place, "script", "response");
    const call = (children: readonly number[]): string =>
      children.length === 0
        ? ""
        : `<script>${callSource(
            children.map((child) => this.#actions.action(child)),
            base,
          )}</script>`;
    const after = Map.groupBy(inline, (child) => this.#nodes.at(child).after ?? -1);
    const parts = found.map((child) => {
      const passed = after.get(child) ?? [];
      after.delete(child);
      return { node: this.#nodes.at(child), html: this.#tag(child) + call(passed) };
    });
    const calls = call([...after.values()].flat());
    const byRules = this.#nodes.graph.nodes.flatMap((node, child) =>
      node.dependence === "stylesheet" &&
      node.document === place &&
      this.#isStyled(child) &&
      node.parent !== null &&
      this.#hasRules(node.parent)
        ? [child]
        : [],
    );
    const fonts = found.filter((child) => this.#nodes.kind(child) === "font");
    const watched = [...byRules, ...fonts].flatMap((child) => {
      const list = this.#actions.handlerOf(child);
      return list.length > 0 ? [watchSource(this.#nodes.at(child).request.url, list, base)] : [];
    });
    const first = calls + (watched.length > 0 ? `<script>${watched.join("")}</script>` : "");
    const late =
      place === this.#nodes.graph.root
        ? this.#nodes.childrenOf(place, "load").map((child) => this.#actions.action(child))
        : [];
    const tail = this.#actions.tailOf(place);
    const end = [
      ...(late.length > 0 ? [`<script>l(${listSource(late, base)})</script>`] : []),
      ...(tail.length > 0 ? [`<script>${callSource(tail, base)}</script>`] : []),
    ].join("");
    const placed = shares(
      this.#nodes.at(place),
      parts.map(({ node }) => node),
    );
    const elements = styledElements(byRules.map((child) => this.#styled(child)));
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
}
