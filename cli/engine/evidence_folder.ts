// The folder of --evidence, made and tried before a sweep begins, because one that cannot be had would fail every attempt; and the folder of
// each attempt in it. Made a step at a time: node's recursive mkdir never ends if a file system answers ENOENT to what it does not allow, as
// /proc does. What an attempt leaves there is cli/load/evidence.ts's.
import { mkdirSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UserError } from "../base/errors.ts";

/** What any file system takes, and a shell without quotes; never "." or "..", never long. */
function asFileName(text: string): string {
  const plain = text.replaceAll(/[^A-Za-z0-9.,=_-]+/g, "_").slice(0, 100);
  return /^\.*$/.test(plain) ? `_${plain}` : plain;
}

function isFolder(path: string): boolean | null {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Whether folders can be made in it, which its mode alone does not say. */
function tryFolder(path: string): void {
  rmdirSync(mkdtempSync(join(path, ".trilane-")));
}

/** Makes the folder and what is missing above it. @throws UserError, naming the option, if that cannot be; nothing is left then. */
export function makeEvidenceFolder(folder: string): void {
  const made: string[] = [];
  try {
    const missing: string[] = [];
    let path = resolve(folder);
    let found = isFolder(path);
    while (found === null) {
      missing.push(basename(path));
      path = dirname(path);
      found = isFolder(path);
    }
    if (!found) throw new UserError(`--evidence ${folder}: ${path} is not a folder: name another one`);
    tryFolder(path);
    for (const name of missing.toReversed()) {
      path = join(path, name);
      mkdirSync(path);
      made.push(path);
    }
  } catch (error) {
    for (const path of made.toReversed()) rmdirSync(path);
    if (error instanceof UserError) throw error;
    throw new UserError(
      `--evidence ${folder}: nothing can be written there (${(error as NodeJS.ErrnoException).code}): name another folder`,
    );
  }
}

/** What the evidence of a cell's attempts is called, so that it is found from a row of results. */
export interface EvidenceNames {
  /** Folders below the sweep's. */
  readonly folders: readonly string[];
  /** What cells of the same folders differ by; a name of ours, as a lane's. Absent: nothing. */
  readonly variant?: string;
}

/**
 * FOLDER/sweep-3/amazon/10mbit_50ms/h2-block0-attempt0, for every attempt of these cells. If cells have different names that are the same as
 * names of files, all but the first have their number as well.
 */
export function evidenceFolders<Cell extends { readonly id: number }>(
  folder: string,
  sweep: { readonly id: number },
  cells: readonly Cell[],
  namesOf: (cell: Cell) => EvidenceNames,
): (cell: Cell, block: number, attempt: number) => string {
  const pathOf = (cell: Cell): string => join(...namesOf(cell).folders.map(asFileName));
  const wordsOf = (cell: Cell): string => JSON.stringify(namesOf(cell).folders);
  const owners = new Map<string, string>();
  // In an order that is the same when the sweep is resumed.
  for (const cell of cells.toSorted((a, b) => a.id - b.id))
    if (!owners.has(pathOf(cell))) owners.set(pathOf(cell), wordsOf(cell));
  return (cell, block, attempt) => {
    const path = pathOf(cell);
    const own = owners.get(path) === wordsOf(cell) ? path : `${path}-cell${cell.id}`;
    const { variant } = namesOf(cell);
    const name = `${variant === undefined ? "" : `${variant}-`}block${block}-attempt${attempt}`;
    return join(resolve(folder), `sweep-${sweep.id}`, own, name);
  };
}
