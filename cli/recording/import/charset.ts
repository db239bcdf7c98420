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
