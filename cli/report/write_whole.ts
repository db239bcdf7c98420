// Puts a file in its place whole or not at all. Knows nothing of what is in it.
import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Puts text at a path whole or not at all. Folders on the way are made. */
export async function writeWhole(path: string, text: string | Iterable<string>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const aside = join(dirname(path), `.${basename(path)}.${process.pid}`);
  try {
    const file = await open(aside, "w");
    try {
      for (const part of typeof text === "string" ? [text] : text) await file.write(part);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}
