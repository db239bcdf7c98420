// Bytes and text that look random and are the same every time for the same seed, on every machine and Node version, so
// that a filled recording keeps its digest. Incompressible on purpose. Not for secrets.
import { createCipheriv, createHash } from "node:crypto";

/** `size_bytes` incompressible bytes; the seed names what they are for. */
export function seededBytes(seed: string, size_bytes: number): Buffer {
  const key = createHash("sha256").update(seed).digest();
  // AES in counter mode is a random stream with a published definition; Math.random has neither seed nor definition.
  const cipher = createCipheriv("aes-128-ctr", key.subarray(0, 16), key.subarray(16, 32));
  return cipher.update(Buffer.alloc(size_bytes));
}

const lineLength = 128;

/** `size_bytes` characters of base64 in lines: 6 random bits each, and no character that could end a comment or string. */
export function seededText(seed: string, size_bytes: number): string {
  if (size_bytes <= 0) return "";
  const text = seededBytes(seed, Math.ceil((size_bytes * 3) / 4)).toString("base64");
  const lines: string[] = [];
  // The line end is one of the wanted characters.
  for (let start = 0; start < size_bytes; start += lineLength) lines.push(text.slice(start, start + lineLength - 1));
  return lines.join("\n").padEnd(size_bytes, "\n").slice(0, size_bytes);
}
