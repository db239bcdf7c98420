// Where control sockets are: a name is one in a folder that only this user can enter, whatever has a slash is a path. Makes that
// folder for a lab, and no socket.
import { chmodSync, lstatSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { UserError } from "../base/errors.ts";
import { makeFolder } from "../base/make_folder.ts";

const statOf = (path: string) => lstatSync(path, { throwIfNoEntry: false });

const isOwnFolder = (path: string): boolean => {
  const stat = statOf(path);
  return stat?.isDirectory() === true && stat.uid === process.geteuid?.();
};

/** XDG_RUNTIME_DIR is a login's; without one (a service, a container, sudo) the folder is among the temporary ones. */
function folderOf(environment: NodeJS.ProcessEnv): string {
  const runtime = environment.XDG_RUNTIME_DIR;
  return runtime && isAbsolute(runtime) && isOwnFolder(runtime)
    ? join(runtime, "trilane")
    : join(environment.TMPDIR || "/tmp", `trilane-${process.geteuid?.()}`);
}

const isPath = (name: string): boolean => name === "" || name.includes("/");

function refusal(folder: string, why: string, name: string): UserError {
  return new UserError(`control: ${folder} ${why}: name the socket by a path, as ./${name}, or set XDG_RUNTIME_DIR`);
}

const notYours = "is not a folder of yours";

/** Where a lab is to put the socket `name`, whose folder is made. UserError where others could put their own in its place. */
export function newControlPath(name: string, environment: NodeJS.ProcessEnv = process.env): string {
  if (isPath(name)) return name;
  const folder = folderOf(environment);
  try {
    makeFolder(folder);
    if (!isOwnFolder(folder)) throw refusal(folder, notYours, name);
    chmodSync(folder, 0o700);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { code, path } = error as NodeJS.ErrnoException;
    // Something else has its name.
    throw refusal(folder, code === "EEXIST" && path === folder ? notYours : `cannot be used (${code})`, name);
  }
  return join(folder, name);
}

/** Where a lab's socket `name` is. Makes and changes nothing. UserError where another user could have put it there. */
export function controlPath(name: string, environment: NodeJS.ProcessEnv = process.env): string {
  if (isPath(name)) return name;
  const folder = folderOf(environment);
  const path = join(folder, name);
  if (statOf(folder) && !isOwnFolder(folder)) throw refusal(folder, notYours, name);
  if (!statOf(path) && statOf(name)?.isSocket())
    throw new UserError(`control: no socket at ${path}: for the one here write ./${name}`);
  return path;
}
