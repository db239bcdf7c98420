// Where control sockets are: a name is one in a folder that only this user can enter, whatever has a slash is a path. Makes that
// folder, and no socket.
import { chmodSync, lstatSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { UserError } from "../base/errors.ts";
import { makeFolder } from "../base/make_folder.ts";

const isOwnFolder = (path: string): boolean => {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.geteuid?.();
};

/** XDG_RUNTIME_DIR is a login's; without one (a service, a container, sudo) the folder is among the temporary ones. */
function folderOf(environment: NodeJS.ProcessEnv): string {
  const runtime = environment.XDG_RUNTIME_DIR;
  return runtime && isAbsolute(runtime) && isOwnFolder(runtime)
    ? join(runtime, "trilane")
    : join(environment.TMPDIR || "/tmp", `trilane-${process.geteuid?.()}`);
}

/** The path to the socket that `name` says. UserError where others could put their own in its place. */
export function controlPath(name: string, environment: NodeJS.ProcessEnv = process.env): string {
  if (name === "" || name.includes("/")) return name;
  const folder = folderOf(environment);
  makeFolder(folder);
  if (!isOwnFolder(folder))
    throw new UserError(
      `control: ${folder} is not a folder of yours: name the socket by a path, as ./${name}, or set XDG_RUNTIME_DIR`,
    );
  chmodSync(folder, 0o700);
  return join(folder, name);
}
