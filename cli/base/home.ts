// Where a user's data live: --home, TRILANE_HOME, or the XDG data folder. Creates nothing.
import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { UserError } from "./errors.ts";

/**
 * The data folder's absolute path: `archive.db`, `bodies/`, `ca/`, `results.db`, `reports/` are in it. It need not be there.
 * @throws UserError if it, or one above it, is a file
 */
export function homeFolder(option: string | undefined, environment: NodeJS.ProcessEnv = process.env): string {
  const folder = namedHome(option, environment);
  const there = existingFolder(folder);
  if (!statSync(there).isDirectory()) throw new UserError(`${there}: is not a folder: name another with --home`);
  return folder;
}

/** The nearest folder above (or at) the path that exists. It may be a file. */
export function existingFolder(path: string): string {
  return existsSync(path) ? path : existingFolder(dirname(path));
}

function namedHome(option: string | undefined, environment: NodeJS.ProcessEnv): string {
  const named = option || environment.TRILANE_HOME;
  if (named) return resolve(named);
  // The XDG specification says that programs ignore relative paths.
  const xdg = environment.XDG_DATA_HOME;
  return join(xdg?.startsWith("/") ? xdg : join(homedir(), ".local", "share"), "trilane");
}
