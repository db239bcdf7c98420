// The tables of the terminal: cells of text to lines whose columns are aligned. Knows nothing of what they say; no colour.

/** The first column is aligned left, the others right, with two spaces between them. */
export function textTable(table: readonly (readonly string[])[]): string[] {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => (row[column] ?? "").length)));
  return table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

/** Of links with a table each; more are in the report. */
const mostLinks = 12;

/** A table for each link, below its name if there are several. */
export function tablesByLink<Row extends { readonly link: string | null }>(
  rows: readonly Row[],
  tableOf: (rows: readonly Row[]) => readonly string[],
): string[] {
  const byLink = [...Map.groupBy(rows, ({ link }) => link)];
  const lines = byLink
    .slice(0, mostLinks)
    .flatMap(([link, of], place) => [
      ...(place > 0 ? [""] : []),
      ...(byLink.length > 1 && link !== null ? [link] : []),
      ...tableOf(of),
    ]);
  const hidden = byLink.length - mostLinks;
  return hidden > 0 ? [...lines, "", `and ${hidden} more links, see the report`] : lines;
}
