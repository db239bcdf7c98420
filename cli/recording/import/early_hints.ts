// The 103 responses (Early Hints) of an entry as a recording keeps them: from what was seen of the wire, or as WebPageTest and
// Trilane's own HARs have them (`_early_hint_headers`: "link: ..."), whose times are not known.
import { headerLine } from "../../../extension/capture/early_hints.ts";
import type { JsonObject } from "../archive/archive.ts";
import type { HarEntry } from "./har.ts";
import { type Credentials, cleanHeaders } from "./headers.ts";
import type { EarlyHint } from "./wire_facts.ts";

/** A hostile file has no end of them. */
const mostLines = 256;

function hintsOf({ wire, raw }: HarEntry): readonly EarlyHint[] {
  if (wire?.hints) return wire.hints;
  const lines: unknown = raw._early_hint_headers;
  if (!Array.isArray(lines)) return [];
  const headers = lines.slice(0, mostLines).flatMap((line) => (typeof line === "string" ? [headerLine(line)] : []));
  return [{ headers: headers.filter((header) => header !== null), before_ms: null }];
}

/** `server_time_ms`: the server's own for the final response; null: not known, and so are those of its hints. */
export function recordedHints(
  entry: HarEntry,
  server_time_ms: number | null,
  credentials: Credentials,
): readonly JsonObject[] {
  return hintsOf(entry).flatMap(({ headers, before_ms }): JsonObject[] => {
    const named = headers.map(([name, value]) => ({ name, value }));
    const cleaned = cleanHeaders(named, "response", credentials).headers;
    const isTimed = server_time_ms !== null && before_ms !== null;
    const time_ms = isTimed ? Math.max(0, Math.round((server_time_ms - before_ms) * 1000) / 1000) : null;
    return cleaned.length === 0 ? [] : [{ time_ms, headers: cleaned }];
  });
}
