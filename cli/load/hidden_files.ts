// What a load's browser does not see of this machine: its user's files, and the sockets that are files (D-Bus, X11,
// agents, Docker), which a lab's empty network does not keep it from. Gives trilane-shaper's words; it hides them.
import { closeSync, existsSync, openSync, readSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { programPath } from "../base/programs.ts";

/** With what else users, services and other loads leave there, whose names no one can list. */
const sharedFolders = ["/run", "/tmp", "/var/tmp", "/dev/shm"];

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** A distribution's scripts start what they came with. */
const isDistributions = (program: string): boolean => /^\/(?:usr\/(?!local\/)|opt\/|bin\/|nix\/store\/)/.test(program);

function isScript(program: string): boolean {
  const start = Buffer.alloc(2);
  const file = openSync(program, "r");
  try {
    readSync(file, start);
  } finally {
    closeSync(file);
  }
  return start.toString("latin1") === "#!";
}

interface Hiding {
  /** The browser, an absolute path. */
  readonly program: string;
  /** What it writes to. */
  readonly writable: readonly string[];
  /** The data folder. */
  readonly data: string;
  /** The user's. Default: homedir(). */
  readonly home?: string;
}

/**
 * The folders that hold what the lab runs are shown, to read only. Two kinds of browser see the home as it is: a script that is not a
 * distribution's, because no one knows what it starts, and a program whose path leads out of the home by a link.
 */
export function hidingArguments({ program, writable, data, home = homedir() }: Hiding): string[] {
  const real = (path: string): string => (existsSync(path) ? realpathSync(path) : path);
  const itself = realpathSync(program);
  const ofUser = isScript(itself) && !isDistributions(itself) ? [] : [home, data].map(real);
  const leadsOut = (folder: string): boolean => isWithin(program, folder) && !isWithin(itself, folder);
  const hidden = [...new Set([...sharedFolders, ...ofUser])].filter((folder) => folder !== "/" && !leadsOut(folder));
  const isHidden = (path: string): boolean => hidden.some((folder) => isWithin(path, folder));
  // A folder that holds a hidden one would show all of it.
  const isWider = (folder: string): boolean => hidden.some((each) => isWithin(each, folder));
  const around = (path: string): string => {
    const folder = dirname(path);
    return isWider(folder) ? path : folder;
  };
  const programs = [process.execPath, programPath("trilane-shaper"), programPath("trilane-flows"), itself];
  const words = (option: string, paths: readonly string[]): string[] =>
    [...new Set(paths.map(real))].filter(isHidden).flatMap((path) => [option, path]);
  return [
    ...hidden.flatMap((folder) => ["--hide", folder]),
    ...words("--show", programs.map(real).map(around)),
    ...words("--show-writable", writable),
  ];
}
