// Changes of inputs, drawn from a seed: bytes set, taken out, repeated, cut off, words and pieces of other inputs put in. Knows no parser.
import type { RandomSource } from "../../../cli/base/random.ts";

const longest_bytes = 1 << 16;
/** At which parsers of numbers, sizes and texts have broken before. */
const strange = [
  "0",
  "-1",
  "1e308",
  "9007199254740993",
  "4294967296",
  "NaN",
  "null",
  "[",
  "{",
  '"',
  "\\",
  "\n",
  "\0",
  "\u202e",
  "%00",
  "../",
  "__proto__",
].map((text) => Buffer.from(text));

const replaced = (input: Buffer, from: number, to: number, by: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, from), by, input.subarray(to)]);

/** Words of the inputs, which lead further than bytes of chance: keys, keywords, numbers. */
export function wordsOf(input: Buffer): Buffer[] {
  return [...new Set(input.toString("latin1").match(/[\w:/.+-]{2,24}/g))]
    .slice(0, 200)
    .map((word) => Buffer.from(word, "latin1"));
}

export function mutated(
  input: Buffer,
  others: readonly Buffer[],
  words: readonly Buffer[],
  random: RandomSource,
): Buffer {
  const below = (count: number): number => Math.floor(random() * count);
  const of = (list: readonly Buffer[]): Buffer => list[below(list.length)] ?? Buffer.alloc(0);
  let made = input;
  for (let left = 1 + below(4); left > 0; left--) {
    const from = below(made.length + 1);
    const to = Math.min(made.length, from + (random() < 0.8 ? below(9) : below(257)));
    const piece = made.subarray(from, to);
    switch (below(8)) {
      case 0:
        made = replaced(
          made,
          from,
          to,
          piece.map(() => below(256)),
        );
        break;
      case 1:
        made = replaced(made, from, to, Buffer.alloc(0));
        break;
      case 2:
        made = replaced(made, from, from, piece);
        break;
      case 3:
        made = replaced(made, from, to, of(words));
        break;
      case 4:
        made = replaced(made, from, random() < 0.5 ? to : from, of(strange));
        break;
      case 5: {
        const other = of(others);
        const at = below(other.length);
        made = replaced(made, from, to, other.subarray(at, at + 1 + below(300)));
        break;
      }
      case 6:
        made = replaced(made, from, from, Buffer.alloc(below(64), piece.length > 0 ? piece : "a"));
        break;
      default:
        if (random() < 0.3) made = made.subarray(0, from);
    }
  }
  return made.subarray(0, longest_bytes);
}
