// Which browser's binary a load ran with: the SHA-256 of the program's file, so that two builds of one version, and a browser
// that was updated in mid-sweep, are told apart. What lies beside the program (resources, libraries) is not in it,
// and of a script that starts it, as distributions put into /usr/bin, nothing is told: an update need not change that.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { oncePerFile } from "../base/once_per_file.ts";

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

/** In hexadecimal; null for a script. Chromium's takes 0.2 s. */
export const binaryDigest = oncePerFile(hashed);

/** With its kind for a headless shell, because it loads pages at another speed than the browser that people use. */
export function versionInWords(version: string, program: string): string {
  return version !== "" && /headless[-_]shell$/.test(program) ? `${version} headless shell` : version;
}
