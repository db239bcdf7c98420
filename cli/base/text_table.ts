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
