// Which build of Trilane measures: the SHA-256 of each of its programs, and of the sources that Node runs. It distinguishes two
// checkouts of one version. The browser's is cli/browser/browser_binary.ts's.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout, type Program, programPath } from "../base/programs.ts";
import { binaryDigest } from "../browser/browser_binary.ts";

// Which sources measure: one SHA-256 over all that decides how pages are loaded and what is made of it; not the extension's looks.

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

const programs: readonly Program[] = [
  "trilane-command",
  "trilane-fetch",
  "trilane-flows",
  "trilane-guard",
  "trilane-host",
  "trilane-probe",
  "trilane-replay",
  "trilane-server",
  "trilane-shaper",
];
/** Ends the names under which they are noted with a sweep. */
const ending = "_sha256";

let known: Promise<Readonly<Record<string, string>>> | null = null;

async function computed(): Promise<Readonly<Record<string, string>>> {
  const built = await Promise.all(programs.map(async (name) => ({ name, sha256: await digestOf(name) })));
  const all = [{ name: "trilane", sha256: sourceDigest() }, ...built];
  return Object.fromEntries(all.flatMap(({ name, sha256 }) => (sha256 === null ? [] : [[`${name}${ending}`, sha256]])));
}

/** Null where it is not built: what needs it says so. */
async function digestOf(program: Program): Promise<string | null> {
  try {
    return await binaryDigest(programPath(program));
  } catch {
    return null;
  }
}

/** As a sweep's environment has them: `trilane-replay_sha256`; `trilane_sha256` is the sources'. Takes some 50 ms, once. */
export function programDigests(): Promise<Readonly<Record<string, string>>> {
  known ??= computed();
  return known;
}

/** From an environment; none in sweeps of an earlier Trilane. */
export function notedPrograms(
  environment: Readonly<Record<string, string | number | boolean | null>>,
): { name: string; sha256: string }[] {
  return Object.entries(environment).flatMap(([key, value]) =>
    key.startsWith("trilane") && key.endsWith(ending) && typeof value === "string"
      ? [{ name: key.slice(0, -ending.length), sha256: value }]
      : [],
  );
}
