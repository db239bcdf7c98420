// A bundle's figures made again from its results, beside nothing else: no home, no network, no browser. Compares them with those that lie in
// the bundle, and puts all into one folder, which is there whole or not at all.
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Bundle } from "../../../schemas/generated/bundle.ts";
import type { Reproduced } from "../../../schemas/generated/reproduced.ts";
import { NoRoomError, RunError, UserError } from "../../base/errors.ts";
import { makeProcessFolder, sweepProcessFolders } from "../../base/process_folder.ts";
import { removedAtEnd } from "../../base/removed_at_end.ts";
import { sqliteCode } from "../../results/store/failure.ts";
import { openResultsFile, type Results } from "../../results/store/results.ts";
import type { BundledKinds, BundledSweeps } from "./bundled_sweeps.ts";
import { figuresOf, type MadeFile } from "./figures.ts";
import { fileEnding, isFigure, isOfRerun, manifestName, reportName, resultsName } from "./layout.ts";
import { readBundle, type UnpackedBundle } from "./read_bundle.ts";

interface ReproduceRequest {
  readonly bundle: string;
  /** The folder; default: called as the bundle, where the command runs. */
  readonly out: string | undefined;
  /** Called when the figures are there. */
  readonly onReproduced: (reproduced: Reproduced) => void;
  readonly kinds: BundledKinds;
  /** Given all members that a rerun needs, in a folder that stays until it resolves. */
  readonly rerun: ((reproduced: Reproduced, bundle: UnpackedBundle, unpacked: string) => Promise<void>) | null;
}

function folderFor({ bundle, out }: ReproduceRequest): string {
  if (out !== undefined) return resolve(out);
  const name = basename(bundle);
  return resolve(
    name.endsWith(fileEnding) && name !== fileEnding ? name.slice(0, -fileEnding.length) : `${name}-reproduced`,
  );
}

/** UserError for a folder that something else is in. */
function refuseForeign(folder: string, manifest: string): void {
  const there = lstatSync(folder, { throwIfNoEntry: false });
  if (!there) return;
  if (!there.isDirectory()) throw new UserError(`${folder}: is no folder: name another with --out`);
  if (readdirSync(folder).length === 0) return;
  const known = join(folder, manifestName);
  if (!existsSync(known) || readFileSync(known, "utf8") !== manifest)
    throw new UserError(`${folder}: holds something else than this bundle: name another folder with --out`);
}

/** With what SQLite and the store say of a file in a scratch folder said of the bundle. */
function refuseDamaged(error: unknown, bundle: string, path: string): unknown {
  if (error instanceof NoRoomError) return error;
  const isOurs = error instanceof UserError || error instanceof RunError;
  if (!isOurs && sqliteCode(error) === null && !(error instanceof SyntaxError) && !(error instanceof TypeError))
    return error;
  const why = (error as Error).message.split("\n")[0]?.replaceAll(path, resultsName);
  return new UserError(`${bundle}: its results cannot be read (${why}): get the file again`);
}

function madeFrom(path: string, bundle: string, { sweep }: Bundle, kind: BundledSweeps): MadeFile[] {
  let results: Results | null = null;
  try {
    results = openResultsFile(path);
    const damage = results.damage();
    if (damage !== null) throw new RunError(damage);
    return figuresOf(results, sweep.id, kind);
  } catch (error) {
    throw refuseDamaged(error, bundle, path);
  } finally {
    results?.close();
  }
}

const sha256Of = (text: string): string => createHash("sha256").update(text).digest("hex");

function compared(
  made: readonly MadeFile[],
  { members }: Bundle,
): Pick<Reproduced, "files" | "same" | "different" | "missing"> {
  const before = new Map(members.filter(({ name }) => isFigure(name)).map(({ name, sha256 }) => [name, sha256]));
  const different = made.filter(({ name, text }) => before.get(name) !== sha256Of(text)).map(({ name }) => name);
  const names = new Set(made.map(({ name }) => name));
  const missing = [...before.keys()].filter((name) => !names.has(name));
  return { files: made.length, same: made.length - different.length, different, missing };
}

/** What is whole in `from` to `folder`; into a folder of an earlier time file by file, as each of them is whole. */
async function install(from: string, folder: string): Promise<void> {
  try {
    return await rename(from, folder);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "ENOTEMPTY" || error.code === "EEXIST")))
      throw error;
  }
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const to = join(folder, path.slice(from.length + 1));
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await rename(path, to);
  }
}

/** Beside the folder, to be renamed to it. UserError where nothing may be written. */
function scratchIn(parent: string): string {
  try {
    return makeProcessFolder(parent, "reproduce");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && /^(EACCES|EPERM|EROFS)$/.test(String(error.code)))) throw error;
    throw new UserError(`${parent}: may not be written: name another folder with --out`);
  }
}

/** UserError for what is no bundle, and for a folder that is somebody else's; then nothing is written. */
export async function reproduceBundle(request: ReproduceRequest): Promise<Reproduced> {
  const { bundle, rerun } = request;
  const folder = folderFor(request);
  const parent = dirname(folder);
  if (!existsSync(parent)) throw new UserError(`${parent}: no such folder: make it, or name another with --out`);
  await sweepProcessFolders(parent, "reproduce");
  const scratch = scratchIn(parent);
  const keep = removedAtEnd(scratch);
  try {
    const [unpacked, whole] = [join(scratch, "unpacked"), join(scratch, "whole")];
    await mkdir(unpacked);
    const isWanted = (name: string): boolean => name === resultsName || (rerun !== null && isOfRerun(name));
    const check = (_: Bundle, text: string): void => refuseForeign(folder, text);
    const read = await readBundle(bundle, { folder: unpacked, isWanted, check });
    const kind = await request.kinds(read.manifest.sweep.kind);
    if (!kind) throw new UserError(`${bundle}: is of ${read.manifest.sweep.kind}: upgrade Trilane`);
    if (rerun && kind.noRerun !== null) throw new UserError(`${bundle}: ${kind.noRerun}`);
    const made = madeFrom(join(unpacked, resultsName), bundle, read.manifest, kind);
    for (const { name, text } of [...made, { name: manifestName, text: read.manifestText }]) {
      await mkdir(dirname(join(whole, name)), { recursive: true, mode: 0o700 });
      await writeFile(join(whole, name), text);
    }
    await rename(join(unpacked, resultsName), join(whole, resultsName));
    await install(whole, folder);
    const { sha256, manifest } = read;
    const reproduced: Reproduced = {
      schema: "trilane/reproduced/1",
      ...{ bundle: resolve(bundle), sha256, folder, report: join(folder, reportName), made_by: manifest.trilane },
      ...compared(made, manifest),
    };
    request.onReproduced(reproduced);
    await rerun?.(reproduced, read, unpacked);
    return reproduced;
  } catch (error) {
    const isFull = error instanceof Error && "code" in error && error.code === "ENOSPC";
    throw isFull ? new NoRoomError(`${parent}: no space left: free some, or name another folder with --out`) : error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
    keep();
  }
}
