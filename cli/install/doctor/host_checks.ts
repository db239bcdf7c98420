// Whether browsers find trilane-host for the extension: the manifests that `trilane install-host` writes, and the programs
// that they name. All else works without, so that nothing here is more than a warning.
import { accessSync, constants, statSync } from "node:fs";
import { RunError } from "../../base/errors.ts";
import { browsers, browserTitle, type HostsFolder, hostsFolders, isFirefox } from "../host/browsers.ts";
import { confinedBrowsers, confinedRemedy } from "../host/confined.ts";
import { extensionOrigin, firefoxId, hostName, manifestPath, textAt } from "../host/manifest.ts";
import { attempt, type Check, firstLine } from "./check.ts";

const name = "extension's host";

/** The manifest as far as a browser goes by it. RunError where it would not take it. */
function programOf(path: string, text: string, firefox: boolean): string {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new RunError(`${path}: is not JSON`);
  }
  const { name: named, path: program, ...allowed } = (manifest ?? {}) as Record<string, unknown>;
  const extensions = firefox ? allowed.allowed_extensions : allowed.allowed_origins;
  const ours = firefox ? firefoxId : extensionOrigin;
  if (named !== hostName || typeof program !== "string" || !program.startsWith("/"))
    throw new RunError(`${path}: names no program for ${hostName}`);
  if (!Array.isArray(extensions) || !extensions.includes(ours))
    throw new RunError(`${path}: is for another extension than ${ours}`);
  return program;
}

/** What the program says of itself. RunError where a browser could not start it. */
function started(program: string): string {
  if (!statSync(program, { throwIfNoEntry: false })?.isFile()) throw new RunError(`${program}: is not there`);
  try {
    accessSync(program, constants.X_OK);
  } catch {
    throw new RunError(`${program}: is not executable`);
  }
  return firstLine(program, ["--version"]);
}

function manifestCheck(folder: HostsFolder): Check | null {
  const path = manifestPath(folder.path);
  const remedy = "run `trilane install-host` again (with --system as root, for all users)";
  const check = attempt(
    name,
    remedy,
    () => {
      const text = textAt(path);
      if (text === null) return "";
      const program = programOf(path, text, isFirefox(folder));
      return `${folder.browsers.map(browserTitle).join(", ")}: ${program}, ${started(program)}`;
    },
    "warning",
  );
  return check.found === "" ? null : check;
}

/** One for each manifest; where there is none, one that says how to have one. */
export function hostChecks(
  environment: NodeJS.ProcessEnv = process.env,
  kinds: readonly ("user" | "system")[] = ["user", "system"],
): Check[] {
  const folders = kinds.flatMap((kind) => hostsFolders({ kind }, browsers, environment));
  const manifests = folders.map(manifestCheck).filter((check) => check !== null);
  const absent: Check = {
    name,
    outcome: "warning",
    found: "not installed",
    remedy: "run `trilane install-host` to race pages from the browser's toolbar",
  };
  const confined = confinedBrowsers(environment).map(
    (title): Check => ({ name, outcome: "warning", found: title, remedy: confinedRemedy }),
  );
  return [...(manifests.length > 0 ? manifests : [absent]), ...confined];
}
