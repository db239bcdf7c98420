// Requests, bytes and time by protocol, host, connection or kind, summed from rows. Pure.
import type { Filter } from "./filter.ts";
import type { RequestRow } from "./rows.ts";

export type ShareBy = "protocol" | "host" | "connection" | "kind";

export interface ShareRow {
  /** What a reader sees. */
  readonly label: string;
  readonly requests: number;
  readonly bytes: number;
  /** Of the requests, added up; they overlap. */
  readonly time_ms: number;
  /** How many of which protocol, for a bar. */
  readonly protocols: readonly { readonly protocol: string; readonly requests: number }[];
  /** Shows these requests alone. */
  readonly filter: Partial<Filter>;
}

function keyOf(row: RequestRow, by: ShareBy): string {
  return by === "connection" ? String(row.connection ?? 0) : row[by];
}

function labelOf(row: RequestRow, by: ShareBy): string {
  if (by === "host") return row.host || "no host";
  if (by !== "connection") return row[by];
  if (row.connection === null) return row.entry._protocol ? "connection not known" : "no connection";
  const address = row.entry.serverIPAddress ? `, ${row.entry.serverIPAddress}` : "";
  return `${row.connection}: ${row.host}${address}`;
}

function filterOf(row: RequestRow, by: ShareBy): Partial<Filter> {
  if (by === "connection") return { connection: row.connection ?? 0 };
  return { [by]: row[by] };
}

/** Most requests first; connections in the order of their first use. */
export function sharesOf(rows: readonly RequestRow[], by: ShareBy): ShareRow[] {
  const groups = [...Map.groupBy(rows, (row) => keyOf(row, by)).values()];
  const shares = groups.map((members): ShareRow => {
    const first = members[0] as RequestRow;
    const protocols = [...Map.groupBy(members, ({ protocol }) => protocol)];
    return {
      label: labelOf(first, by),
      requests: members.length,
      bytes: members.reduce((sum, { bytes }) => sum + Math.max(0, bytes), 0),
      time_ms: members.reduce((sum, { start_ms, end_ms }) => sum + (end_ms - start_ms), 0),
      protocols: protocols.map(([protocol, requests]) => ({ protocol, requests: requests.length })),
      filter: filterOf(first, by),
    };
  });
  if (by !== "connection") return shares.toSorted((a, b) => b.requests - a.requests || b.bytes - a.bytes);
  return shares.toSorted(
    (a, b) => (a.filter.connection || Number.POSITIVE_INFINITY) - (b.filter.connection || Number.POSITIVE_INFINITY),
  );
}
