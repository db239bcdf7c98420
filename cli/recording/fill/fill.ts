// A body for a response whose own is not recorded: of its type, so that a browser takes it, and of its size on the wire to
// the byte. Chooses the maker by media type, else by what the URL ends in; what no maker is for gets random bytes.
//
// AVIF, JPEG XL, HEIF and BMP are filled with a WebP of the right dimensions: browsers tell pictures by their first bytes.
// A picture too small for its own format is filled with the smallest there is, a GIF, for the same reason.
import { type ContentEncoding, encode, encodeToSize } from "./content_encoding.ts";
import { type FontKind, fontOfSize } from "./font.ts";
import { gifOfSize, icoOfSize, pngOfSize, webpOfSize } from "./images.ts";
import { type Dimensions, dimensionsFor, jpegOfSize } from "./jpeg.ts";
import { seededBytes } from "./seeded.ts";
import { type TextKind, textOfSize } from "./text.ts";

type ImageKind = "jpeg" | "png" | "gif" | "webp" | "ico";

/** What a body is filled with. */
export type FillKind = TextKind | ImageKind | FontKind | "bytes";

export interface FillRequest {
  /** The response's media type, parameters and all; may be empty or wrong. */
  readonly mime_type: string;
  /** Seeds the bytes, so that the same URL is filled the same every time. */
  readonly url: string;
  readonly wire_bytes: number;
  /** Before content-encoding; null where it is not known. */
  readonly decoded_bytes: number | null;
  readonly encoding: ContentEncoding | null;
  readonly dimensions: Dimensions | null;
}

export interface Filled {
  readonly bytes: Buffer;
  readonly kind: FillKind;
  /** What the bytes really have; null where they are stored as they are. */
  readonly encoding: ContentEncoding | null;
}

const byType: readonly (readonly [RegExp, FillKind])[] = [
  [/^image\/svg\+xml$/, "svg"],
  [/^image\/p?jpe?g$/, "jpeg"],
  [/^image\/(x-|vnd\.mozilla\.a)?png$/, "png"],
  [/^image\/gif$/, "gif"],
  [/^image\/(x-icon|vnd\.microsoft\.icon|ico)$/, "ico"],
  [/^image\//, "webp"],
  [/^(text\/html|application\/xhtml\+xml)$/, "html"],
  [/^text\/css$/, "css"],
  [/^(text|application)\/(x-)?(java|ecma|live|j)script/, "javascript"],
  [/^(application|text)\/(.+\+)?json/, "json"],
  [/^application\/manifest/, "json"],
  [/^(application|text)\/(.+\+)?xml$/, "xml"],
  [/^text\/vtt$/, "vtt"],
  [/mpegurl$/, "m3u8"],
  [/^text\//, "plain"],
  [/^(font\/|application\/(x-)?font-)woff2$/, "woff2"],
  [/^(font\/|application\/(x-)?font-)woff$/, "woff"],
  [
    /^(font\/(ttf|otf|sfnt|opentype)|application\/(x-)?font-(ttf|otf|sfnt|opentype|truetype)|application\/vnd\.ms-opentype)$/,
    "ttf",
  ],
  [/^(video|audio)\//, "bytes"],
];

const byEnding: Record<string, FillKind> = {
  jpg: "jpeg",
  jpeg: "jpeg",
  png: "png",
  gif: "gif",
  webp: "webp",
  avif: "webp",
  ico: "ico",
  svg: "svg",
  html: "html",
  htm: "html",
  css: "css",
  js: "javascript",
  mjs: "javascript",
  json: "json",
  xml: "xml",
  vtt: "vtt",
  m3u8: "m3u8",
  woff2: "woff2",
  woff: "woff",
  ttf: "ttf",
  otf: "ttf",
};

export function fillKind(mime_type: string, url: string): FillKind {
  const essence = mime_type.split(";")[0]?.trim().toLowerCase() ?? "";
  const found = byType.find(([pattern]) => pattern.test(essence));
  if (found) return found[1];
  const ending = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(url.slice(url.lastIndexOf("/")))?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(byEnding, ending) ? (byEnding[ending] ?? "bytes") : "bytes";
}

const textKinds: ReadonlySet<FillKind> = new Set<FillKind>([
  "html",
  "css",
  "javascript",
  "json",
  "svg",
  "xml",
  "vtt",
  "m3u8",
  "plain",
]);
export const isText = (kind: FillKind): kind is TextKind => textKinds.has(kind);

// Less than this below the size is left to the codec's padding.
const closeEnough_bytes = 32;

/** `make`'s text with as much randomness as its encoded form has room for, encoded to `wire_bytes`. */
export function encodeRandomized(
  make: (random_bytes: number) => Buffer,
  most_bytes: number,
  encoding: ContentEncoding,
  wire_bytes: number,
): Buffer {
  let low = 0;
  let high = most_bytes;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const left = wire_bytes - encode(make(middle), encoding).bytes.length;
    if (left < 0) high = middle - 1;
    else low = middle;
    if (left >= 0 && left <= closeEnough_bytes) break;
  }
  return encodeToSize(make(low), encoding, wire_bytes).bytes;
}

function filledText(kind: TextKind, request: FillRequest): Filled {
  const { url, wire_bytes, encoding } = request;
  const dimensions = request.dimensions ?? { width: 100, height: 100 };
  if (!encoding) return { bytes: Buffer.from(textOfSize(kind, wire_bytes, url, { dimensions })), kind, encoding: null };
  // Random base64 compresses to three quarters.
  const decoded_bytes = request.decoded_bytes ?? Math.ceil((wire_bytes * 4) / 3);
  const make = (random_bytes: number) =>
    Buffer.from(textOfSize(kind, decoded_bytes, url, { random_bytes, dimensions }));
  return { bytes: encodeRandomized(make, decoded_bytes, encoding, wire_bytes), kind, encoding };
}

function imageBytes(kind: ImageKind, size: number, url: string, known: Dimensions | null): Buffer | null {
  const dimensions = known ?? dimensionsFor(size);
  switch (kind) {
    case "jpeg":
      return jpegOfSize(size, url, dimensions)?.bytes ?? null;
    case "png":
      return pngOfSize(size, url, dimensions);
    case "gif":
      return gifOfSize(size, url, dimensions);
    case "webp":
      return webpOfSize(size, url, dimensions);
    case "ico":
      return icoOfSize(size, url, known ?? { width: 32, height: 32 });
  }
}

function filledImage(kind: ImageKind, { url, wire_bytes, dimensions }: FillRequest): Filled {
  const own = imageBytes(kind, wire_bytes, url, dimensions);
  if (own) return { bytes: own, kind, encoding: null };
  const smallest = gifOfSize(wire_bytes, url, dimensions ?? { width: 1, height: 1 });
  return smallest ? { bytes: smallest, kind: "gif", encoding: null } : filledBytes(url, wire_bytes);
}

function filledBytes(url: string, size: number): Filled {
  return { bytes: seededBytes(url, size), kind: "bytes", encoding: null };
}

/** A body of exactly `wire_bytes` (within what the codec can do, where the type is a text and encoded). */
export function fill(request: FillRequest): Filled {
  const kind = fillKind(request.mime_type, request.url);
  if (isText(kind)) return filledText(kind, request);
  const { url, wire_bytes } = request;
  switch (kind) {
    case "ttf":
    case "woff":
    case "woff2": {
      const font = fontOfSize(kind, wire_bytes, url);
      return font ? { bytes: font, kind, encoding: null } : filledBytes(url, wire_bytes);
    }
    case "bytes":
      return filledBytes(url, wire_bytes);
    default:
      return filledImage(kind, request);
  }
}
