// Which files the parts `wide` (end to end) and `slow` of test/run.sh have to run: those of which something changed since they last
// passed. Such a file names what it tests in its opening comment ("// Wide: cli/sweep/bundle, shaper."). A digest of these folders, of all
// that they and the test import, and of the packages is kept in Trilane's cache when the file has passed whole, without a skipped test.
// With TRILANE_WIDE set, or an empty cache, all run. Does not see the system: neither the browser's version nor the kernel's.
//
//   node test/wide.ts due wide|slow    prints the part's files to run
//   node test/wide.ts passed FILE      notes those listed in FILE
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { cacheFolder } from "./cache_folder.ts";
import { type Import, importsOf, reachOf, typescriptImport } from "./source_tree.ts";

const opening = /^\/\/ Wide: (.*)$/m;

/** The folders and files that a test file names; null: it is not a wide one. */
export function foldersOf(text: string): string[] | null {
  return opening.exec(text)?.[1]?.replace(/\.$/, "").split(", ") ?? null;
}

/** Or the file of that name. */
function filesBelow(root: string, folder: string): string[] {
  if (statSync(join(root, folder), { throwIfNoEntry: false })?.isFile()) return [folder];
  return globSync(`${folder}/**/*`, { cwd: root }).filter((path) => statSync(join(root, path)).isFile());
}

/** Of both languages. A header stands for the source beside it. */
export function allImports(root: string): Import[] {
  const typescript = importsOf(root, "{cli,extension,schemas,test}/**/*.ts", typescriptImport, (file) => [
    dirname(file),
  ]);
  const places = (file: string): string[] => [".", "native-host", dirname(file)];
  const c = importsOf(root, "{native-host,shaper}/**/*.{c,h}", /#include "([^"]+)"/g, places);
  const sources = globSync("{native-host,shaper}/**/*.h", { cwd: root })
    .map((from) => ({ from, to: from.replace(/h$/, "c") }))
    .filter(({ to }) => existsSync(join(root, to)));
  return [...typescript, ...c, ...sources];
}

const sum = (path: string): Buffer => createHash("sha256").update(readFileSync(path)).digest();

/** Changes with whatever the test file depends on, as far as imports and its folders show. */
export function digestOf(
  root: string,
  file: string,
  folders: readonly string[],
  imports: readonly Import[],
  sumOf = sum,
): string {
  const named = folders.flatMap((folder) => {
    const files = filesBelow(root, folder);
    if (files.length === 0) throw new Error(`${file}: "Wide: ${folder}": there is no such folder`);
    return files;
  });
  // One start that imports them all: each file is visited once.
  const starts = [file, ...named].map((to) => ({ from: "", to }));
  const reached = reachOf("", [...imports, ...starts]);
  reached.delete("");
  const hash = createHash("sha256");
  for (const path of [...reached, "package-lock.json"].toSorted())
    hash.update(`${path}\0`).update(sumOf(join(root, path)));
  return hash.digest("hex");
}

interface WideFile {
  readonly path: string;
  /** Of its passing as it is now. */
  readonly note: string;
}

const parts: Readonly<Record<string, string>> = { wide: "test/e2e/*.test.ts", slow: "test/**/*.slow.test.ts" };

function wideFiles(root: string, patterns: readonly string[]): WideFile[] {
  const imports = allImports(root);
  // Most files are reached by many tests.
  const sums = new Map<string, Buffer>();
  const sumOf = (path: string): Buffer => {
    const known = sums.get(path) ?? sum(path);
    sums.set(path, known);
    return known;
  };
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .toSorted()
    .flatMap((path) => {
      const folders = foldersOf(readFileSync(join(root, path), "utf8"));
      if (folders === null) return [];
      return [{ path, note: join(cacheFolder(), "wide-passed", digestOf(root, path, folders, imports, sumOf)) }];
    });
}

function main([word, list = ""]: readonly string[]): void {
  const root = join(import.meta.dirname, "..");
  const pattern = parts[list];
  if (word === "due" && pattern !== undefined) {
    const files = wideFiles(root, [pattern]);
    const due = files.filter(({ note }) => process.env.TRILANE_WIDE || !existsSync(note));
    for (const { path } of due) console.log(path);
    const unchanged = files.length - due.length;
    if (unchanged > 0)
      console.error(`${list}: ${unchanged} of ${files.length} files passed as they are: TRILANE_WIDE=1 runs them, too`);
  } else if (word === "passed") {
    const passed = new Set(
      readFileSync(list, "utf8")
        .split("\n")
        .map((path) => relative(root, path)),
    );
    for (const { path, note } of wideFiles(root, Object.values(parts))) {
      if (!passed.has(path)) continue;
      mkdirSync(dirname(note), { recursive: true });
      writeFileSync(note, `${path}\n`);
    }
  } else {
    console.error("wide: due wide, due slow, or passed FILE");
    process.exitCode = 2;
  }
}

if (import.meta.main) main(process.argv.slice(2));
