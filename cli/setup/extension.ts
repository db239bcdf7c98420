// Builds the extension into build/extension, where a browser can load it: scripts and styles bundled by esbuild, one
// file each and readable (a store's reviewer reads them), pages and icons copied, and the manifest with the version of
// package.json and the key of schemas/extension.json, which fixes the extension's id. Quiet when all is well.
// Does not check types (test/check.sh does) nor make the store's zip (package.ts does).
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import identity from "../../schemas/extension.json" with { type: "json" };
import { checkout } from "../programs.ts";
import { version } from "../version.ts";

const source = join(checkout, "extension");
export const builtExtension = join(checkout, "build", "extension");

/** Each page is views/NAME/NAME.html; the script and the style beside it bear its name. */
function pages(): string[] {
  const views = join(source, "views");
  if (!existsSync(views)) return [];
  return readdirSync(views).filter((name) => existsSync(join(views, name, `${name}.html`)));
}

export interface BuildOptions {
  /** Default: build/extension. Replaced as a whole. */
  readonly out?: string;
  /**
   * Optional permissions that are to be had from the start: where nobody is there to answer the browser's question, as in a
   * browser that was opened for one purpose. Never for the store.
   */
  readonly granted?: readonly string[];
}

interface SourceManifest {
  readonly permissions: readonly string[];
  readonly optional_permissions: readonly string[];
}

/** Builds the extension. Throws where a source does not compile. */
export async function buildExtension({ out = builtExtension, granted = [] }: BuildOptions = {}): Promise<void> {
  const worker = join(source, "background", "service_worker.ts");
  const entryPoints = [
    ...(existsSync(worker) ? [worker] : []),
    ...pages().flatMap((page) =>
      [`${page}.ts`, `${page}.css`].map((file) => join(source, "views", page, file)).filter((path) => existsSync(path)),
    ),
  ];
  const fresh = `${out}.new-${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  try {
    await build({
      entryPoints,
      outdir: fresh,
      outbase: source,
      bundle: true,
      format: "esm",
      platform: "browser",
      target: "chrome125",
      charset: "utf8",
      logLevel: "warning",
      define: { TRILANE_VERSION: JSON.stringify(version) },
    });
    for (const page of pages())
      cpSync(join(source, "views", page, `${page}.html`), join(fresh, "views", page, `${page}.html`));
    for (const icon of readdirSync(join(source, "icons")).filter((name) => name.endsWith(".png")))
      cpSync(join(source, "icons", icon), join(fresh, "icons", basename(icon)));
    const manifest = JSON.parse(readFileSync(join(source, "manifest.json"), "utf8")) as SourceManifest;
    const filled = {
      ...manifest,
      permissions: [...manifest.permissions, ...granted],
      optional_permissions: manifest.optional_permissions.filter((name) => !granted.includes(name)),
      version,
      key: identity.key,
    };
    writeFileSync(join(fresh, "manifest.json"), `${JSON.stringify(filled, null, 2)}\n`);
    rmSync(out, { recursive: true, force: true });
    renameSync(fresh, out);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

if (import.meta.main) await buildExtension();
