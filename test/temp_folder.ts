// A temporary folder for a test. It is removed when the process ends, whatever became of the test.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];

/** `name`: how the folder's name begins. */
export function tempFolder(name: string): string {
  if (folders.length === 0)
    process.once("exit", () => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });
  const folder = mkdtempSync(join(tmpdir(), name));
  folders.push(folder);
  return folder;
}
