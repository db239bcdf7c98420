// A profile's requests as the result page lists them: one row each, in the order of their beginning, with all that
// filters, sorting and drawing ask for computed once. Pure.
import { answeredBy, earlyDataConnections } from "../../capture/answered_by.ts";
import type { PhaseKey } from "../../figures/colours.ts";
import { connectionNumbers, phasesOf, shortUrl } from "../../figures/request.ts";
import { kindOf } from "../../figures/share_colours.ts";
import type { Profile } from "../../history/records.ts";

export type Entry = Profile["log"]["entries"][number];

export interface RequestRow {
  /** From 1, in the order of beginning. */
  readonly number: number;
  readonly entry: Entry;
  readonly host: string;
  readonly file: string;
  readonly status: string;
  readonly failed: boolean;
  /** What answered, as in ProtocolShare. */
  readonly protocol: string;
  /** Numbered by first use; null: none was reported. */
  readonly connection: number | null;
  readonly kind: string;
  /** -1: not reported. */
  readonly bytes: number;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly phases: readonly { readonly key: PhaseKey; readonly start_ms: number; readonly duration_ms: number }[];
  /** For searching: URL, status, protocol and kind in lower case. */
  readonly text: string;
}

function statusOf({ response, _trilane }: Entry): string {
  if (response._error) return _trilane.canceled ? "canceled" : "failed";
  if (response.status > 0) return String(response.status);
  return _trilane.blocked ? "blocked" : _trilane.complete ? "–" : "pending";
}

export function rowsOf(profile: Profile): RequestRow[] {
  const entries = profile.log.entries.toSorted((a, b) => a._trilane.startOffset_ms - b._trilane.startOffset_ms);
  const connections = connectionNumbers(entries);
  const early = earlyDataConnections(entries);
  return entries.map((entry, index) => {
    const { host, file } = shortUrl(entry.request.url);
    const phases = phasesOf(entry);
    const last = phases.at(-1);
    const start_ms = entry._trilane.startOffset_ms;
    const status = statusOf(entry);
    const protocol = answeredBy(entry, early);
    const kind = kindOf(entry._resourceType);
    return {
      number: index + 1,
      entry,
      host,
      file,
      status,
      failed: entry.response._error !== null || entry.response.status >= 400,
      protocol,
      connection: connections.get(entry._connectionId ?? entry.connection ?? "") ?? null,
      kind,
      bytes: entry.response._transferSize,
      start_ms,
      end_ms: last ? last.start_ms + last.duration_ms : start_ms + Math.max(0, entry.time),
      phases,
      text: `${entry.request.method} ${entry.request.url} ${status} ${protocol} ${entry._resourceType}`.toLowerCase(),
    };
  });
}

/** Where the drawing ends: the last request's end or the load event. */
export function endOf(rows: readonly RequestRow[], plt_ms: number | null): number {
  let end = plt_ms ?? 0;
  for (const row of rows) end = Math.max(end, row.end_ms);
  return end > 0 ? end : 1;
}
