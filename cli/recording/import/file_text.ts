// What a file's bytes are as text: UTF-8, UTF-16 of either order with or without its mark, or Latin-1. The result is UTF-8 without a mark,
// and a remark if bytes had to be guessed. Pure.
import { isUtf8 } from "node:buffer";

interface FileText {
  readonly utf8: Buffer;
  /** For a reader; null: the file is what it should be. */
  readonly remark: string | null;
}

const startsWith = (bytes: Buffer, ...start: readonly number[]): boolean =>
  start.every((byte, at) => bytes[at] === byte);

/** PowerShell's `>` writes UTF-16; every other byte of what begins JSON is 0 then. */
function utf16Order(bytes: Buffer): { readonly order: "le" | "be"; readonly mark_bytes: number } | null {
  if (startsWith(bytes, 0xff, 0xfe)) return { order: "le", mark_bytes: 2 };
  if (startsWith(bytes, 0xfe, 0xff)) return { order: "be", mark_bytes: 2 };
  if (bytes.length >= 4 && bytes[0] !== 0 && bytes[1] === 0 && bytes[2] !== 0 && bytes[3] === 0)
    return { order: "le", mark_bytes: 0 };
  if (bytes.length >= 4 && bytes[0] === 0 && bytes[1] !== 0 && bytes[2] === 0 && bytes[3] !== 0)
    return { order: "be", mark_bytes: 0 };
  return null;
}

function fromUtf16(bytes: Buffer, order: "le" | "be"): Buffer {
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
  return Buffer.from((order === "be" ? Buffer.from(even).swap16() : even).toString("utf16le"), "utf8");
}

/** Where the first byte is that UTF-8 does not allow. `lenient`: the bytes as text, with U+FFFD for each of these. */
function firstWrongByte(bytes: Buffer, lenient: string): number {
  let [from, at] = [0, 0];
  for (let next = lenient.indexOf("\ufffd"); next >= 0; next = lenient.indexOf("\ufffd", from)) {
    at += Buffer.byteLength(lenient.slice(from, next));
    // The file may hold that character itself.
    if (!startsWith(bytes.subarray(at), 0xef, 0xbf, 0xbd)) return at;
    at += 3;
    from = next + 1;
  }
  return at;
}

/** Whether it holds characters of several bytes that are right: a text in UTF-8 with a few damaged bytes, not one in Latin-1. */
const hasLongCharacters = (text: string): boolean => /[^\0-\x7f\ufffd]/.test(text);

export function fileText(bytes: Buffer): FileText {
  const utf16 = utf16Order(bytes);
  if (utf16) return { utf8: fromUtf16(bytes.subarray(utf16.mark_bytes), utf16.order), remark: null };
  const utf8 = startsWith(bytes, 0xef, 0xbb, 0xbf) ? bytes.subarray(3) : bytes;
  if (isUtf8(utf8)) return { utf8, remark: null };
  const lenient = utf8.toString("utf8");
  const at = bytes.length - utf8.length + firstWrongByte(utf8, lenient);
  if (hasLongCharacters(lenient))
    return { utf8: Buffer.from(lenient), remark: `byte ${at} and others are not UTF-8: read as \ufffd` };
  const latin1 = new TextDecoder("windows-1252").decode(utf8);
  return { utf8: Buffer.from(latin1), remark: `is not UTF-8 (byte ${at}): read as Latin-1` };
}
