// Which sources measure: one SHA-256 over all that decides how pages are loaded and what is made of it; not the extension's looks.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../base/programs.ts";

/** In a bundle (cli/install/packages/bundle.ts), that of the sources that it was made from. */
declare const TRILANE_SOURCE_SHA256: string | undefined;

const sources = [
  "cli/**/*.{ts,js,css,json}",
  "extension/{capture,figures,har}/**/*.{ts,css}",
  "schemas/**/*.{json,sql}",
];

/** Over names and contents in the order of the names. Takes some 50 ms. */
export function sourceDigest(): string {
  if (typeof TRILANE_SOURCE_SHA256 !== "undefined") return TRILANE_SOURCE_SHA256;
  const hash = createHash("sha256");
  // One after another: together they are more files than some containers let a program open.
  for (const name of globSync([...sources], { cwd: checkout }).sort()) {
    const text = readFileSync(join(checkout, name));
    hash.update(`${name}\0${text.length}\0`).update(text);
  }
  return hash.digest("hex");
}
