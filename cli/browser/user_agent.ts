// The User-Agent of all our browsers, those that record and those that load: Chrome's own as people have it, so that sites
// and pages' scripts are not told that nobody looks at the window, and a recording meets the browser that it was made with.
import { UserError } from "../base/errors.ts";
import { oncePerFile } from "../base/once_per_file.ts";
import { runProgram } from "../base/run_program.ts";

/** Chromium's reduced form: of the version it tells no more than the first number. */
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
