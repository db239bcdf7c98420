// Why entries of a HAR are not in its recording, and the words for it: one table for the notes of an import and for its refusal.
import { numberField, textField } from "../../base/json_fields.ts";
import { faultWords } from "./find_page.ts";
import type { EntryFault, HarEntry } from "./har.ts";

// How the requests failed that a HAR has no response for, or one that the browser did not take: what the replay needs to
// make them fail again (native-host/archive/recorded_failures.h). Pure.

/**
 * name: the host's name was not found. blocked: the browser did not send it (an ad blocker's doing, mixed content).
 * aborted: the page gave it up. connection: something else that has a name. unknown: the HAR does not say.
 */
export type FailureKind = "name" | "blocked" | "aborted" | "connection" | "unknown";

const kinds: readonly (readonly [FailureKind, RegExp])[] = [
  // Chromium, Firefox, Safari and Node; WinINet's number, as WebPageTest has it.
  ["name", /NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED|ERR_DNS_|UNKNOWN_HOST|CannotFindHost|ENOTFOUND|^12007$/i],
  ["blocked", /BLOCKED_BY_(CLIENT|ADMINISTRATOR|CSP)|^blocked:|UNSAFE_(PORT|REDIRECT)|mixed.?content/i],
  ["aborted", /ERR_ABORTED|BINDING_ABORTED|cancell?ed/i],
];

/** What the producer says of why; null where it says nothing. */
function errorOf({ raw, response, status }: HarEntry): string | null {
  for (const record of [response, raw]) {
    for (const name of ["_error", "_errorText", "_errorMessage"]) {
      const text = textField(record, name);
      if (text) return text;
    }
  }
  const code = numberField(raw, "_responseCode") ?? status;
  return code > 999 ? String(code) : null;
}

export function failureKind(entry: HarEntry): FailureKind {
  const error = errorOf(entry);
  if (error === null) return "unknown";
  return kinds.find(([, pattern]) => pattern.test(error))?.[0] ?? "connection";
}

// A recording's notes have 448 KiB, and hold each of these URLs twice.
const failures_bytes = 160 * 1024;

type Failures = Readonly<Record<string, FailureKind>>;

/** As many of them as a recording has room for, from the first; a page may fail ten thousand times. */
export function fittingFailures(failures: Failures): { readonly kept: Failures; readonly leftOut: number } {
  const all = Object.entries(failures);
  let size_bytes = 0;
  const end = all.findIndex(([url]) => {
    size_bytes += Buffer.byteLength(JSON.stringify(url));
    return size_bytes > failures_bytes;
  });
  if (end < 0) return { kept: failures, leftOut: 0 };
  return { kept: Object.fromEntries(all.slice(0, end)), leftOut: all.length - end };
}

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
