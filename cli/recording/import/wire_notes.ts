// What an import of a recording of the wire changed or left out, as numbers for the archive and as lines for a reader.
import type { AddressCounts } from "./addresses.ts";
import { changeLines, documentLines } from "./notes.ts";
import type { WireSelection } from "./wire_select.ts";

/** A type and not an interface, so that it is a JsonObject. */
export type WireNotes = {
  /** What the recorder wrote, with what is left out. */
  readonly entries: number;
  readonly exchanges: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly failed_urls: readonly string[];
  readonly bodies: { readonly recorded: number; readonly empty: number };
  /** Bodies with fewer bytes than their content-length says. */
  readonly cut_off: number;
  /** Bodies that are not in the content-encoding that their header names. */
  readonly misencoded: number;
  readonly misencoded_urls: readonly string[];
  readonly illegal_headers: number;
  readonly redacted_headers: number;
  readonly addresses_mapped: number;
  readonly addresses_invented: number;
  readonly documents: readonly number[];
  /** Whether the start URL was found out from the messages. */
  readonly start_guessed: boolean;
};

const namesKept = 20;

export class WireCounter {
  readonly #bodies = { recorded: 0, empty: 0 };
  readonly #misencoded: string[] = [];
  #cutOff = 0;
  #illegal = 0;
  #redacted = 0;

  add(exchange: { illegalHeaders: number; redactedHeaders: number; cutOff: boolean }): void {
    this.#illegal += exchange.illegalHeaders;
    this.#redacted += exchange.redactedHeaders;
    if (exchange.cutOff) this.#cutOff++;
  }

  /** When a body has been read to its end. */
  addBody(url: string, body: { size: number; encoded: boolean }): void {
    this.#bodies[body.size > 0 ? "recorded" : "empty"]++;
    if (!body.encoded) this.#misencoded.push(url);
  }

  finish(selection: WireSelection, failedUrls: readonly string[], addresses: AddressCounts): WireNotes {
    const { kept, skipped, documents, guessed } = selection;
    return {
      entries: kept.length + Object.values(skipped).reduce((sum, amount) => sum + amount, 0),
      exchanges: kept.length,
      skipped,
      failed_urls: failedUrls,
      bodies: this.#bodies,
      cut_off: this.#cutOff,
      misencoded: this.#misencoded.length,
      misencoded_urls: this.#misencoded.slice(0, namesKept),
      illegal_headers: this.#illegal,
      redacted_headers: this.#redacted,
      addresses_mapped: addresses.mapped,
      addresses_invented: addresses.invented,
      documents,
      start_guessed: guessed,
    };
  }
}

const skipWords: Readonly<Record<string, string>> = {
  "other files": "files that are no recordings",
  "requests for no URL": "requests for no URL (CONNECT, OPTIONS of a server)",
  websocket: "WebSocket",
  WebSocket: "WebSocket",
  CONNECT: "CONNECT to a proxy",
  informational: "informational (1xx)",
  failed: "without a response",
  "not over HTTP": "not over HTTP",
  "not modified": "not modified (304), with no body to replay",
  "illegal host": "from a host whose name DNS cannot hold",
  "before the document": "responses of the start URL before the one that the load begins with",
};

/** The notes in plain words, what is zero left out. */
export function wireNoteLines(notes: WireNotes): string[] {
  const lines = [`bodies: ${notes.bodies.recorded} as recorded, ${notes.bodies.empty} empty`];
  const say = (amount: number, words: string): void => {
    if (amount > 0) lines.push(`${amount} ${words}`);
  };
  for (const [reason, amount] of Object.entries(notes.skipped)) say(amount, `left out: ${skipWords[reason] ?? reason}`);
  say(notes.cut_off, "shorter than their content-length says: replayed as they are");
  say(notes.misencoded, `not in the content-encoding that they name, as recorded: ${notes.misencoded_urls[0]}`);
  lines.push(...changeLines(notes));
  if (notes.start_guessed) lines.push("the start URL is found out from the requests: give another with --url");
  return [...lines, ...documentLines(notes)];
}
