// A file's content without its compression, gzip or zstd, recognized by its first bytes. Reads no file.
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { UserError } from "./errors.ts";

const compressions = [
  { name: "gzip", magic: Buffer.from([0x1f, 0x8b]), decompress: gunzipSync },
  { name: "zstd", magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), decompress: zstdDecompressSync },
];

interface UnzipErrors {
  /** It would come to more than the limit. */
  readonly tooLarge: () => UserError;
  /** gzip ends early; default: a line that says so. */
  readonly cutOff?: () => UserError;
}

/** As it is if it is not compressed. */
export function unzipped(content: Buffer, name: string, limit_bytes: number, errors: UnzipErrors): Buffer {
  const compression = compressions.find(({ magic }) => content.subarray(0, magic.length).equals(magic));
  if (!compression) return content;
  try {
    return compression.decompress(content, { maxOutputLength: limit_bytes });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ERR_BUFFER_TOO_LARGE") throw errors.tooLarge();
    const truncated = code === "Z_BUF_ERROR";
    if (truncated && compression.name === "gzip" && errors.cutOff) throw errors.cutOff();
    throw new UserError(
      `${name}: ${compression.name} is ${truncated ? "cut off" : "damaged"}: save or copy the file again`,
    );
  }
}
