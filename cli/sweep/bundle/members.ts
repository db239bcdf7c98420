// Members of a bundle on their way into it, and their stream: a tar, compressed. The same members are the same bytes.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { constants, createZstdCompress, type ZstdCompress } from "node:zlib";
import type { BundleMember } from "../../../schemas/generated/bundle.ts";
import { RunError, UserError } from "../../base/errors.ts";
import { formatSize } from "../../base/numbers.ts";
import { tarEnd, tarHeader, tarPadding } from "../../base/tar.ts";
import { limits } from "./layout.ts";

export interface Member extends BundleMember {
  /** Its bytes; may be read once. */
  content(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export function textMember(name: string, text: string): Member {
  const bytes = Buffer.from(text);
  return { name, bytes: bytes.length, sha256: sha256Of(bytes), content: () => [bytes] };
}

/** Read twice: for its digest, and when it is written. */
export async function diskMember(name: string, path: string): Promise<Member> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { name, bytes, sha256: hash.digest("hex"), content: () => createReadStream(path) };
}

/** UserError for more than a bundle can hold. */
export function refuseTooLarge(members: readonly BundleMember[]): void {
  const large = members.find(({ bytes }) => bytes > limits.member_bytes);
  if (large)
    throw new UserError(
      `${large.name} has ${formatSize(large.bytes)}, and a bundle holds at most ${formatSize(limits.member_bytes)} in one member: bundle a smaller sweep`,
    );
  const all = members.reduce((sum, { bytes }) => sum + bytes, 0);
  if (all > limits.all_bytes || members.length > limits.members)
    throw new UserError(
      `${members.length} members of ${formatSize(all)} are more than a bundle holds (${limits.members} and ${formatSize(limits.all_bytes)}): bundle a smaller sweep, or leave recordings out with --results-only`,
    );
}

async function* tarOf(members: readonly Member[]): AsyncGenerator<Uint8Array> {
  for (const { name, bytes, sha256, content } of members) {
    yield tarHeader(name, bytes);
    const hash = createHash("sha256");
    let written = 0;
    for await (const piece of content()) {
      hash.update(piece);
      written += piece.length;
      if (written > bytes) break;
      yield piece;
    }
    if (written !== bytes || hash.digest("hex") !== sha256)
      throw new RunError(`${name}: has changed while it was bundled: try again`);
    yield tarPadding(bytes);
  }
  yield tarEnd();
}

/** Bodies are compressed mostly: a higher level gains little on these and takes long. */
const level = 9;

/**
 * Node ends a frame with the last piece if the stream is ended before that is taken, and then begins and ends another, empty one. So
 * each piece is waited for, the last one too: one frame, whatever the time.
 */
async function feed(zstd: ZstdCompress, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces)
    await new Promise<void>((resolve, reject) => {
      zstd.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  zstd.end();
}

/** The file's bytes. Ends with its first error. */
export async function* bundlePieces(members: readonly Member[]): AsyncGenerator<Uint8Array> {
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 };
  const zstd = createZstdCompress({ params });
  // Its errors arrive at the reader below.
  feed(zstd, tarOf(members)).catch((error: unknown) => zstd.destroy(error as Error));
  for await (const piece of zstd) yield piece as Uint8Array;
}
