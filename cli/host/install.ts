// Puts trilane-host where browsers find it, and takes it away again. What is written was tried first, as a browser does.
import { accessSync, constants, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HostInstalled, HostManifest } from "../../schemas/generated/host_installed.ts";
import { RunError, UserError } from "../errors.ts";
import { makeFolder } from "../make_folder.ts";
import { checkout, programPath } from "../programs.ts";
import { version } from "../version.ts";
import { type Browser, browsers, type HostsFolder, hostsFolders, type Level } from "./browsers.ts";
import { type HostSettings, launcherBeginning, launcherPath, launcherText } from "./launcher.ts";
import {
  extensionId,
  hostName,
  manifestPath,
  manifestText,
  removeManifest,
  textAt,
  writeForBrowser,
} from "./manifest.ts";
import { tryHost } from "./try_host.ts";

export interface HostPlace {
  readonly level: Level;
  readonly browsers: readonly Browser[];
  readonly settings: HostSettings;
  /** The data folder, which a launcher would be in. */
  readonly home: string;
}

/** Where nothing may be written, before something is. UserError. */
function refuseUnwritable(folders: readonly HostsFolder[], level: Level): void {
  for (const { path } of folders) {
    let above = path;
    while (above !== "/" && !statSync(above, { throwIfNoEntry: false })) above = dirname(above);
    try {
      accessSync(above, constants.W_OK | constants.X_OK);
    } catch {
      const remedy =
        level.kind === "system"
          ? "run it as root, or leave out --system"
          : "name browsers with --browser, or mend its owner";
      throw new UserError(`${above}: may not be written: ${remedy}`);
    }
  }
}

/** The first folder on the way to the program that other users may not enter; null: they get there. */
export function closedToOthers(program: string): string | null {
  const enterable = 0o001;
  let closed: string | null = (statSync(program).mode & enterable) === 0 ? program : null;
  for (let folder = dirname(program); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & enterable) === 0) closed = folder;
    if (folder === dirname(folder)) return closed;
  }
}

/**
 * The program, or the first folder above it, that somebody else than root (or `trusted`) can change; null: nobody. In a folder with
 * the sticky bit only its owner takes a file's place. Follows symlinks, and the way to them.
 */
export function writableByOthers(program: string, trusted = 0): string | null {
  const [byGroup, byAll, sticky] = [0o020, 0o002, 0o1000];
  for (const start of [program, realpathSync(program)])
    for (let path = start; ; path = dirname(path)) {
      const { uid, gid, mode } = statSync(path);
      const isShared = (mode & byAll) !== 0 || ((mode & byGroup) !== 0 && gid !== 0);
      if ((uid !== 0 && uid !== trusted) || (isShared && (mode & sticky) === 0)) return path;
      if (path === dirname(path)) break;
    }
  return null;
}

/** Every user's browser is to start it, so that whoever can change it acts as every user. Before it is started as root. */
function refuseUnsafe(program: string): void {
  const closed = closedToOthers(program);
  if (closed !== null)
    throw new UserError(`${closed}: other users may not enter it: install Trilane elsewhere, or leave out --system`);
  for (const file of [program, join(checkout, "cli", "trilane")]) {
    const writable = writableByOthers(file);
    if (writable !== null)
      throw new UserError(
        `${writable}: others than root can write it, and would act as every user: install Trilane where only root writes, or leave out --system`,
      );
  }
}

/** Whether there is a file of that name that we did not write, and that is not to be lost. */
const isForeign = (launcher: string): boolean => textAt(launcher)?.startsWith(launcherBeginning) === false;

function refuseForeign(launcher: string): void {
  if (isForeign(launcher))
    throw new UserError(`${launcher}: is not Trilane's: move it away, or name another data folder with --home`);
}

/** Where the browser is to start the host from: the program, or a launcher that is written for it. */
function hostProgram({ settings, home }: HostPlace): { program: string; undo: () => void } {
  const program = programPath("trilane-host");
  if (settings.home === null && settings.chromium === null) return { program, undo: () => {} };
  const path = launcherPath(home);
  refuseForeign(path);
  // As the archive makes it: what is recorded is the user's alone.
  makeFolder(home);
  const state = writeForBrowser(path, launcherText(program, settings), 0o755);
  return { program: path, undo: state === "written" ? () => rmSync(path, { force: true }) : () => {} };
}

/** Reads back what a browser will read. */
function checkManifest(path: string, program: string): void {
  if (readFileSync(path, "utf8") !== manifestText(program))
    throw new RunError(`${path}: is not what was written: somebody else writes it, too`);
}

function resultOf(
  action: HostInstalled["action"],
  program: string | null,
  manifests: readonly HostManifest[],
): HostInstalled {
  return {
    schema: "trilane/host-installed/1",
    action,
    name: hostName,
    version,
    extension: extensionId,
    program,
    manifests: manifests as HostInstalled["manifests"],
  };
}

/** UserError where it may not be written; RunError where the host does not answer, and then nothing was written. */
export async function installHost(place: HostPlace): Promise<HostInstalled> {
  const folders = hostsFolders(place.level, place.browsers);
  refuseUnwritable(folders, place.level);
  // Throws where there is what cannot be replaced, before any is.
  for (const { path } of folders) textAt(manifestPath(path));
  const { program, undo } = hostProgram(place);
  // No launcher was written then.
  if (place.level.kind === "system") refuseUnsafe(program);
  try {
    await tryHost(program);
  } catch (error) {
    undo();
    throw error;
  }
  const manifests = folders.map(({ path: folder, browsers: of }): HostManifest => {
    const path = manifestPath(folder);
    const state = writeForBrowser(path, manifestText(program));
    checkManifest(path, program);
    return { path, browsers: [...of], state };
  });
  return resultOf("installed", program, manifests);
}

/** Whether a manifest in one of these folders has the browser start this program. */
function isNamed(program: string, folders: readonly HostsFolder[]): boolean {
  return folders.some(({ path }) => textAt(manifestPath(path)) === manifestText(program));
}

/** Takes away what installHost wrote, also where only part of it is there. */
export function uninstallHost(place: HostPlace): HostInstalled {
  const folders = hostsFolders(place.level, place.browsers);
  refuseUnwritable(
    folders.filter(({ path }) => statSync(manifestPath(path), { throwIfNoEntry: false })),
    place.level,
  );
  const launcher = launcherPath(place.home);
  const wasNamed = isNamed(launcher, folders);
  const manifests = folders.map(
    ({ path: folder, browsers: of }): HostManifest => ({
      path: manifestPath(folder),
      browsers: [...of],
      state: removeManifest(folder) ? "removed" : "absent",
    }),
  );
  // Another browser of this user may still be told to start it.
  if (wasNamed && !isForeign(launcher) && !isNamed(launcher, hostsFolders({ kind: "user" }, browsers)))
    rmSync(launcher, { force: true });
  return resultOf("removed", null, manifests);
}
