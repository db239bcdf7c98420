// A response's body as it was on the wire, or as near to it as the HAR allows: recorded bytes, recorded text compressed
// again, or a filling of the recorded size. Decides and calls the makers; codecs and fillings are cli/recording/fill's.
import { isUtf8 } from "node:buffer";
import { isRecord, textField } from "../../base/json_fields.ts";
import type { BodyOrigin, Header } from "../archive/archive.ts";
import {
  type ContentEncoding,
  contentEncoding,
  decode,
  encode,
  encodeToSize,
  isZlib,
} from "../fill/content_encoding.ts";
import { encodeRandomized, type FillKind, fill, fillKind, isText } from "../fill/fill.ts";
import type { Dimensions } from "../fill/jpeg.ts";
import { seededBytes, seededText } from "../fill/seeded.ts";
import type { HarEntry } from "./har.ts";
import { headerValue } from "./headers.ts";
import { hasContent } from "./select.ts";
import { decodedSize, type TransferSize, transferSize } from "./transfer_size.ts";
import type { LargeBody } from "./wire_exchange.ts";

// Bodies that a HAR holds as they were on the wire, though it should have them decoded, and bodies in another coding than their header names:
// known by their first bytes, or because text is none, and by decoding to their end. Pure.

/** A body decodes to no more. */
const mostDecoded_bytes = 256_000_000;

function candidates(bytes: Buffer, named: ContentEncoding | null): ContentEncoding[] {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return ["gzip"];
  if (bytes.length >= 4 && bytes.readUInt32LE(0) === 0xfd2fb528) return ["zstd"];
  return (named === "br" || (named === "deflate" && isZlib(bytes))) && !isUtf8(bytes) ? [named] : [];
}

interface CodedBody {
  readonly coding: ContentEncoding;
  readonly decoded: Buffer;
}

/** `named`: by the header. Of text only: pictures and archives begin as they like. Null: it is decoded already. */
function codedBody(bytes: Buffer, named: ContentEncoding | null): CodedBody | null {
  for (const coding of candidates(bytes, named)) {
    const decoded = decode(bytes, coding, mostDecoded_bytes);
    if (decoded !== null) return { coding, decoded };
  }
  return null;
}

/** Bytes that were written as text, a character each; null: the text is one. */
function bytesWrittenAsText(text: string): Buffer | null {
  if (!text.startsWith("\x1f\x8b") && !text.startsWith("\x28\u00b5\x2f\u00fd")) return null;
  return /^[\0-\xff]*$/.test(text) ? Buffer.from(text, "latin1") : null;
}

// A HAR holds text as Unicode; the wire held bytes. Encodes text in the charset that the response named, where that is UTF-8,
// UTF-16 or one of the single-byte ones; for any other the caller gets UTF-8 and must say so in the header.

interface EncodedText {
  readonly bytes: Buffer;
  /** The charset of the bytes. */
  readonly charset: string;
  /** False where the named charset could not be used. */
  readonly asNamed: boolean;
}

/** The charset parameter of a media type, in lower case; null where there is none. */
export function charsetParameter(mediaType: string | undefined): string | null {
  const found = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(mediaType ?? "");
  return found?.[1]?.toLowerCase() ?? null;
}

/** The charset an HTML document declares for itself near its beginning, as browsers look for it. */
function declaredCharset(text: string): string | null {
  return /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(text.slice(0, 1024))?.[1]?.toLowerCase() ?? null;
}

/** From character to byte, by asking the decoder for all 256; null for a charset of more bytes a character. */
function singleByteTable(charset: string): Map<string, number> | null {
  try {
    const decoder = new TextDecoder(charset);
    const table = new Map<string, number>();
    for (let byte = 0; byte < 256; byte++) {
      const character = decoder.decode(Uint8Array.of(byte));
      if (character.length === 1 && character !== "\ufffd" && !table.has(character)) table.set(character, byte);
    }
    // The single-byte charsets leave few bytes without a meaning, the others most of the upper half.
    return table.size >= 190 ? table : null;
  } catch {
    return null;
  }
}

function encodeSingleBytes(text: string, table: Map<string, number>): Buffer | null {
  const bytes = Buffer.alloc(text.length);
  for (let index = 0; index < text.length; index++) {
    const byte = table.get(text.charAt(index));
    if (byte === undefined) return null;
    bytes[index] = byte;
  }
  return bytes;
}

const utf8 = (text: string, asNamed: boolean): EncodedText => ({
  bytes: Buffer.from(text, "utf8"),
  charset: "utf-8",
  asNamed,
});

/** `contentType`: the header, or what the HAR gives for it. */
export function encodeText(text: string, contentType: string | undefined): EncodedText {
  const isHtml = /html/i.test(contentType ?? "");
  const charset = charsetParameter(contentType) ?? (isHtml ? declaredCharset(text) : null) ?? "utf-8";
  if (charset === "utf-8" || charset === "utf8") return utf8(text, true);
  if (/^utf-?16(le|be)?$/.test(charset)) {
    const bytes = Buffer.from(text, "utf16le");
    return { bytes: charset.endsWith("be") ? bytes.swap16() : bytes, charset, asNamed: true };
  }
  const table = singleByteTable(charset);
  const bytes = table ? encodeSingleBytes(text, table) : null;
  return bytes ? { bytes, charset, asNamed: true } : utf8(text, false);
}

export interface Body {
  /** Empty where `large` is set. */
  readonly bytes: Buffer;
  readonly large: LargeBody | null;
  readonly origin: BodyOrigin;
  /** What the bytes have; null: none, and no such header may be sent. */
  readonly encoding: ContentEncoding | null;
  /** Set where the bytes are in UTF-8 though the response named another charset. */
  readonly charset: "utf-8" | null;
  readonly transfer: TransferSize;
  readonly decoded_bytes: number | null;
  /** What a filled body is. */
  readonly filledWith: FillKind | null;
  /** The HAR holds only the beginning of the text; the rest is filled. */
  readonly cutOff: boolean;
  /** The HAR calls its text base64, which it is not: taken as text. */
  readonly isNotBase64: boolean;
  /** The very bytes that were received: the headers that say what they are stay as they were. */
  readonly asOnWire: boolean;
}

export const bodySize = ({ bytes, large }: Body): number => large?.size ?? bytes.length;

interface Wanted {
  readonly entry: HarEntry;
  readonly encoding: ContentEncoding | null;
  readonly contentType: string;
  readonly transfer: TransferSize;
  readonly decoded_bytes: number | null;
}

/** Statuses and methods whose responses have no body, whatever their headers say (RFC 9110 6.4.1). */
const hasNoBody = (entry: HarEntry): boolean => {
  const { method, status } = entry;
  // A 304 with content is one that the recording browser's cache answered.
  return method === "HEAD" || status === 204 || status === 205 || (status === 304 && !hasContent(entry));
};

const describe = ({ transfer, decoded_bytes }: Wanted) => ({
  large: null,
  transfer,
  decoded_bytes,
  charset: null,
  filledWith: null,
  cutOff: false,
  isNotBase64: false,
  asOnWire: false,
});

function filled(wanted: Wanted, wire_bytes: number, dimensions: Dimensions | null): Body {
  const { entry, contentType, encoding, decoded_bytes } = wanted;
  const made = fill({ mime_type: contentType, url: entry.url.href, wire_bytes, decoded_bytes, encoding, dimensions });
  return { ...describe(wanted), bytes: made.bytes, origin: "filled", encoding: made.encoding, filledWith: made.kind };
}

interface HeldBytes {
  readonly bytes: Buffer;
  readonly charset: "utf-8" | null;
  readonly isNotBase64: boolean;
}

function bytesOf({ entry, contentType }: Wanted, text: string): HeldBytes {
  const isCalledBase64 = /^base64$/i.test(textField(entry.content, "encoding") ?? "");
  const base64 = isCalledBase64 ? text.replace(/^data:[^,]{0,200};base64,/i, "") : "";
  // Node skips what is not base64 instead of refusing it.
  const isBase64 = isCalledBase64 && /^[A-Za-z0-9+/_\-\s]*={0,2}\s*$/.test(base64);
  if (isBase64) return { bytes: Buffer.from(base64, "base64"), charset: null, isNotBase64: false };
  const isNotBase64 = isCalledBase64;
  const written = bytesWrittenAsText(text);
  if (written) return { bytes: written, charset: null, isNotBase64 };
  const { bytes, asNamed } = encodeText(text, contentType);
  return { bytes, charset: asNamed ? null : "utf-8", isNotBase64 };
}

// A byte order mark that the recorder dropped is no cut.
const leastCut_bytes = 4;

// How the filling of a text's missing end is begun and ended, so that it disturbs as little as it can.
const restWrapping: Partial<Record<FillKind, readonly [string, string]>> = {
  html: ["\n<!--", "-->"],
  svg: ["\n<!--", "-->"],
  xml: ["\n<!--", "-->"],
  css: ["\n/*", "*/"],
  javascript: ["\n/*", "*/"],
};

/** The recorded beginning of a body, and a filling for the rest up to `whole_bytes`. */
function completed(wanted: Wanted, start: Buffer, whole_bytes: number): Body {
  const { entry, encoding, contentType, transfer } = wanted;
  const kind = fillKind(contentType, entry.url.href);
  const seed = entry.url.href;
  const missing = whole_bytes - start.length;
  const [before, after] = restWrapping[kind] ?? ["", ""];
  const room = Math.max(0, missing - before.length - after.length);
  const isBinary = entry.content.encoding === "base64" && !isText(kind);
  const make = (random_bytes: number): Buffer => {
    if (isBinary) return Buffer.concat([start, seededBytes(seed, missing)]);
    const bulk = seededText(seed, random_bytes) + " ".repeat(room - random_bytes);
    // An end too short for a comment is blank.
    const rest = missing < before.length + after.length ? " ".repeat(missing) : before + bulk + after;
    return Buffer.concat([start, Buffer.from(rest)]);
  };
  const described = { ...describe(wanted), filledWith: kind, cutOff: true, encoding };
  if (!encoding) return { ...described, bytes: make(room), origin: "filled" };
  const bytes =
    transfer.body_bytes === null
      ? encode(make(0), encoding).bytes
      : encodeRandomized(make, room, encoding, transfer.body_bytes);
  return { ...described, bytes, origin: "filled" };
}

/** Some recorders keep the bytes of the wire: they are not compressed a second time. */
function isAlreadyEncoded(bytes: Buffer, encoding: ContentEncoding, transfer: TransferSize): boolean {
  const gzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const zstd = bytes.length >= 4 && bytes.readUInt32LE(0) === 0xfd2fb528;
  return (encoding === "gzip" ? gzip : encoding === "zstd" && zstd) && bytes.length === transfer.body_bytes;
}

function fromText(wanted: Wanted, text: string): Body {
  const { entry, encoding, contentType, transfer, decoded_bytes } = wanted;
  const { bytes, charset, isNotBase64 } = bytesOf(wanted, text);
  const described = { ...describe(wanted), charset, isNotBase64 };
  const coded = isText(fillKind(contentType, entry.url.href)) ? codedBody(bytes, encoding) : null;
  if (encoding && (coded?.coding === encoding || isAlreadyEncoded(bytes, encoding, transfer)))
    return { ...described, bytes, origin: "recorded", encoding };
  const decoded = coded?.decoded ?? bytes;
  if (decoded_bytes !== null && coded === null && decoded_bytes - decoded.length >= leastCut_bytes)
    return { ...completed(wanted, decoded, decoded_bytes), charset, isNotBase64 };
  if (!encoding) return { ...described, bytes: decoded, origin: "recorded", encoding: null };
  const encoded =
    transfer.body_bytes === null ? encode(decoded, encoding) : encodeToSize(decoded, encoding, transfer.body_bytes);
  return { ...described, bytes: encoded.bytes, origin: "recompressed", encoding };
}

/** Above that a size is a mistake, or a download that no page load waits for; filling it would exhaust the memory. */
const largestBody_bytes = 256_000_000;

/** `export` writes what HAR has no field for: a body that was made up once does not come back as a recorded one. */
function asExported({ entry, contentType }: Wanted, body: Body): Body {
  const exported = isRecord(entry.raw._trilane) ? entry.raw._trilane : {};
  if (exported.body_origin !== "filled" || body.origin === "empty") return body;
  const recorded = isRecord(exported.recorded) ? exported.recorded : {};
  const filledWith = body.filledWith ?? fillKind(contentType, entry.url.href);
  return { ...body, origin: "filled", filledWith, cutOff: body.cutOff || recorded.cut_off === true };
}

interface BodyHints {
  /** What transfer_size.ts found out about the file. */
  readonly bodySizeHasHeaders: boolean;
  /** Of a picture. */
  readonly dimensions: Dimensions | null;
  /** The body as received, before content-decoding; null: it was not seen. */
  readonly wireBody: Buffer | LargeBody | null;
}

function onWire(body: Buffer | LargeBody): Pick<Body, "bytes" | "large" | "transfer" | "origin"> {
  const isLarge = !Buffer.isBuffer(body);
  return {
    bytes: isLarge ? Buffer.alloc(0) : body,
    large: isLarge ? body : null,
    transfer: { body_bytes: isLarge ? body.size : body.length, source: "wire" },
    origin: "recorded",
  };
}

const hasText = ({ content }: HarEntry): boolean => typeof content.text === "string" && content.text !== "";

/** A recorded size; null: not known, or beyond what a body that is there can have. */
const likelySize = (size_bytes: number | null): number | null =>
  size_bytes !== null && size_bytes > largestBody_bytes ? null : size_bytes;

/** Whether a body would have to be made up that is larger than any that a page waits for. `headers` as of bodyOf(). */
export function isTooLarge(entry: HarEntry, headers: readonly Header[], hasHeaders: boolean): boolean {
  if (hasNoBody(entry) || entry.wire?.body || hasText(entry)) return false;
  const { body_bytes } = transferSize(entry, headers, hasHeaders);
  const decoded_bytes = decodedSize(entry, body_bytes, headerValue(headers, "content-encoding") !== undefined);
  return Math.max(body_bytes ?? 0, decoded_bytes ?? 0) > largestBody_bytes;
}

/** `headers`: the response's as recorded, names in lower case. */
export function bodyOf(entry: HarEntry, headers: readonly Header[], hints: BodyHints): Body {
  const { dimensions, wireBody } = hints;
  const encodingHeader = headerValue(headers, "content-encoding");
  const encoding = contentEncoding(encodingHeader);
  const isEncoded = encodingHeader !== undefined && encodingHeader.trim().toLowerCase() !== "identity";
  const recordedTransfer = transferSize(entry, headers, hints.bodySizeHasHeaders);
  const { body_bytes } = recordedTransfer;
  const transfer: TransferSize =
    likelySize(body_bytes) === body_bytes ? recordedTransfer : { body_bytes: null, source: "none" };
  const contentType = headerValue(headers, "content-type") ?? textField(entry.content, "mimeType") ?? "";
  // Of headers and body together only the sum is known: no reason to call a text cut off.
  const isGuess = transfer.source === "_transferSize" || transfer.source === "_bytesIn";
  const ofBody_bytes = isGuess && hasText(entry) ? null : transfer.body_bytes;
  const decoded_bytes = likelySize(decodedSize(entry, ofBody_bytes, isEncoded));
  const wanted: Wanted = { entry, encoding, contentType, transfer, decoded_bytes };
  const empty: Body = { ...describe(wanted), bytes: Buffer.alloc(0), origin: "empty", encoding: null };
  if (hasNoBody(entry) || (entry.status === 304 && !hasContent(entry))) return empty;
  if (wireBody !== null) return { ...empty, ...onWire(wireBody), encoding, asOnWire: true };
  const { text } = entry.content;
  if (typeof text === "string" && text !== "") return asExported(wanted, fromText(wanted, text));
  // Where the wire's size is not known, the decoded one is the nearest; a quarter of it is a usual compression.
  const wire_bytes = transfer.body_bytes ?? (encoding && decoded_bytes ? Math.ceil(decoded_bytes / 4) : decoded_bytes);
  return wire_bytes ? filled(wanted, wire_bytes, dimensions) : empty;
}
