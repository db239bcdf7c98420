// Which of what is kept must go for the newest to fit. Pure.

/** Of a profile or a race; `outcome` is a race's. */
interface Kept {
  readonly id: string;
  readonly started: string;
  readonly size_bytes: number;
  readonly outcome?: string;
}

/** By ISO 8601 beginnings in UTC, which sort as text. */
export const newestFirst = <T extends { readonly started: string }>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (a.started < b.started ? 1 : a.started > b.started ? -1 : 0));

/** The oldest, until the rest is within the limit; never `spared`, nor a race that is under way. */
export function tooMany(rows: readonly Kept[], spared: string, limit_bytes: number): string[] {
  let bytes = rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const gone: string[] = [];
  for (const { id, size_bytes, outcome } of newestFirst(rows).toReversed()) {
    if (bytes <= limit_bytes) break;
    if (id === spared || outcome === "running") continue;
    gone.push(id);
    bytes -= size_bytes;
  }
  return gone;
}
