// The native messaging manifest of trilane-host: its text, and the files that hold it. Writes whole or not at all, and
// leaves no folder behind that it has emptied. Starts nothing.
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import extension from "../../../schemas/extension.json" with { type: "json" };
import { UserError } from "../../base/errors.ts";
import { makerFolder } from "./browsers.ts";

export const hostName = "dev.trilane.host";

/** The only one that the host answers, as a browser gives it to the program. */
export const extensionOrigin = `chrome-extension://${extension.id}/`;
export const extensionId: string = extension.id;
export const firefoxId: string = extension.firefox_id;

export const manifestPath = (folder: string): string => join(folder, `${hostName}.json`);

/** `program`: absolute. */
export function manifestText(program: string, firefox = false): string {
  const manifest = {
    name: hostName,
    description: "Trilane: keeps recordings and races pages for the Trilane extension",
    path: program,
    type: "stdio",
    ...(firefox ? { allowed_extensions: [firefoxId] } : { allowed_origins: [extensionOrigin] }),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** null: there is no such file. UserError where something else is, or what may not be read. */
export function textAt(path: string): string | null {
  let descriptor: number;
  try {
    // A named pipe does not keep us waiting.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOENT") return null;
    if (code === "EACCES") throw new UserError(`${path}: may not be read: mend its owner or permissions`);
    if (code === "ENOTDIR") throw new UserError(`${dirname(path)}: is not a folder: move it away`);
    if (code === "ENXIO") throw new UserError(`${path}: is not a file: move it away`);
    throw error;
  }
  try {
    if (!fstatSync(descriptor).isFile()) throw new UserError(`${path}: is not a file: move it away`);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

/** The program that a folder's manifest names; null: there is none, or it names none. */
export function manifestProgram(folder: string): string | null {
  try {
    const manifest: unknown = JSON.parse(textAt(manifestPath(folder)) ?? "null");
    return typeof manifest === "object" && manifest !== null && "path" in manifest ? String(manifest.path) : null;
  } catch {
    return null;
  }
}

export type Written = "written" | "replaced" | "unchanged";

/** A file as a browser reads it: for everybody to read (and start), ours to write. Throws what the file system says. */
export function writeForBrowser(path: string, text: string, mode = 0o644): Written {
  const before = textAt(path);
  if (before === text) return "unchanged";
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const aside = `${path}.${process.pid}`;
  try {
    // What a reader finds is the old text or the new one.
    writeFileSync(aside, text, { mode });
    renameSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
  return before === null ? "written" : "replaced";
}

/**
 * Whether there was one. A folder of hosts that is empty then goes too, and the browser's own, and that of its maker, if they
 * hold nothing else.
 */
export function removeManifest(folder: string): boolean {
  const path = manifestPath(folder);
  if (textAt(path) === null) return false;
  rmSync(path);
  const browser = dirname(folder);
  const maker = dirname(browser);
  try {
    for (const each of [folder, browser, ...(basename(maker) === makerFolder ? [maker] : [])]) rmdirSync(each);
  } catch {
    // Others have something in it.
  }
  return true;
}
