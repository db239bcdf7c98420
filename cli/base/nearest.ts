// Which known word a mistyped one probably was. Pure.

/** Edits between two words, a swap of neighbours being one. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, changed, swapped));
    }
  }
  return at(a.length, b.length);
}

/** The known word that was probably meant. */
export function nearest(word: string, known: Iterable<string>): string | null {
  const most = Math.max(1, Math.floor(word.length / 3));
  const near = [...known]
    .map((each) => ({ each, apart: each.startsWith(word) && word.length > 2 ? 1 : distance(word, each) }))
    .filter(({ apart }) => apart <= most)
    .toSorted((a, b) => a.apart - b.apart);
  return near[0]?.each ?? null;
}

/** `did you mean h2?`, with a space before it; empty if none is near. */
export function meantWords(word: string, known: Iterable<string>, prefix = ""): string {
  const meant = nearest(word, known);
  return meant === null ? "" : ` did you mean ${prefix}${meant}?`;
}
