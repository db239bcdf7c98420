// Where the programs are that the command line starts: ours as built here or as a package brings them, Chromium on the system.
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { UserError } from "./errors.ts";

/** The top of the checkout or of the package, which has its folders where a checkout has them. */
export const checkout = join(import.meta.dirname, "..", "..");

export type Program =
  | "trilane-command"
  | "trilane-fetch"
  | "trilane-flows"
  | "trilane-guard"
  | "trilane-host"
  | "trilane-probe"
  | "trilane-replay"
  | "trilane-server"
  | "trilane-shaper";

const folders: Record<Program, string> = {
  "trilane-command": "command",
  "trilane-fetch": "fetch",
  "trilane-flows": "flows",
  "trilane-guard": "guard",
  "trilane-host": "messaging",
  "trilane-probe": "shaper/probe",
  "trilane-replay": "replay",
  "trilane-server": "origin_server",
  "trilane-shaper": "shaper",
};

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    // A folder that may be entered has the same permission.
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const platformPackage = `trilane-${process.platform}-${process.arch}`;

/** The package of this platform's programs beside ours; null if npm did not install it. */
function packagedPrograms(): string | null {
  try {
    const manifest = createRequire(join(checkout, "package.json")).resolve(`${platformPackage}/package.json`);
    return join(dirname(manifest), "build", "native");
  } catch {
    return null;
  }
}

/** Whether this is a checkout, which set-up builds, and no package. */
export const isCheckout = (): boolean => existsSync(join(checkout, "cli", "main.ts"));

/** TRILANE_PROGRAMS, what was built here, or the platform's package. */
function programsFolder(environment: NodeJS.ProcessEnv): string {
  if (environment.TRILANE_PROGRAMS) return environment.TRILANE_PROGRAMS;
  const built = join(checkout, "build", "native");
  return isCheckout() || existsSync(built) ? built : (packagedPrograms() ?? built);
}

/** The absolute path of one of our C programs. UserError if it is not there. */
export function programPath(program: Program, environment: NodeJS.ProcessEnv = process.env): string {
  const path = resolve(programsFolder(environment), folders[program], program);
  const fault = environment.TRILANE_PROGRAMS || !isCheckout() ? ownLibraryFault() : null;
  if (fault) throw new UserError(fault);
  if (isExecutable(path)) return path;
  if (environment.TRILANE_PROGRAMS)
    throw new UserError(`no program at ${path} (TRILANE_PROGRAMS): name a folder as build/native, or unset it`);
  if (isCheckout()) throw new UserError(`${program} is not built: run \`npm run setup\` in ${checkout}`);
  throw new UserError(
    `${program} is missing, because the package ${platformPackage} is not installed: install Trilane again without --omit=optional ` +
      "(there are programs for Linux on x86-64 and arm64), or name a folder of programs in TRILANE_PROGRAMS",
  );
}

/** Every program with its folder in build/native. */
export const programFolders: readonly (readonly [program: Program, folder: string])[] = Object.entries(folders) as [
  Program,
  string,
][];

/** Whether a word of the command line is a program's path. */
export const isProgram = (word: string): boolean => word.includes("/") && isExecutable(resolve(word));

const otherFirefox = "install it (apt install firefox-esr), or name its binary: --browser /path/firefox";

const firefoxPaths = [
  "/usr/lib/firefox-esr/firefox-esr",
  "/usr/lib/firefox/firefox",
  "/opt/firefox/firefox",
  "/usr/bin/firefox-esr",
  "/usr/bin/firefox",
];

/** The first that is there and has no sandbox of its own. UserError if there is none, or only `confined` ones. */
function firstOf(
  name: string,
  paths: readonly string[],
  confined: readonly string[],
  remedy: string,
  none: string,
): string {
  const found = paths.find((path) => isExecutable(path) && sandboxOf(path) === null);
  if (found) return found;
  const only = [...paths, ...confined].find(isExecutable);
  if (only)
    throw new UserError(`the only ${name} here is a ${sandboxOf(only)} (${only}), which no lab can start: ${remedy}`);
  throw new UserError(`no ${name} found: ${none}`);
}

const firefoxPath = (): string =>
  firstOf(
    "Firefox",
    firefoxPaths,
    ["/snap/bin/firefox", "/var/lib/flatpak/exports/bin/org.mozilla.firefox"],
    otherFirefox,
    otherFirefox,
  );

/**
 * The absolute path of a browser that a plan or a command names: "chromium", "firefox", or a path. UserError if no program is there,
 * or one that no lab can start.
 */
export function browserProgram(named: string): string {
  if (named === "chromium") return chromiumPath();
  if (named === "firefox") return firefoxPath();
  const path = resolve(named);
  const sandbox = sandboxOf(path);
  const other = /firefox/i.test(basename(path)) ? otherFirefox : otherBrowser;
  if (sandbox) throw new UserError(`${named} is a ${sandbox}, which no lab can start: ${other}`);
  if (isExecutable(path)) return path;
  throw new UserError(`no program at ${named}: say chromium or firefox, or name a binary, as ${browserPaths[0]}`);
}

const otherBrowser = "install another (apt install chromium, or Chrome's .deb), or name its binary in TRILANE_BROWSER";

/** In the order in which they are taken. Debian's wrapper in /usr/bin adds flags of its own, so the binary behind it comes first. */
const browserPaths = [
  "/usr/lib/chromium/chromium",
  "/usr/lib/chromium-browser/chromium-browser",
  "/opt/google/chrome/chrome",
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
  "/opt/microsoft/msedge/msedge",
  // Without a window's code: it starts sooner, and its times are other ones.
  "/usr/lib/chromium/chromium-headless-shell",
  "/usr/bin/chrome-headless-shell",
];

/** What keeps a browser from running in our namespaces; null if nothing does. */
function sandboxOf(path: string): "snap" | "Flatpak" | null {
  if (/\/flatpak\//.test(path)) return "Flatpak";
  if (path.startsWith("/snap/")) return "snap";
  try {
    // Ubuntu's chromium-browser is a script that starts the snap.
    const size = statSync(path).size;
    return size < 10_000 && readFileSync(path, "utf8").includes("/snap/bin/") ? "snap" : null;
  } catch {
    return null; // not there: the caller says so
  }
}

/**
 * The browser to measure with: what TRILANE_BROWSER names (TRILANE_CHROMIUM before 0.3), or the first found. UserError if there is
 * none.
 */
export function chromiumPath(environment: NodeJS.ProcessEnv = process.env): string {
  const variable = environment.TRILANE_BROWSER ? "TRILANE_BROWSER" : "TRILANE_CHROMIUM";
  const named = environment[variable];
  if (named) {
    const sandbox = sandboxOf(named);
    if (sandbox)
      throw new UserError(`${named} (${variable}) is a ${sandbox}, which no lab can start: name Chromium's binary`);
    if (isExecutable(named)) return named;
    throw new UserError(
      `no program at ${named} (${variable}): name Chromium's binary, as ${browserPaths[0]}, or unset it`,
    );
  }
  return firstOf(
    "Chromium",
    browserPaths,
    ["/snap/bin/chromium", "/var/lib/flatpak/exports/bin/org.chromium.Chromium"],
    otherBrowser,
    "install it (apt install chromium, or npx @puppeteer/browsers install chrome-headless-shell) or name it in TRILANE_BROWSER",
  );
}

// Whether this system's C library runs the programs that packages bring. Those of a checkout are built for what it has.

/** Of Debian 12, Ubuntu 22.04 and RHEL 9. */
const neededGlibc = [2, 34] as const;

/** Why they do not run with this version of glibc; undefined: another C library. null: they do. */
export function libraryFault(version: string | undefined): string | null {
  const remedy = "use Debian 12, Ubuntu 22.04, RHEL 9 or newer, or Trilane's container image";
  const needed = neededGlibc.join(".");
  if (version === undefined)
    return `this system has no glibc (as Alpine), and Trilane's programs need ${needed}: ${remedy}`;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > neededGlibc[0] || (major === neededGlibc[0] && minor >= neededGlibc[1])) return null;
  return `this system's glibc is ${version}, and Trilane's programs need ${needed} or newer: ${remedy}`;
}

let found: string | null | undefined;

/** Of this system: Node says what it runs with. Looks once. */
export function ownLibraryFault(): string | null {
  if (found !== undefined) return found;
  // Else it looks up names of addresses.
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  found = libraryFault(header?.glibcVersionRuntime);
  return found;
}
