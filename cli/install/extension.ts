// Builds the extension into build/extension, where a browser can load it: scripts and styles bundled by esbuild, one
// file each and readable (a store's reviewer reads them), pages and icons copied, and the manifest with the version of
// package.json and the key of schemas/extension.json, which fixes the extension's id. The same source gives build/extension-firefox. Quiet when all is well.
// Does not check types (test/check.sh does) nor make the store's zip (package.ts does).
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import identity from "../../schemas/extension.json" with { type: "json" };
import { RunError } from "../base/errors.ts";
import { makeProcessFolder, sweepProcessFolders } from "../base/process_folder.ts";
import { checkout } from "../base/programs.ts";
import { version } from "../base/version.ts";
import { filesOf } from "./package_check.ts";

const source = join(checkout, "extension");
export const builtExtension = join(checkout, "build", "extension");
/** The same source as a package for Firefox. */
export const builtForFirefox = join(checkout, "build", "extension-firefox");

/** Each page is views/NAME/NAME.html; the script and the style beside it bear its name. */
function pages(): string[] {
  const views = join(source, "views");
  if (!existsSync(views)) return [];
  return readdirSync(views).filter((name) => existsSync(join(views, name, `${name}.html`)));
}

export interface BuildOptions {
  /** Default: build/extension. Replaced as a whole, where anything in it is another. */
  readonly out?: string;
  /** Default: no, for Chromium and its kin. */
  readonly firefox?: boolean;
  /**
   * Optional permissions that are to be had from the start, where there is no one to answer the browser's question, as in a
   * browser that was opened for one purpose. Never for the store.
   */
  readonly granted?: readonly string[];
}

interface SourceManifest {
  readonly permissions: readonly string[];
  readonly optional_permissions: readonly string[];
  readonly background: { readonly service_worker: string; readonly type: string };
}

/**
 * extension/manifest.json for one of the two. Firefox has no debugger for extensions: it reports their requests instead, of sites that they may
 * see, and its background is a page.
 */
export function manifestFor(firefox: boolean, source: SourceManifest, granted: readonly string[]): object {
  const { background, ...rest } = source;
  const filled = {
    ...rest,
    permissions: [...source.permissions, ...granted],
    optional_permissions: source.optional_permissions.filter((name) => !granted.includes(name)),
    version,
  };
  if (!firefox) return { ...filled, background, key: identity.key };
  const { minimum_chrome_version: _, ...shared } = filled as typeof filled & { minimum_chrome_version?: string };
  return {
    ...shared,
    permissions: [...shared.permissions.filter((name) => name !== "debugger"), ...firefoxPermissions],
    host_permissions: ["<all_urls>"],
    background: { scripts: [background.service_worker], type: background.type },
    browser_specific_settings: {
      gecko: {
        id: identity.firefox_id,
        strict_min_version: firefoxFrom,
        data_collection_permissions: { required: ["none"] },
      },
    },
  };
}

const firefoxPermissions = ["webRequest", "webRequestBlocking", "webRequestFilterResponse"];

/** Its first version with all that the extension uses: the data collection permissions are the last that came. */
const firefoxFrom = "140.0";

function isSame(one: string, other: string): boolean {
  try {
    const names = filesOf(one);
    if (names.join("\n") !== filesOf(other).join("\n")) return false;
    return names.every((name) => readFileSync(join(one, name)).equals(readFileSync(join(other, name))));
  } catch {
    // There is none, or another build takes it away.
    return false;
  }
}

/** False where there is none to rename, or one in the way. One of a container's image cannot be renamed, only removed. */
function renamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "EXDEV") {
      rmSync(from, { recursive: true, force: true });
      return false;
    }
    if (code === "ENOENT" || code === "ENOTEMPTY" || code === "EEXIST") return false;
    throw error;
  }
}

/** How often another build may be quicker. */
const maximumTries = 100;

/**
 * Puts the built folder in the place of the one before, whole. Between two renames there is none; who is killed there, and at
 * no other moment, leaves none until the next build. Another build's may come in between, and then goes in its turn.
 */
function putInPlace(fresh: string, out: string, aside: string): void {
  if (isSame(fresh, out)) return;
  for (let tries = 0; tries < maximumTries; tries++) {
    renamed(out, join(aside, String(tries)));
    if (renamed(fresh, out)) return;
  }
  throw new RunError(`${out}: other builds keep replacing it: end them, and build again`);
}

/** Builds the extension. Throws where a source does not compile. */
export async function buildExtension({
  firefox = false,
  out = firefox ? builtForFirefox : builtExtension,
  granted = [],
}: BuildOptions = {}): Promise<void> {
  const worker = join(source, "background", "service_worker.ts");
  const entryPoints = [
    ...(existsSync(worker) ? [worker] : []),
    ...pages().flatMap((page) =>
      [`${page}.ts`, `${page}.css`].map((file) => join(source, "views", page, file)).filter((path) => existsSync(path)),
    ),
  ];
  // Beside it: a rename does not lead to another file system.
  const parent = dirname(out);
  mkdirSync(parent, { recursive: true });
  await sweepProcessFolders(parent, "extension");
  const work = makeProcessFolder(parent, "extension");
  const fresh = join(work, "new");
  mkdirSync(fresh);
  try {
    await build({
      entryPoints,
      outdir: fresh,
      outbase: source,
      bundle: true,
      format: "esm",
      platform: "browser",
      target: firefox ? `firefox${Number.parseInt(firefoxFrom, 10)}` : "chrome125",
      charset: "utf8",
      logLevel: "warning",
      define: { TRILANE_VERSION: JSON.stringify(version), TRILANE_FIREFOX: String(firefox) },
    });
    for (const page of pages())
      cpSync(join(source, "views", page, `${page}.html`), join(fresh, "views", page, `${page}.html`));
    for (const icon of readdirSync(join(source, "icons")).filter((name) => name.endsWith(".png")))
      cpSync(join(source, "icons", icon), join(fresh, "icons", basename(icon)));
    const manifest = JSON.parse(readFileSync(join(source, "manifest.json"), "utf8")) as SourceManifest;
    const text = JSON.stringify(manifestFor(firefox, manifest, granted), null, 2);
    writeFileSync(join(fresh, "manifest.json"), `${text}\n`);
    putInPlace(fresh, out, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await buildExtension();
  await buildExtension({ firefox: true });
}
