// Where the programs are that the command line starts: ours in the checkout's build, Chromium on the system.
import { accessSync, constants, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { UserError } from "./errors.ts";

export const checkout = join(import.meta.dirname, "..", "..");

export type Program =
  | "trilane-fetch"
  | "trilane-flows"
  | "trilane-guard"
  | "trilane-host"
  | "trilane-probe"
  | "trilane-replay"
  | "trilane-shaper";

const folders: Record<Program, string> = {
  "trilane-fetch": "fetch",
  "trilane-flows": "flows",
  "trilane-guard": "guard",
  "trilane-host": "messaging",
  "trilane-probe": "shaper/probe",
  "trilane-replay": "replay",
  "trilane-shaper": "shaper",
};

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    // A folder that may be entered has the same permission.
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The absolute path of one of our C programs. UserError where it is not built. */
export function programPath(program: Program): string {
  const path = join(checkout, "build", "native", folders[program], program);
  if (!isExecutable(path)) throw new UserError(`${program} is not built: run \`npm run setup\` in ${checkout}`);
  return path;
}

/** Whether a word of the command line is a program's path. */
export const isProgram = (word: string): boolean => word.includes("/") && isExecutable(resolve(word));

/** The absolute path of a browser that a plan or a command names. UserError where no program is there. */
export function browserProgram(named: string): string {
  const path = resolve(named);
  if (isExecutable(path)) return path;
  throw new UserError(`no program at ${named}: name Chromium's binary, as ${chromiumPaths[0]}`);
}

// Debian's wrapper in /usr/bin adds flags of its own, so the binary behind it comes first.
const chromiumPaths = [
  "/usr/lib/chromium/chromium",
  "/usr/lib/chromium-browser/chromium-browser",
  "/opt/google/chrome/chrome",
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
];

/** The browser to measure with: TRILANE_CHROMIUM, or the first found. UserError where there is none. */
export function chromiumPath(environment: NodeJS.ProcessEnv = process.env): string {
  const named = environment.TRILANE_CHROMIUM;
  if (named) {
    if (!isExecutable(named))
      throw new UserError(
        `no program at ${named} (TRILANE_CHROMIUM): name Chromium's binary, as ${chromiumPaths[0]}, or unset it`,
      );
    return named;
  }
  const found = chromiumPaths.find(isExecutable);
  if (!found)
    throw new UserError("no Chromium found: install it (apt install chromium) or name it in TRILANE_CHROMIUM");
  return found;
}
