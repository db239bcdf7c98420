// Bundles the command line into build/cli by esbuild, so that it starts with a few files in place of hundreds: main.js, and pieces
// that are loaded by the commands that need them; lab.js is what other programs import. What all commands declare is written into it as data. `cli/trilane` starts it
// while it is newer than its sources. What is read at run time (schemas, styles, plans) stays where it is.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import { checkout } from "../../base/programs.ts";
import { frozenDeclarations } from "../../commands/all.ts";
import { sourceDigest } from "../../load/program_digests.ts";

export const bundleFolder = join(checkout, "build", "cli");
/** Its time is that at which the sources were read. */
export const bundleStamp = "made";

/** A running sweep may yet load pieces of the bundle that it was started from. */
const keptFor_ms = 7 * 86_400_000;

/** Sources find files from where they stand, and so does the bundle two folders below the top; none is a main module in it. */
const fromTheTop: Plugin = {
  name: "from the top",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/(cli|extension|schemas)\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!/import\.meta|createRequire/.test(text)) return undefined;
      const place = JSON.stringify(`/../../${relative(checkout, dirname(path))}`);
      const contents = text
        .replaceAll("import.meta.dirname", `(import.meta.dirname + ${place})`)
        .replaceAll("import.meta.main", "false")
        // esbuild knows its own `require` only, and loads what it names when it is called.
        .replaceAll("const require = createRequire(import.meta.url);", "");
      return { contents, loader: "ts" };
    });
  },
};

/** Packages written for CommonJS get Node's own modules by `require`, which a module has none of. */
const withRequire = (text: string): string =>
  text.includes("Dynamic require of")
    ? `import { createRequire } from "node:module"; const require = createRequire(import.meta.url); ${text}`
    : text;

/** By a rename: whoever starts it meanwhile finds the old one or the new one. */
function writeWhole(path: string, contents: Uint8Array | string): void {
  writeFileSync(`${path}.new`, contents);
  renameSync(`${path}.new`, path);
}

export interface BundleOptions {
  readonly out: string;
  /** With maps, by which --debug names places in the sources. */
  readonly maps: boolean;
}

/** The folder of the npm package that a file is of, as a list of one; empty if it is ours. */
function packageOf(path: string): string[] {
  const at = path.lastIndexOf("node_modules/");
  const [name] = /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.slice(at)) ?? [];
  return at < 0 || name === undefined ? [] : [path.slice(0, at) + name];
}

/** The bundle's files by their names in the folder. Throws if a source does not compile. */
async function bundled({ out, maps }: BundleOptions) {
  const declarations = Buffer.from(await frozenDeclarations());
  const digest = createHash("sha256").update(declarations).digest("hex").slice(0, 8);
  const declared = `declarations-${digest}.json`;
  const { outputFiles, metafile } = await build({
    entryPoints: { main: join(checkout, "cli", "main.ts"), lab: join(checkout, "cli", "api", "open_lab.ts") },
    ...{
      absWorkingDir: checkout,
      outdir: out,
      write: false,
      metafile: true,
      bundle: true,
      splitting: true,
      chunkNames: "[name]-[hash]",
    },
    ...{ format: "esm", platform: "node", target: "node22", charset: "utf8", logLevel: "error" },
    ...(maps ? { sourcemap: "linked", sourcesContent: false } : { legalComments: "none" }),
    define: {
      TRILANE_DECLARATIONS: JSON.stringify(join("build", "cli", declared)),
      TRILANE_SOURCE_SHA256: JSON.stringify(sourceDigest()),
    },
    plugins: [fromTheTop],
  });
  const built = outputFiles.map(({ path, text }) => [relative(out, path), Buffer.from(withRequire(text))] as const);
  const packages = [...new Set(Object.keys(metafile.inputs).flatMap(packageOf))].toSorted();
  return { files: new Map<string, Uint8Array>([...built, [declared, declarations]]), packages };
}

/** Brings the bundle in `out` up to date. Gives the folders of the npm packages that are in it. */
export async function bundleCommandLine(options: BundleOptions = { out: bundleFolder, maps: true }): Promise<string[]> {
  const { out } = options;
  // When the first of them was imported, or a little before, as clocks of files are coarse.
  const begun = new Date(performance.timeOrigin - 10);
  const { files, packages } = await bundled(options);
  mkdirSync(out, { recursive: true });
  // main.js last: it names the others.
  for (const [name, contents] of [...files].toSorted(([a], [b]) => Number(a === "main.js") - Number(b === "main.js")))
    writeWhole(join(out, name), contents);
  for (const name of readdirSync(out)) {
    const path = join(out, name);
    if (!files.has(name) && name !== bundleStamp && statSync(path).mtimeMs < begun.getTime() - keptFor_ms) rmSync(path);
  }
  const stamp = join(out, bundleStamp);
  writeFileSync(`${stamp}.new`, "");
  utimesSync(`${stamp}.new`, begun, begun);
  renameSync(`${stamp}.new`, stamp);
  return packages;
}

if (import.meta.main) await bundleCommandLine();
