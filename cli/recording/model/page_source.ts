// The HTML of a modelled document: tags for what its parser found, in recorded order and about where they stood, inline
// scripts between them, and comments for the rest of the size. Also pads scripts and stylesheets, whose bulk is one comment.
// Pure; knows neither graph nor archive.
import { type ContentEncoding, encode } from "../fill/content_encoding.ts";
import { encodeRandomized } from "../fill/fill.ts";
import { seededText } from "../fill/seeded.ts";

/** What the parser comes by. `share`: how much of the document's filling goes before it, from 0 to 1, never falling. */
export interface Piece {
  readonly html: string;
  readonly share: number;
}

interface WantedSize {
  /** As on the wire. */
  readonly wire_bytes: number;
  /** Before content-encoding; null: not known. */
  readonly decoded_bytes: number | null;
  readonly encoding: ContentEncoding | null;
  readonly seed: string;
}

/** Comments as html, css and javascript have them. */
const comments = { html: ["<!--", "-->"], code: ["/*", "*/"] } as const;

interface Segment {
  readonly before: string;
  readonly room: number;
}

/** The pieces with as much room for a comment before each as its share wants; the last has the rest. */
function segments(pieces: readonly Piece[], room: number, least: number): Segment[] {
  let used = 0;
  const laid: Segment[] = [];
  for (const { html, share } of pieces) {
    const wanted = Math.floor(Math.min(1, Math.max(0, share)) * room) - used;
    const own = wanted >= least && room - used - wanted >= 0 ? wanted : 0;
    used += own;
    laid.push({ before: html, room: own });
  }
  return [...laid, { before: "", room: room - used }];
}

/** Text whose comments have `random_bytes` incompressible characters in all. */
function filledText(
  { pieces, bytes, random_bytes }: { pieces: readonly Piece[]; bytes: number; random_bytes: number },
  kind: keyof typeof comments,
  seed: string,
): Buffer {
  const [begin, end] = comments[kind];
  const least = begin.length + end.length + 1;
  const code_bytes = pieces.reduce((sum, { html }) => sum + Buffer.byteLength(html), 0);
  const room = Math.max(0, bytes - code_bytes);
  let given = 0;
  let passed = 0;
  const parts = segments(pieces, room, least).map(({ before, room: own }, index) => {
    const inner = own - begin.length - end.length;
    passed += own;
    if (inner < 0) return `${" ".repeat(Math.max(0, own))}${before}`;
    // Spread evenly, so that a document's compressed bytes come as its text does.
    const random = Math.min(inner, Math.max(0, Math.round((random_bytes * passed) / Math.max(1, room)) - given));
    given += random;
    return `${begin}${seededText(`${seed} ${index}`, random)}${" ".repeat(inner - random)}${end}${before}`;
  });
  return Buffer.from(parts.join(""));
}

export interface Source {
  readonly bytes: Buffer;
  /** By how much its code alone is larger than the recorded body. */
  readonly excess_bytes: number;
}

/** The pieces as a body of the wanted size on the wire, or as near above it as they can come. */
export function sourceOfSize(pieces: readonly Piece[], kind: keyof typeof comments, wanted: WantedSize): Source {
  const { wire_bytes, encoding, seed } = wanted;
  const code_bytes = pieces.reduce((sum, { html }) => sum + Buffer.byteLength(html), 0);
  if (!encoding) {
    const bytes = filledText({ pieces, bytes: wire_bytes, random_bytes: wire_bytes }, kind, seed);
    return { bytes, excess_bytes: Math.max(0, bytes.length - wire_bytes) };
  }
  // Random base64 compresses to three quarters.
  const known = wanted.decoded_bytes ?? 0;
  const decoded_bytes = Math.max(known, Math.ceil((wire_bytes * 4) / 3) + code_bytes);
  const most = decoded_bytes - code_bytes;
  const make = (random_bytes: number) => filledText({ pieces, bytes: decoded_bytes, random_bytes }, kind, seed);
  const bytes = encodeRandomized(make, most, encoding, wire_bytes);
  return { bytes, excess_bytes: Math.max(0, bytes.length - wire_bytes) };
}

/** Whether code fits into a body of that size on the wire. */
export function fits(code: string, { wire_bytes, encoding }: Pick<WantedSize, "wire_bytes" | "encoding">): boolean {
  const bytes = Buffer.from(code);
  return (encoding ? encode(bytes, encoding).bytes.length + 16 : bytes.length) <= wire_bytes;
}

export const attribute = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
