// Puts text, or bytes, where a user named a file: a file whole or not at all; a device, a pipe or an open descriptor is written into.
// Makes no folder. Knows nothing of the text.
import { constants, writeSync } from "node:fs";
import { type FileHandle, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createTempSibling } from "./create_temp_sibling.ts";
import { NoRoomError, RunError, UserError } from "./errors.ts";

type Parts = string | Iterable<string> | AsyncIterable<string | Uint8Array>;

/** As many symlinks in a row as Linux follows. */
const maximumLinks = 40;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

const partsOf = (text: Parts): Iterable<string> | AsyncIterable<string | Uint8Array> =>
  typeof text === "string" ? [text] : text;

/** What a path's last part points to in the end, there or not: a symlink's target, or a descriptor of this process. */
async function followed(path: string): Promise<{ path: string } | { descriptor: number }> {
  let here = path;
  for (let links = 0; links < maximumLinks; links++) {
    const descriptor = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(here)?.[1];
    if (descriptor !== undefined) return { descriptor: Number(descriptor) };
    let folder: string;
    try {
      folder = await realpath(dirname(here));
    } catch (error) {
      if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") throw error;
      throw new UserError(`${dirname(here)}: no such folder: make it, or name another file`);
    }
    here = join(folder, basename(here));
    const target = await readlink(here).catch((error: unknown) => {
      if (codeOf(error) === "EINVAL" || codeOf(error) === "ENOENT") return null;
      if (codeOf(error) === "ENOTDIR") throw new UserError(`${folder}: is not a folder: name another file`);
      throw error;
    });
    if (target === null) return { path: here };
    here = resolve(folder, target);
  }
  throw new UserError(`${path}: a symlink that leads to itself: name another file`);
}

/** Through the descriptor itself: opened anew, a file would be cut and written from its start. */
async function writeToDescriptor(descriptor: number, text: Parts): Promise<void> {
  for await (const part of partsOf(text)) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    for (let done = 0; done < bytes.length; ) {
      try {
        done += writeSync(descriptor, bytes, done);
      } catch (error) {
        // A named pipe, or a pipe that Node made its standard output, does not block.
        if (codeOf(error) !== "EAGAIN") throw error;
        await wait(2);
      }
    }
  }
}

async function writeParts(file: FileHandle, text: Parts): Promise<void> {
  for await (const part of partsOf(text)) await file.writeFile(part);
}

/** Waits for a named pipe's reader: without one, what is written is lost at the close. A blocking open would hold up this process's exit. */
async function openStream(path: string, isPipe: boolean): Promise<FileHandle> {
  for (;;) {
    try {
      return await open(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch (error) {
      if (!isPipe || codeOf(error) !== "ENXIO") throw error;
      await wait(20);
    }
  }
}

async function writeInto(path: string, isPipe: boolean, text: Parts): Promise<void> {
  const file = await openStream(path, isPipe);
  try {
    await writeToDescriptor(file.fd, text);
  } finally {
    await file.close();
  }
}

async function replaceFile(path: string, text: Parts, mode: number | null): Promise<void> {
  const { aside, keep } = createTempSibling(path);
  try {
    const file = await open(aside, "r+");
    try {
      if (mode !== null) await file.chmod(mode);
      await writeParts(file, text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  } finally {
    keep();
  }
}

async function write(path: string, text: Parts): Promise<void> {
  const end = await followed(path);
  if ("descriptor" in end) return writeToDescriptor(end.descriptor, text);
  const there = await stat(end.path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  });
  if (there?.isDirectory()) throw new UserError(`${path}: is a folder: name a file in it`);
  if (there && !there.isFile()) return writeInto(end.path, there.isFIFO(), text);
  return replaceFile(end.path, text, there ? there.mode & 0o777 : null);
}

/**
 * Puts text at a path: a regular file, also one behind a symlink, whole or not at all and with the permissions that it
 * had; into a device, a pipe or `/dev/fd/N` as it comes. UserError for a folder, one that is not there, a closed descriptor;
 * RunError for a reader that ended, and if there is no room.
 */
export async function atomicWrite(path: string, text: Parts): Promise<void> {
  try {
    await write(path, text);
  } catch (error) {
    if (codeOf(error) === "ENOSPC") throw new NoRoomError(`${path}: no space left: free some, or name another file`);
    if (codeOf(error) === "EPIPE")
      throw new RunError(`${path}: its reader ended before it had all: let it read to the end, or name a file`);
    // The folder is there, as of /proc.
    if (codeOf(error) === "ENOENT") throw new UserError(`${path}: no file can be made there: name another file`);
    if (codeOf(error) === "EBADF") throw new UserError(`${path}: not open for writing: name another file`);
    throw error;
  }
}
