// What a load's browser does not see of this machine: its user's files, and the sockets that are files (D-Bus, X11,
// agents, Docker), which a lab's empty network does not keep it from. Gives trilane-shaper's words; it hides them.
import { closeSync, openSync, readSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { checkout, programPath } from "../base/programs.ts";

/** With what else users and services leave there, whose names nobody can list. */
const sharedFolders = ["/run", "/tmp", "/var/tmp"];

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

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

/**
 * `program`: the browser, an absolute path. `shown`: what it works on. A browser in the home is shown with its folder; if it is a script
 * there, the home stays as it is, because nobody knows what the script starts.
 */
export function hidingArguments(program: string, shown: readonly string[], home = homedir()): string[] {
  const itself = realpathSync(program);
  const starter = [program, itself].some((path) => isWithin(path, home)) && isScript(itself);
  const hidden = home === "/" || starter ? sharedFolders : [...sharedFolders, home];
  const around = (path: string): string => {
    const folder = dirname(path);
    // A folder that holds a hidden one would show all of it.
    return hidden.some((each) => isWithin(each, folder)) ? path : folder;
  };
  const programs = [process.execPath, programPath("trilane-shaper"), program, itself];
  const kept = new Set([...shown, checkout, ...programs.map(around)]);
  return [
    ...hidden.flatMap((folder) => ["--hide", folder]),
    ...[...kept].filter((path) => hidden.some((folder) => isWithin(path, folder))).flatMap((path) => ["--show", path]),
  ];
}
