// A seeded stream of random numbers (sfc32): the same seed gives the same intervals on every machine. Not for secrets.

/** Numbers in [0, 1). */
export type RandomSource = () => number;

/** FNV-1a over the text's UTF-16 units, so that a figure's seed can be made from the names of what it compares. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** A stream from a seed and, optionally, the name of what it is for. */
export function randomSource(seed: number, purpose = ""): RandomSource {
  let a = seed >>> 0;
  let b = Math.floor(seed / 2 ** 32) >>> 0;
  let c = hashText(purpose);
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 2 ** 32;
  };
  // The first rounds still show the seed's bits.
  for (let round = 0; round < 16; round++) next();
  return next;
}
