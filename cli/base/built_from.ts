// Whether the C programs were built from this checkout's sources, by a digest that set-up writes beside them: what an older program says is
// misread, and its errors explain nothing. Times of files are not looked at, since programs may come from set-up's cache.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout, isCheckout } from "./programs.ts";

const folders = ["native-host", "shaper", "schemas"] as const;
const isSource = (path: string): boolean =>
  /\.(c|h|sql|json|txt)$/.test(path) && !/^schemas\/(generated|examples)\//.test(path);

/** Of all that the programs are made of. */
export function sourcesDigest(root: string): string {
  const digest = createHash("sha256");
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((path) => `${folder}/${path}`),
  );
  for (const path of paths.filter(isSource).toSorted())
    digest.update(`${path}\0`).update(readFileSync(join(root, path)));
  return digest.digest("hex");
}

/** What set-up wrote into a folder of programs; null: nothing, as before it did so. */
function builtFrom(folder: string): string | null {
  try {
    return readFileSync(join(folder, "built-from"), "utf8").trim();
  } catch {
    return null;
  }
}

/** What to do if a failure may come from programs of other sources; null: they are of these, or it cannot be known. */
export function olderPrograms(environment: NodeJS.ProcessEnv = process.env, root = checkout): string | null {
  if (!isCheckout()) return null;
  const named = environment.TRILANE_PROGRAMS;
  const digest = builtFrom(named ?? join(root, "build", "native"));
  if (digest === null && named) return null;
  return digest === sourcesDigest(root) ? null : "the C programs are older than this checkout: run `npm run setup`";
}
