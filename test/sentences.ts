// Sentences of Markdown and of help, as their readers meet them: without code blocks, addresses of links, and headings. A line of a list,
// a cell of a table and a paragraph end a sentence, as a full stop, a question or an exclamation mark, a colon before a list and a
// semicolon do not.

export interface Sentence {
  readonly text: string;
  readonly words: number;
}

/** Full stops that end no sentence. */
const abbreviations = /\b(?:e\.g|i\.e|cf|vs|et al|al|Dr|No|approx)\.(?= )/g;

/** Names one after another are no sentence. */
const listOfNames = /one of:(?: [\w.-]+,?)+/g;

function sentencesOf(text: string): Sentence[] {
  return text
    .replaceAll(listOfNames, "one of a list")
    .replaceAll(abbreviations, (short) => short.replaceAll(".", ""))
    .split(/(?<=[.!?]["')”’*]*)\s+(?=["'(“*`]*[\p{Lu}\d`])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")
    .map((sentence) => ({ text: sentence, words: (sentence.match(/[^\s/·|]*[\p{L}\p{N}][^\s/·|]*/gu) ?? []).length }))
    .filter(({ words }) => words > 0);
}

/** Paragraphs, lines of lists and cells of tables, in the order of the document. */
function blocksOf(markdown: string): string[] {
  const plain = markdown
    .replaceAll(/^---\n.*?^---\n/gms, "")
    .replaceAll(/^ *```.*?^ *```/gms, "\n")
    .replaceAll(/<!--.*?-->/gs, "")
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, "$1.")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^#+ .*$/gm, "\n")
    .replaceAll(/^ *(?:[-*]|\d+\.) /gm, "\n")
    .replaceAll(/^\|[ :|-]+\|$/gm, "\n")
    .replaceAll(/^\|(.*)\|$/gm, (_, cells: string) => `\n${cells.replaceAll(/(?<!\\)\|/g, "\n\n")}\n`);
  return plain.split(/\n\s*\n/).map((block) => block.replaceAll(/\s+/g, " ").trim());
}

export function markdownSentences(markdown: string): Sentence[] {
  return blocksOf(markdown).flatMap(sentencesOf);
}

/** Of plain text: a line that is indented otherwise, or a blank one, begins anew. */
export function plainSentences(text: string): Sentence[] {
  return text.split("\n").flatMap((line) => sentencesOf(line.trim()));
}

export const meanWords = (sentences: readonly Sentence[]): number =>
  sentences.reduce((sum, { words }) => sum + words, 0) / sentences.length;
