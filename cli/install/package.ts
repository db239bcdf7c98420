// Makes build/trilane-VERSION.zip and build/trilane-firefox-VERSION.zip, what is handed to stores: builds the extension, checks it
// (package_check.ts), zips it without the manifest's key (a store gives its own, see extension/store.md). Exit 1 where a check fails; then
// there is no zip.
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../base/programs.ts";
import { version } from "../base/version.ts";
import { buildExtension, builtExtension, builtForFirefox } from "./extension.ts";
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

if (import.meta.main)
  for (const firefox of [false, true]) {
    const built = firefox ? builtForFirefox : builtExtension;
    const path = join(checkout, "build", `trilane-${firefox ? "firefox-" : ""}${version}.zip`);
    rmSync(path, { force: true });
    await buildExtension({ firefox });
    const archive = zipExtension(built);
    const found = checkExtension(built);
    if (archive.length > sizeLimit_bytes)
      found.push(`the zip has ${archive.length} bytes, more than ${sizeLimit_bytes}`);
    if (found.length > 0) {
      for (const line of found) console.error(`package: ${line}`);
      process.exitCode = 1;
    } else {
      writeFileSync(path, archive);
      console.log(`${path}: ${filesOf(built).length} files, ${statSync(path).size} bytes`);
    }
  }
