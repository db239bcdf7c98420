// Which browser's binary a load ran with: the SHA-256 of the program's file, so that two builds of one version, and a browser
// that was updated in mid-sweep, are told apart. What lies beside the program (resources, libraries) is not in it.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";

async function hashed(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

const known = new Map<string, Promise<string>>();

/** In hexadecimal. A file is read once (0.2 s for Chromium), and again when its time, size or place on the disk is another. */
export async function binaryDigest(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path);
  const key = JSON.stringify([path, mtimeMs, size, ino]);
  const asked = known.get(key) ?? hashed(path);
  known.set(key, asked);
  // A failure may pass.
  asked.catch(() => known.delete(key));
  return asked;
}
