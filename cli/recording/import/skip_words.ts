// Why entries of a HAR are not in its recording, and the words for it: one table for the notes of an import and for its refusal.
import { faultWords } from "./find_page.ts";
import type { EntryFault } from "./har.ts";

export type SkipReason =
  | EntryFault
  | "no response"
  | "no status"
  | "bad path"
  | "too large"
  | "other page"
  | "not http"
  | "websocket"
  | "failed"
  | "informational"
  | "from cache"
  | "not modified"
  | "pushed twice"
  | "tried again"
  | "preloaded twice"
  | "illegal host"
  | "tunnel"
  | "before the document";

/** How many for which reason. */
export type Skipped = Readonly<Partial<Record<SkipReason, number>>>;

const skipWords: Record<SkipReason, string> = {
  ...faultWords,
  "no response": "no response",
  "no status": "no status",
  "bad path": "a path that HTTP cannot carry",
  "too large": "a body too large for a page",
  "other page": "of other pages of the file",
  "not http": "not over HTTP (data:, blob:, extensions)",
  websocket: "WebSocket (its messages are not replayed, alike on all lanes)",
  failed: "failed or aborted",
  informational: "informational (1xx)",
  "from cache": "answered from a cache",
  "not modified": "not modified (304), with no body to replay",
  "pushed twice": "pushed by the server and requested too",
  "tried again": "broken off, and asked for again: the whole answer is kept",
  "preloaded twice": "preloaded by Early Hints, and requested by the page, too",
  "illegal host": "from a host whose name DNS cannot hold",
  tunnel: "CONNECT to a proxy",
  "before the document": "before the document that the load begins with",
};

/** Their words say what the entry has. */
const withReasons: ReadonlySet<string> = new Set([
  ...Object.keys(faultWords),
  ...["no response", "no status", "bad path", "too large"],
]);

/** "3 with no URL, 5 failed or aborted"; empty if there are none. */
export function skippedWords(skipped: Skipped): string {
  return Object.entries(skipped)
    .map(([reason, amount]) => {
      const words = skipWords[reason as SkipReason];
      return `${amount} ${withReasons.has(reason) ? "with " : ""}${words}`;
    })
    .join(", ");
}
