// Whether bytes are in the content-encoding that their header names: decodes as they pass by and throws the result away.
// Changes nothing: a body that lied when it was recorded lies again when it is replayed.
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from "node:zlib";
import type { ContentEncoding } from "../fill/content_encoding.ts";

/** A body that decodes to more than this is not looked at further: no page's does. */
const mostDecoded_bytes = 4e9;

type Decoder = ReturnType<typeof createGunzip> | ReturnType<typeof createZstdDecompress>;

/** HTTP's deflate is zlib's format; some servers send the bare one, and browsers take both. */
const isBareDeflate = (start: Uint8Array): boolean =>
  ((start[0] ?? 0) & 0x0f) !== 8 || (((start[0] ?? 0) << 8) | (start[1] ?? 0)) % 31 !== 0;

function decoderOf(encoding: ContentEncoding, start: Uint8Array): Decoder {
  switch (encoding) {
    case "gzip":
      return createGunzip();
    case "br":
      return createBrotliDecompress();
    case "zstd":
      return createZstdDecompress();
    case "deflate":
      return isBareDeflate(start) ? createInflateRaw() : createInflate();
  }
}

/** Passes the bytes on. `report(false)` is called at the end, or as soon as it is known, when they are not so encoded. */
export async function* checkedEncoding(
  chunks: AsyncIterable<Buffer>,
  encoding: ContentEncoding,
  report: (isEncoded: boolean) => void,
): AsyncGenerator<Buffer> {
  let decoder: Decoder | null = null;
  const look: { state: "fine" | "wrong" | "enough" } = { state: "fine" };
  let decoded_bytes = 0;
  let ended: Promise<void> = Promise.resolve();
  try {
    for await (const chunk of chunks) {
      if (!decoder && chunk.length > 0) {
        const made = decoderOf(encoding, chunk);
        decoder = made;
        ended = new Promise((resolve) => {
          made.on("error", () => {
            if (look.state === "fine") look.state = "wrong";
            resolve();
          });
          made.on("end", resolve);
          made.on("close", resolve);
        });
        made.on("data", (bytes: Buffer) => {
          decoded_bytes += bytes.length;
          if (decoded_bytes > mostDecoded_bytes && look.state === "fine") {
            look.state = "enough";
            made.destroy();
          }
        });
      }
      if (decoder && look.state === "fine") {
        const current = decoder;
        // Taken in before the chunk's memory is used again. What fails, or has ended already, takes nothing in any more.
        const taken = new Promise<void>((resolve) => current.write(chunk, () => resolve()));
        await Promise.race([taken, ended]);
      }
      yield chunk;
    }
    if (decoder && look.state === "fine") {
      decoder.end();
      await ended;
    }
    report(look.state !== "wrong");
  } finally {
    decoder?.destroy();
  }
}
