// Text of an exact size that says nothing: valid HTML, CSS, JavaScript, JSON, SVG, ... whose bulk is a comment. All ASCII,
// so that characters are bytes. Knows nothing of content-encodings.
import { seededText } from "./seeded.ts";

export type TextKind = "html" | "css" | "javascript" | "json" | "svg" | "xml" | "vtt" | "m3u8" | "plain";

interface Wrapping {
  readonly before: string;
  readonly after: string;
}

const wrappings: Record<TextKind, readonly Wrapping[]> = {
  // From the fullest to the smallest: a size takes the first that fits into it.
  html: [
    { before: "<!doctype html><title>filled</title><!--\n", after: "-->" },
    { before: "<!--", after: "-->" },
  ],
  css: [{ before: "/*\n", after: "*/" }],
  javascript: [{ before: "/*\n", after: "*/" }],
  json: [{ before: '{"filled":"', after: '"}' }],
  svg: [
    {
      before: '<svg xmlns="http://www.w3.org/2000/svg" width="WIDTH" height="HEIGHT"><!--\n',
      after: '--><rect width="100%" height="100%" fill="#ccc"/></svg>',
    },
    { before: '<svg xmlns="http://www.w3.org/2000/svg" width="WIDTH" height="HEIGHT">', after: "</svg>" },
  ],
  xml: [{ before: "<filled><!--\n", after: "--></filled>" }],
  vtt: [{ before: "WEBVTT\n\nNOTE ", after: "\n" }],
  m3u8: [{ before: "#EXTM3U\n#", after: "\n" }],
  plain: [{ before: "", after: "" }],
};

// Where nothing else fits, what is neither comment nor content in that language.
const leastText: Record<TextKind, (size_bytes: number) => string> = {
  html: (size) => " ".repeat(size),
  css: (size) => " ".repeat(size),
  javascript: (size) => ";".repeat(size),
  json: (size) => (size >= 2 ? `{}${" ".repeat(size - 2)}` : "0".slice(0, size)),
  svg: (size) => " ".repeat(size),
  xml: (size) => " ".repeat(size),
  vtt: (size) => "WEBVTT\n".padEnd(size, "\n").slice(0, size),
  m3u8: (size) => "#EXTM3U\n".padEnd(size, "\n").slice(0, size),
  plain: (size) => " ".repeat(size),
};

// Where a line end would end the comment or the string.
const oneLine: ReadonlySet<TextKind> = new Set<TextKind>(["json", "vtt", "m3u8"]);

interface TextOptions {
  /** Characters of the text that are incompressible; the rest is spaces. All of them where it is left out. */
  readonly random_bytes?: number;
  /** Of an SVG. */
  readonly dimensions?: { readonly width: number; readonly height: number };
}

/** Valid text of that kind of exactly `size_bytes` bytes. */
export function textOfSize(kind: TextKind, size_bytes: number, seed: string, options: TextOptions = {}): string {
  const { width, height } = options.dimensions ?? { width: 100, height: 100 };
  for (const wrapping of wrappings[kind]) {
    const before = wrapping.before.replace("WIDTH", `${width}`).replace("HEIGHT", `${height}`);
    const room = size_bytes - before.length - wrapping.after.length;
    if (room < 0) continue;
    const random = Math.min(room, options.random_bytes ?? room);
    const text = seededText(seed, random);
    const bulk = oneLine.has(kind) ? text.replaceAll("\n", "+") : text;
    return `${before}${bulk}${" ".repeat(room - random)}${wrapping.after}`;
  }
  return leastText[kind](size_bytes);
}
