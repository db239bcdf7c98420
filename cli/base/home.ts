// Where a user's data live: --home, TRILANE_HOME, or the XDG data folder. Creates nothing.
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The data folder's absolute path: `archive.db`, `bodies/`, `ca/`, `results.db`, `reports/` are in it. */
export function homeFolder(option: string | undefined, environment: NodeJS.ProcessEnv = process.env): string {
  const named = option || environment.TRILANE_HOME;
  if (named) return resolve(named);
  // The XDG specification says that programs ignore relative paths.
  const xdg = environment.XDG_DATA_HOME;
  return join(xdg?.startsWith("/") ? xdg : join(homedir(), ".local", "share"), "trilane");
}
