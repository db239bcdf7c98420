// Text in lines of a width: plain, and as titled paragraphs. Breaks at spaces alone.

/** A word that is longer has a line of its own. Default: as wide as a terminal is at least. */
export function wrapped(text: string, width = 80): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Lists longer than this are cut: a grid of a hundred links says nothing that its first ones do not. */
const maximumLines = 6;

/** Lines with a title at the left of the first. */
export const titled = (title: string, lines: readonly string[]): string[] =>
  lines.map((line, index) => `${(index === 0 ? title : "").padEnd(9)}${line}`);

/** A titled paragraph within 80 columns, cut if it is longer than anyone reads. */
export function paragraph(title: string, text: string): string[] {
  const lines = wrapped(text, 71);
  return titled(title, lines.length > maximumLines ? [...lines.slice(0, maximumLines), "..."] : lines);
}
