// A browser starts a host without words of ours. Where the host is not to use the usual data folder, or races not the
// usual Chromium, a small script stands between the two. Text only, and where it is put.
import { join } from "node:path";

/** What the host is to be told; null: what it finds by itself. */
export interface HostSettings {
  readonly home: string | null;
  readonly chromium: string | null;
}

export const launcherPath = (home: string): string => join(home, "trilane-host");

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
