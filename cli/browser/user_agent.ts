// The User-Agent of all our browsers, those that record and those that load: Chrome's own as people have it, so that sites
// and pages' scripts are not told that nobody looks at the window, and a recording meets the browser that it was made with.
import { UserError } from "../base/errors.ts";
import { oncePerFile } from "../base/once_per_file.ts";
import { runProgram } from "../base/run_program.ts";

/** Chromium's reduced form: of the version it tells no more than the first number. */
export function userAgent(majorVersion: string): string {
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${majorVersion}.0.0.0 Safari/537.36`;
}

async function ask(chromium: string): Promise<string> {
  const printed = await runProgram(chromium, ["--version"]).catch(() => "");
  const major = /(\d+)\.\d+/.exec(printed)?.[1];
  if (major === undefined) throw new UserError(`${chromium}: tells no version: name Chromium's binary`);
  return userAgent(major);
}

/** That of the browser at this path. UserError where it tells none. */
export const userAgentOf = oncePerFile(ask);
