// JSON from strangers: depth and number of values are counted as the text is scanned, before anything is made of it, and a text that ends too
// early is said to. The scan looks at brackets, commas and quotes only; JSON.parse judges the rest.

/** How much of it there may be. SECURITY.md lists these. */
const jsonLimits = { depth: 1000, values: 3_000_000 } as const;

/** What is wrong with the text, as the end of a sentence that begins with the file's name. */
export class JsonTextError extends Error {
  override readonly name = "JsonTextError";
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [objectStart, objectEnd, arrayStart, arrayEnd] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The place of the quote that ends the string whose text begins at `start`; -1: there is none. */
export function endOfString(text: Buffer, start: number): number {
  for (let end = text.indexOf(quote, start); end >= 0; end = text.indexOf(quote, end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === backslash && end - 1 - escapes >= start) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}

interface JsonScan {
  /** The text ends within a value. */
  readonly isCutOff: boolean;
  /** Of the lists called `counted` how many objects are whole. */
  readonly wholeObjects: number;
}

/** @throws JsonTextError if there is more of it than the limits allow. */
export function scanJson(
  text: Buffer,
  counted: string,
  limits: { depth: number; values: number } = jsonLimits,
): JsonScan {
  const name = Buffer.from(counted);
  let depth = 0;
  let values = 1;
  let wholeObjects = 0;
  let countedDepth = -1;
  // The last string, and whether a colon followed it.
  let [keyStart, keyEnd, isKey] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case quote: {
        const end = endOfString(text, at + 1);
        if (end < 0) return { isCutOff: true, wholeObjects };
        [keyStart, keyEnd, isKey] = [at + 1, end, false];
        at = end;
        break;
      }
      case colon:
        isKey = true;
        break;
      case arrayStart:
      case objectStart:
        if (++depth > limits.depth) throw new JsonTextError(`has more than ${limits.depth} levels (byte ${at})`);
        values++;
        if (text[at] === arrayStart && isKey && countedDepth < 0 && text.subarray(keyStart, keyEnd).equals(name))
          countedDepth = depth;
        isKey = false;
        break;
      case objectEnd:
      case arrayEnd:
        if (depth === countedDepth) countedDepth = -1;
        depth--;
        if (depth === countedDepth && text[at] === objectEnd) wholeObjects++;
        isKey = false;
        break;
      case comma:
        values++;
        isKey = false;
        break;
      default:
    }
    if (values > limits.values) throw new JsonTextError(`has more than ${limits.values} values (byte ${at})`);
  }
  return { isCutOff: depth > 0, wholeObjects };
}

/** Where JSON.parse stopped, without what stands there. */
function placeOf(error: unknown): string {
  const at = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return at === undefined ? "it ends too early" : `at character ${at}`;
}

/**
 * What the text means. `limits`: as of scanJson.
 * @throws JsonTextError if there is more of it than the limits allow; a SyntaxError that quotes nothing of the text if it is no JSON.
 */
export function boundedJson(text: Buffer, limits: { depth: number; values: number } = jsonLimits): unknown {
  scanJson(text, "", limits);
  try {
    return JSON.parse(text.toString("utf8"));
  } catch (error) {
    throw new SyntaxError(placeOf(error));
  }
}
