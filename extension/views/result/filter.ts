// Which rows are shown, and in which order: search, protocol, kind, host, connection, and groups by connection. Pure.
import type { RequestRow } from "./rows.ts";

export interface Filter {
  /** Words that must all be found; `-word` must not. */
  readonly search: string;
  readonly protocol: string | null;
  readonly kind: string | null;
  readonly host: string | null;
  /** 0: requests without one. */
  readonly connection: number | null;
}

export const noFilter: Filter = { search: "", protocol: null, kind: null, host: null, connection: null };

export function isEmpty(filter: Filter): boolean {
  return Object.entries(filter).every(([key, value]) => value === noFilter[key as keyof Filter]);
}

export function filtered(rows: readonly RequestRow[], filter: Filter): RequestRow[] {
  const words = filter.search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "" && word !== "-");
  return rows.filter(
    (row) =>
      (filter.protocol === null || row.protocol === filter.protocol) &&
      (filter.kind === null || row.kind === filter.kind) &&
      (filter.host === null || row.host === filter.host) &&
      (filter.connection === null || (row.connection ?? 0) === filter.connection) &&
      words.every((word) => (word.startsWith("-") ? !row.text.includes(word.slice(1)) : row.text.includes(word))),
  );
}

/** A line of the list: a request, or the heading of a connection's requests. */
export type Line =
  | { readonly is: "request"; readonly row: RequestRow }
  | {
      readonly is: "connection";
      /** null: requests that had none. */
      readonly connection: number | null;
      readonly rows: readonly RequestRow[];
    };

export function linesOf(rows: readonly RequestRow[], byConnection: boolean): Line[] {
  if (!byConnection) return rows.map((row) => ({ is: "request", row }));
  const groups = Map.groupBy(rows, (row) => row.connection);
  // Those without a connection (cache, blocked) come last.
  const order = [...groups].sort(([a], [b]) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY));
  return order.flatMap(([connection, members]): Line[] => [
    { is: "connection", connection, rows: members },
    ...members.map((row): Line => ({ is: "request", row })),
  ]);
}
