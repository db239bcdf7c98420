// A browser starts a host without words of ours. Where the host is not to use the usual data folder, or races not the
// usual Chromium, a small script stands between the two: its text, its place, its removal. The place is not the data folder, where
// trilane-host may write: who takes the host over must not choose what the browser starts next.
import { createHash } from "node:crypto";
import { rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { settingsFolder } from "./browsers.ts";
import { textAt } from "./manifest.ts";

/** What the host gets; null: what it finds by itself. */
export interface HostSettings {
  readonly home: string | null;
  readonly chromium: string | null;
}

const launchersFolder = (): string => join(settingsFolder(process.env), "trilane");

export const launcherPath = (home: string): string =>
  join(launchersFolder(), `host-${createHash("sha256").update(home).digest("hex").slice(0, 16)}`);

/** Where versions up to 0.2 put it. */
const formerPath = (home: string): string => join(home, "trilane-host");

/** All places that a data folder's launcher may be in. */
export const launchersOf = (home: string): string[] => [launcherPath(home), formerPath(home)];

/** By which a launcher is known. */
export const launcherBeginning = "#!/bin/sh\n# Written by `trilane install-host`";

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function launcherText(program: string, { home, chromium }: HostSettings): string {
  return [
    `${launcherBeginning}, and removed by \`trilane install-host --uninstall\`.`,
    ...(chromium === null ? [] : [`TRILANE_BROWSER=${quoted(chromium)}`, "export TRILANE_BROWSER"]),
    `exec ${[quoted(program), ...(home === null ? [] : ["--home", quoted(home)]), '"$@"'].join(" ")}`,
    "",
  ].join("\n");
}

/** Whether there is a file of that name that we did not write, and that is not to be lost. */
export const isForeign = (launcher: string): boolean => textAt(launcher)?.startsWith(launcherBeginning) === false;

/** With the folder of launchers, if nothing else is in there; not the data folder, in which a former one stands. */
export function removeLauncher(launcher: string): void {
  if (isForeign(launcher)) return;
  rmSync(launcher, { force: true });
  if (dirname(launcher) !== launchersFolder()) return;
  try {
    rmdirSync(launchersFolder());
  } catch {
    // Launchers of other data folders; or there is none.
  }
}
