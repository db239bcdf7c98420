// A file of numbers, one a line or separated by white space: what a loss or a jitter does to each packet, as it was
// measured. Takes just what shaper/number_file.c takes: schemas/examples/number-files.json is the test of both.
import { UserError } from "../errors.ts";
import { chunksOf, lineError, quoted } from "../trace/text_lines.ts";

const longest_bytes = 63;
const separators: ReadonlySet<string> = new Set([" ", "\t", "\r", "\n"]);
const decimalNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Its numbers in turn, at least one. UserError with file and line where one is none from 0 to `max`. */
export function* readNumbers(path: string, max: number): Generator<number, void, undefined> {
  let count = 0;
  let line = 1;
  const read = (word: string): number => {
    const value = word.length <= longest_bytes && decimalNumber.test(word) ? Number(word) : Number.NaN;
    if (!(value >= 0 && value <= max)) {
      const shown = quoted(word.replaceAll(/[^ -~]/g, "?"));
      throw lineError(path, line, `${shown} is not a number from 0 to ${max}: write decimal numbers, one a line`);
    }
    count++;
    return value;
  };
  // A word that the next chunk may go on with.
  let begun = "";
  for (const chunk of chunksOf(path)) {
    // Bytes: white space is ASCII, and so is a number.
    const text = begun + chunk.toString("latin1");
    let whole = text.length;
    while (whole > 0 && !separators.has(text[whole - 1] ?? "")) whole--;
    for (const [word] of text.slice(0, whole).matchAll(/\n|[^ \t\r\n]+/g)) {
      if (word === "\n") line++;
      else yield read(word);
    }
    begun = text.slice(whole);
    if (begun.length > longest_bytes) read(begun);
  }
  if (begun !== "") yield read(begun);
  if (count === 0) throw new UserError(`${path}: holds no number: write one a line`);
}
