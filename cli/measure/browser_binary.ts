// Which browser's binary a load ran with: the SHA-256 of the program's file, so that two builds of one version, and a browser
// that was updated in mid-sweep, are told apart. What lies beside the program (resources, libraries) is not in it,
// and of a script that starts it, as distributions put into /usr/bin, nothing is told: an update need not change that.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";

async function isScript(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(2) });
    return buffer.toString("latin1", 0, bytesRead) === "#!";
  } finally {
    await file.close();
  }
}

async function hashed(path: string): Promise<string | null> {
  if (await isScript(path)) return null;
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

const known = new Map<string, Promise<string | null>>();

/** In hexadecimal; null for a script. A file is read once (0.2 s for Chromium), and again when its time, size or place on the disk is another. */
export async function binaryDigest(path: string): Promise<string | null> {
  const { mtimeMs, size, ino } = await stat(path);
  const key = JSON.stringify([path, mtimeMs, size, ino]);
  const asked = known.get(key) ?? hashed(path);
  known.set(key, asked);
  // A failure may pass.
  asked.catch(() => known.delete(key));
  return asked;
}
