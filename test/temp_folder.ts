// A temporary folder for a test. It is removed when the process ends, whatever became of the test.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];

/** `name`: how the folder's name begins. */
export function tempFolder(name: string): string {
  if (folders.length === 0)
    process.once("exit", () => {
      for (const folder of folders)
        try {
          rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
        } catch {
          // A program that a test left writes there still; the folder's parent is removed after all tests (run.sh).
        }
    });
  const folder = mkdtempSync(join(tmpdir(), name));
  folders.push(folder);
  return folder;
}
