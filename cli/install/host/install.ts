// Puts trilane-host where browsers find it, and takes it away again. What is written was tried first, as a browser does.
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { HostInstalled, HostManifest } from "../../../schemas/generated/host_installed.ts";
import { RunError, UserError } from "../../base/errors.ts";
import { checkout, programPath } from "../../base/programs.ts";
import { version } from "../../base/version.ts";
import { HostConversation } from "../../recording/archive/host.ts";
import { type Browser, browsers, type HostsFolder, hostsFolders, isFirefox, type Level } from "./browsers.ts";
import { type HostSettings, isForeign, launcherPath, launchersOf, launcherText, removeLauncher } from "./launcher.ts";
import {
  extensionId,
  extensionOrigin,
  hostName,
  manifestPath,
  manifestText,
  removeManifest,
  textAt,
  writeForBrowser,
} from "./manifest.ts";

const patience_ms = 10_000;

/** The host's features. RunError where it does not start, does not answer, or is of another version. */
export async function tryHost(program: string): Promise<string[]> {
  const host = new HostConversation(program, [extensionOrigin]);
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new RunError(`${program}: no answer within ${patience_ms / 1000} s: run \`trilane doctor\``)),
        patience_ms,
      );
    });
    const answer = await Promise.race([host.send("hello"), late]);
    if (answer.version !== version)
      throw new RunError(`${program} is of version ${answer.version}, this is ${version}: run \`npm run setup\``);
    return Array.isArray(answer.features) ? answer.features.map(String) : [];
  } finally {
    clearTimeout(timer);
    await host.end();
  }
}

export interface HostPlace {
  readonly level: Level;
  readonly browsers: readonly Browser[];
  readonly settings: HostSettings;
  /** The data folder. */
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

/** The first folder on the way to the program, from `top` on, that other users may not enter; null: they get there. */
export function closedToOthers(program: string, top = "/"): string | null {
  const enterable = 0o001;
  let closed: string | null = (statSync(program).mode & enterable) === 0 ? program : null;
  for (let folder = dirname(program); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & enterable) === 0) closed = folder;
    if (folder === top) return closed;
  }
}

/** Who else than root may own or write what runs as every user, and where that is looked at. For tests. */
export interface Trust {
  readonly uid: number;
  /** What is above is not looked at. */
  readonly top: string;
}

const rootOnly: Trust = { uid: 0, top: "/" };

/** As the kernel allows. */
const mostLinks = 40;

/** All that decides what the path leads to, in the order in which the kernel meets it: folders, symlinks and what they name. */
function wayTo(path: string): string[] {
  const way = ["/"];
  const rest = path.split("/");
  let at = "/";
  for (let links = 0; rest.length > 0; ) {
    const name = rest.shift() ?? "";
    const next = resolve(at, name);
    // Of "" and "." nothing; of ".." a folder that is on the way already.
    if (name !== "" && name !== "." && name !== "..") way.push(next);
    const stat = lstatSync(next, { throwIfNoEntry: false });
    if (!stat) return way.slice(0, -1);
    if (!stat.isSymbolicLink()) {
      at = next;
      continue;
    }
    if (++links > mostLinks) throw new UserError(`${path}: its symlinks lead in a circle`);
    const target = readlinkSync(next);
    if (isAbsolute(target)) at = "/";
    rest.unshift(...target.split("/"));
  }
  return way;
}

/** A symlink's permissions say nothing. */
function isWritable(stat: Stats, { uid }: Trust): boolean {
  if (stat.uid !== 0 && stat.uid !== uid) return true;
  if (stat.isSymbolicLink()) return false;
  const [byGroup, byAll] = [0o020, 0o002];
  return (stat.mode & byAll) !== 0 || ((stat.mode & byGroup) !== 0 && stat.gid !== 0);
}

/** In a folder with the sticky bit others may make files, but only its owner takes one's place. */
const keepsFiles = (stat: Stats, { uid }: Trust): boolean =>
  stat.isDirectory() && (stat.mode & 0o1000) !== 0 && (stat.uid === 0 || stat.uid === uid);

const isWithin = (path: string, top: string): boolean => path === top || path.startsWith(join(top, "/"));

/** The path, or what is nearest to it on the way to it, symlinks included, that others than root can change; null: nothing. */
export function writableByOthers(path: string, trust = rootOnly): string | null {
  const isOpen = (each: string): boolean => {
    const stat = lstatSync(each);
    return isWritable(stat, trust) && !keepsFiles(stat, trust);
  };
  const way = wayTo(path).filter((each) => isWithin(each, trust.top));
  return way.reverse().find(isOpen) ?? null;
}

/** As writableByOthers, of a folder or file with all that is in it and that its symlinks lead to: the first that is found. */
export function anyWritableByOthers(top: string, trust = rootOnly): string | null {
  const seen = new Set<string>();
  const inFolder = (folder: string): string | null => {
    if (seen.has(folder)) return null;
    seen.add(folder);
    // What others put beside our modules may be found first.
    if (isWritable(lstatSync(folder), trust)) return folder;
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stat = lstatSync(path);
      const found = stat.isSymbolicLink() ? from(path) : stat.isDirectory() ? inFolder(path) : null;
      if (found !== null) return found;
      if (isWritable(stat, trust)) return path;
    }
    return null;
  };
  const from = (path: string): string | null => {
    const found = writableByOthers(path, trust);
    if (found !== null) return found;
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
    return isFolder ? inFolder(realpathSync(path)) : null;
  };
  return from(top);
}

/** What cli/trilane runs, which the host starts: its Node, our sources with what they import, and our C programs. */
export const whatRuns = ["cli", "extension", "schemas", "node_modules", "package.json", join("build", "native")];
/** What the set-up bundled of our sources, and what cli/main.ts keeps compiled; there once these have run. */
export const compiled = [join("build", "cli"), join("build", "compile-cache")];

/** What a package brings in place of node_modules: the Debian package a Node of its own. */
const packaged = ["node"];

/** What the host starts where it is installed (native-host/messaging/main.c): an npm package of its own, or the checkout. */
function besideHost(program: string): string[] {
  const place = join("build", "native", "messaging", "trilane-host");
  const host = realpathSync(program);
  return host.endsWith(join("/", place))
    ? ["cli", join("build", "native")].map((name) => join(host.slice(0, -place.length), name))
    : [];
}

/** Every user's browser is to start it, so that whoever can change it acts as every user. Before it is started as root. */
export function refuseUnsafe(program: string, root = checkout, trust = rootOnly): void {
  const closed = closedToOthers(program, trust.top);
  if (closed !== null)
    throw new UserError(`${closed}: other users may not enter it: install Trilane elsewhere, or leave out --system`);
  const parts = [...whatRuns, ...compiled, ...packaged].map((name) => join(root, name));
  // Of these a checkout has no Node of a package, and a package no node_modules.
  const existing = [...parts, ...besideHost(program)].filter((path) => existsSync(path));
  for (const path of [program, process.execPath, ...existing]) {
    const writable = anyWritableByOthers(path, trust);
    if (writable !== null)
      throw new UserError(
        `${writable}: users other than root can change it and so run code as every user: install Trilane where only root writes, or leave out --system`,
      );
  }
}

/** Where a path leads, of which the end may not be there yet. */
function realPlace(path: string): string {
  const parent = dirname(path);
  return existsSync(path) || parent === path ? realpathSync(path) : join(realPlace(parent), basename(path));
}

function refuseForeign(launcher: string, home: string): void {
  if (isForeign(launcher))
    throw new UserError(`${launcher}: is not Trilane's: move it away, or name another data folder with --home`);
  if (isWithin(realPlace(launcher), realPlace(home)))
    throw new UserError(`${home}: holds ${launcher}, which trilane-host could change then: name another with --home`);
}

/** Where the browser is to start the host from: the program, or a launcher that is written for it. */
function hostProgram({ settings, home }: HostPlace): { program: string; undo: () => void } {
  const program = programPath("trilane-host");
  if (settings.home === null && settings.chromium === null) return { program, undo: () => {} };
  const path = launcherPath(home);
  refuseForeign(path, home);
  const state = writeForBrowser(path, launcherText(program, settings), 0o755);
  return { program: path, undo: state === "written" ? () => removeLauncher(path) : () => {} };
}

/** Reads back what a browser will read. */
function checkManifest(path: string, text: string): void {
  if (readFileSync(path, "utf8") !== text)
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

/** Whether a manifest in one of these folders has the browser start this program. */
function isNamed(program: string, folders: readonly HostsFolder[]): boolean {
  return folders.some((folder) => textAt(manifestPath(folder.path)) === manifestText(program, isFirefox(folder)));
}

/** Launchers that these folders name. Once the manifests have changed: removes those that no browser of this user starts any more. */
function launchersNamed({ home }: HostPlace, folders: readonly HostsFolder[]): { removeUnused(): void } {
  const named = launchersOf(home).filter((launcher) => isNamed(launcher, folders));
  const all = [...folders, ...hostsFolders({ kind: "user" }, browsers)];
  return { removeUnused: () => named.filter((launcher) => !isNamed(launcher, all)).forEach(removeLauncher) };
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
  const launchers = launchersNamed(place, folders);
  const manifests = folders.map((folder): HostManifest => {
    const path = manifestPath(folder.path);
    const text = manifestText(program, isFirefox(folder));
    const state = writeForBrowser(path, text);
    checkManifest(path, text);
    return { path, browsers: [...folder.browsers], state };
  });
  launchers.removeUnused();
  return resultOf("installed", program, manifests);
}

/** Takes away what installHost wrote, also where only part of it is there. */
export function uninstallHost(place: HostPlace): HostInstalled {
  const folders = hostsFolders(place.level, place.browsers);
  refuseUnwritable(
    folders.filter(({ path }) => statSync(manifestPath(path), { throwIfNoEntry: false })),
    place.level,
  );
  const launchers = launchersNamed(place, folders);
  const manifests = folders.map(
    ({ path: folder, browsers: of }): HostManifest => ({
      path: manifestPath(folder),
      browsers: [...of],
      state: removeManifest(folder) ? "removed" : "absent",
    }),
  );
  launchers.removeUnused();
  return resultOf("removed", null, manifests);
}
