// Which browser's binary a load ran with: the SHA-256 of the program's file, so that two builds of one version, and a browser
// that was updated in mid-sweep, are distinguished. What lies beside the program (resources, libraries) is not in it,
// and of a script that starts it, as distributions put into /usr/bin, nothing is reported: an update need not change that.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { UserError } from "../base/errors.ts";
import { oncePerFile } from "../base/once_per_file.ts";
import { runProgram } from "../base/run_program.ts";

// The User-Agent of all our browsers, those that record and those that load: Chrome's own as people have it, so that sites
// and pages' scripts do not learn that no one looks at the window, and a recording meets the browser that it was made with.

/** Chromium's reduced form: of the version it names no more than the first number. */
export function userAgent(majorVersion: string): string {
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${majorVersion}.0.0.0 Safari/537.36`;
}

/** The first whose headless mode is the browser that people use (--headless=new). */
const oldestMajor = 112;

/** The first number of the version that `chromium --version` printed. UserError if there is none, or it is too old. */
export function majorVersion(printed: string, chromium: string): string {
  const major = /(\d+)\.\d+/.exec(printed)?.[1];
  if (major === undefined) throw new UserError(`${chromium} prints no version: name Chromium's binary`);
  if (Number(major) >= oldestMajor) return major;
  throw new UserError(
    `${chromium} is version ${major}, and loads need Chromium ${oldestMajor} or newer: update it, or name another in TRILANE_BROWSER`,
  );
}

const ask = async (chromium: string): Promise<string> =>
  userAgent(majorVersion(await runProgram(chromium, ["--version"]).catch(() => ""), chromium));

/** That of the browser at this path. UserError if it prints no version, or is too old. */
export const userAgentOf = oncePerFile(ask);

async function isScript(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(2) });
    return buffer.toString("latin1", 0, bytesRead) === "#!";
  } finally {
    await file.close();
  }
}

async function hashed(path: string): Promise<string | null> {
  if (await isScript(path)) return null;
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** In hexadecimal; null for a script. Chromium's takes 0.2 s. */
export const binaryDigest = oncePerFile(hashed);

/** With its kind for a headless shell, because it loads pages at another speed than the browser that people use. */
export function versionInWords(version: string, program: string): string {
  return version !== "" && /headless[-_]shell$/.test(program) ? `${version} headless shell` : version;
}
