// Makes build/trilane-VERSION.zip, what is handed to a store: builds the extension, checks it (package_check.ts), zips
// it without the manifest's key (a store gives its own, see extension/store.md). Exit 1 where a check fails; then there
// is no zip.
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../base/programs.ts";
import { version } from "../base/version.ts";
import { buildExtension, builtExtension } from "./extension.ts";
import { checkExtension, filesOf, sizeLimit_bytes } from "./package_check.ts";
import { zip } from "./zip.ts";

/** The zip of the extension in `folder`. */
export function zipExtension(folder: string): Buffer {
  return zip(
    filesOf(folder).map((name) => {
      const bytes = readFileSync(join(folder, name));
      if (name !== "manifest.json") return { name, bytes };
      const { key: _, ...manifest } = JSON.parse(bytes.toString()) as Record<string, unknown>;
      return { name, bytes: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) };
    }),
  );
}

if (import.meta.main) {
  const path = join(checkout, "build", `trilane-${version}.zip`);
  rmSync(path, { force: true });
  await buildExtension();
  const archive = zipExtension(builtExtension);
  const found = checkExtension(builtExtension);
  if (archive.length > sizeLimit_bytes) found.push(`the zip has ${archive.length} bytes, more than ${sizeLimit_bytes}`);
  if (found.length > 0) {
    for (const line of found) console.error(`package: ${line}`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, archive);
    console.log(`${path}: ${filesOf(builtExtension).length} files, ${statSync(path).size} bytes`);
  }
}
