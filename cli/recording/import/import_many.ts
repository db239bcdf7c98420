// Many files in one import: the HARs of a folder, or several that were named. Each becomes a recording of its own or a line that says why not; a
// bad one does not stop the others. Prints nothing.
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { UserError } from "../../base/errors.ts";
import { textTable } from "../../base/text_table.ts";
import type { Device } from "../../browser/device.ts";
import type { Archive, Recording } from "../archive/archive.ts";
import { recordingName } from "./formats.ts";
import type { Credentials } from "./headers.ts";
import { importAny } from "./import_any.ts";
import { isHarFile } from "./read.ts";

/** A folder may have more; these are not waited for. */
const mostFiles = 10_000;

/** All HAR files in the folder and below, in order. */
async function harsBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  const names = (await readdir(folder, { recursive: true })).toSorted();
  for (const name of names) if (await isHarFile(join(folder, name))) found.push(join(folder, name));
  if (found.length > mostFiles)
    throw new UserError(
      `${folder}: has ${found.length} HAR files, and may have ${mostFiles}: import its folders one by one`,
    );
  return found;
}

/** The files that the words name; null: it is one file, or another program's folder. */
export async function manyFiles(words: readonly string[]): Promise<readonly string[] | null> {
  const files: string[] = [];
  let isMany = words.length > 1;
  for (const word of words) {
    const isFolder = word !== "-" && ((await stat(word).catch(() => null))?.isDirectory() ?? false);
    const hars = isFolder ? await harsBelow(word) : [];
    isMany ||= hars.length > 0;
    files.push(...(hars.length > 0 ? hars : [word]));
  }
  return isMany ? files : null;
}

interface ManyChoice {
  readonly replace: boolean;
  readonly credentials: Credentials;
  /** As requested, for all of them. */
  readonly device: Partial<Device>;
}

interface OfMany {
  readonly file: string;
  /** null: it was refused. */
  readonly recording: Recording | null;
  /** How much of the file it is, or why there is none. */
  readonly words: string;
}

/** A name that no other file of these has: with its folder's if two folders have one of that name, else with a number. */
function freshName(file: string, taken: Set<string>): string {
  const own = recordingName(file, "");
  const candidates = [own, recordingName(`${basename(dirname(file))}-${basename(file)}`, "")];
  let name = candidates.find((candidate) => !taken.has(candidate));
  for (let number = 2; name === undefined; number++) if (!taken.has(`${own}-${number}`)) name = `${own}-${number}`;
  taken.add(name);
  return name;
}

/** `onFile` is called after each. */
export async function importMany(
  archive: Archive,
  files: readonly string[],
  { replace, credentials, device }: ManyChoice,
  onFile: (done: number, total: number) => void,
): Promise<OfMany[]> {
  const results: OfMany[] = [];
  const taken = new Set<string>();
  for (const file of files) {
    try {
      const name = file === "-" ? undefined : freshName(file, taken);
      const { recording, lines, hasDocument } = await importAny(archive, { file, name, replace, credentials, device });
      const missing = hasDocument ? "" : `; ${recording.url} has no response in it`;
      results.push({ file, recording, words: `${lines[0] ?? ""}${missing}` });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const words = error.message.startsWith(`${file}: `) ? error.message.slice(file.length + 2) : error.message;
      results.push({ file, recording: null, words });
    }
    onFile(results.length, files.length);
  }
  return results;
}

/** One row for each file; what was refused has no recording. */
export function manyTable(results: readonly OfMany[]): string[] {
  const rows = results.map(({ file, recording }) => [
    file,
    recording?.name ?? "refused",
    recording === null ? "" : String(recording.exchanges),
  ]);
  const words = ["", ...results.map((result) => result.words)];
  return textTable([["file", "recording", "exchanges"], ...rows]).map((line, row) =>
    `${line}  ${words[row]}`.trimEnd(),
  );
}
