// Builds h2spec once into Trilane's cache, in the versions of go.mod. Needs Go and, the first time, its module proxy.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { notInstalled } from "../../../cli/install/requirements.ts";
import { cacheFolder } from "../../cache_folder.ts";

export type Built = { readonly path: string } | { readonly missing: string };

/** The program's path, or why there is none. */
export function buildH2spec(): Built {
  const versions = createHash("sha256")
    .update(readFileSync(join(import.meta.dirname, "go.sum")))
    .digest("hex");
  const path = join(cacheFolder(), `h2spec-${versions.slice(0, 12)}`);
  if (existsSync(path)) return { path };
  const unfinished = `${path}.${process.pid}`;
  const words = ["build", "-o", unfinished, "github.com/summerwind/h2spec/cmd/h2spec"];
  try {
    mkdirSync(cacheFolder(), { recursive: true });
    execFileSync("go", words, { cwd: import.meta.dirname, stdio: ["ignore", "ignore", "pipe"], timeout: 300_000 });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      return { missing: notInstalled(["go"]) ?? "go does not start" };
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    return { missing: `h2spec cannot be built here: ${said.split("\n").at(-1)}` };
  }
  renameSync(unfinished, path);
  return { path };
}
