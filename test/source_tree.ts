// The checkout's source as a graph and as lines: which file imports which, what a file reaches, how long files are. Judges nothing:
// folders.test.ts and `bench -- house` do.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";

export interface Import {
  readonly from: string;
  readonly to: string;
}

/** Imports between the files of a pattern, types included, as paths in `root`. `places`: folders that a file's names may start from. */
export function importsOf(root: string, pattern: string, named: RegExp, places: (file: string) => string[]): Import[] {
  return globSync(pattern, { cwd: root }).flatMap((from) =>
    [...readFileSync(join(root, from), "utf8").matchAll(named)].flatMap(([, name = ""]) => {
      const to = places(from)
        .map((place) => normalize(join(place, name)))
        .find((path) => existsSync(join(root, path)));
      return to === undefined ? [] : [{ from, to }];
    }),
  );
}

/** `from "./x.ts"`, `import("./x.ts")`. */
export const typescriptImport = /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/** `from "./x.ts"` alone. */
export const statedImport = /from\s*"(\.[^"]+)"/g;

/** A file, and all that it imports, directly or not. */
export function reachOf(file: string, imports: readonly Import[]): Set<string> {
  const edges = Map.groupBy(imports, ({ from }) => from);
  const reached = new Set([file]);
  for (const each of reached) for (const { to } of edges.get(each) ?? []) reached.add(to);
  return reached;
}

export interface SourceFile {
  readonly path: string;
  readonly lines: number;
}

/** What people write: no data, no pictures. */
const written = "*.{ts,c,h,js,css,html,sh,py,rs,txt,cmake}";

/** Below these folders, generated files and fixtures left out. */
export function sourceFiles(root: string, folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/${written}`, { cwd: root }))
    .filter((path) => !/(?:^|\/)(?:generated|fixtures|node_modules|build)\//.test(path))
    .map((path) => ({ path, lines: readFileSync(join(root, path), "utf8").split("\n").length - 1 }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

export const linesOf = (files: readonly SourceFile[]): number => files.reduce((sum, { lines }) => sum + lines, 0);

/** TypeScript of fewer lines than `below` that one file alone imports: a paragraph of that file. */
export function paragraphs(files: readonly SourceFile[], imports: readonly Import[], below: number) {
  const importers = Map.groupBy(imports, ({ to }) => to);
  return files.flatMap(({ path, lines }) => {
    const [importer, ...others] = new Set((importers.get(path) ?? []).map(({ from }) => from));
    return path.endsWith(".ts") && lines < below && importer !== undefined && others.length === 0
      ? [{ path, lines, importer }]
      : [];
  });
}
