// The power goes while a program writes: what it does to a folder's files is recorded by a library that it is started with
// (test/native/disk_record.c), and for each moment the disk is made as it may be found afterwards. What was not synced is missing; or the names
// are there and the bytes are not; or any part of the writes since a file's last sync arrived, one of them in half. Knows neither databases
// nor archives.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type RandomSource, randomSource } from "../cli/base/random.ts";

const sector_bytes = 512;

interface Step {
  readonly kind: string;
  readonly path: string;
  readonly more: readonly string[];
}

/** What a program is started with, whose steps below `folder` are appended to `record`. */
export function recorderVariables(scratch: string, folder: string, record: string): Record<string, string> {
  const library = join(scratch, "disk_record.so");
  const source = join(import.meta.dirname, "native", "disk_record.c");
  execFileSync("cc", ["-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-o", library, source]);
  return { LD_PRELOAD: library, TRILANE_DISK_FOLDER: folder, TRILANE_DISK_RECORD: record };
}

/** A line that a program appends to the record once something is promised to stay. */
export const promisedLine = "promised\t\t\n";

export function readSteps(record: string): Step[] {
  const lines = readFileSync(record, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => {
    const [kind = "", path = "", ...more] = line.split("\t");
    return { kind, path, more };
  });
}

interface Write {
  readonly at: number;
  /** null: the size was set to `at`. */
  readonly bytes: Buffer | null;
}

/** `now`, `onDisk`: its names; null: it has none there. */
interface Entry {
  now: string | null;
  onDisk: string | null;
  readonly isFolder: boolean;
  synced: Buffer;
  unsynced: Write[];
}

function written(bytes: Buffer, writes: readonly Write[]): Buffer {
  return writes.reduce((before, { at, bytes: added }) => {
    const size = added ? Math.max(before.length, at + added.length) : at;
    const after = Buffer.alloc(size);
    before.copy(after);
    added?.copy(after, at);
    return after;
  }, bytes);
}

/** Some of them, and the last of these in whole sectors only. */
function torn(writes: readonly Write[], random: RandomSource): Write[] {
  const some = writes.filter(() => random() < 0.5);
  const last = some.pop();
  if (!last?.bytes) return last ? [...some, last] : some;
  const sectors = Math.floor((random() * last.bytes.length) / sector_bytes);
  return [...some, { at: last.at, bytes: last.bytes.subarray(0, sectors * sector_bytes) }];
}

const losses = ["not synced is missing", "names without bytes", "torn"] as const;

class Disk {
  readonly #entries: Entry[] = [];
  promised = 0;

  take({ kind, path, more }: Step): void {
    const entry = this.#entries.find(({ now }) => now === path);
    if (kind === "promised") this.promised++;
    if ((kind === "make" || kind === "folder") && !entry)
      this.#entries.push({
        now: path,
        onDisk: null,
        isFolder: kind === "folder",
        synced: Buffer.alloc(0),
        unsynced: [],
      });
    if (kind === "write") entry?.unsynced.push({ at: Number(more[0]), bytes: Buffer.from(more[1] ?? "", "hex") });
    if (kind === "size") entry?.unsynced.push({ at: Number(more[0]), bytes: null });
    if (kind === "remove" && entry) entry.now = null;
    if (kind === "rename") {
      for (const replaced of this.#entries.filter(({ now }) => now === more[0])) replaced.now = null;
      if (entry) entry.now = more[0] ?? null;
    }
    if (kind === "sync" || kind === "sync all") this.#sync(path, kind === "sync all");
  }

  /** A file's bytes; or the names that a folder has. */
  #sync(path: string, all: boolean): void {
    const isIn = (name: string | null): boolean => name !== null && dirname(name) === (path || ".");
    for (const entry of this.#entries) {
      if (all || isIn(entry.now) || isIn(entry.onDisk)) entry.onDisk = entry.now;
      if (!all && entry.now !== path) continue;
      entry.synced = written(entry.synced, entry.unsynced);
      entry.unsynced = [];
    }
  }

  put(folder: string, loss: (typeof losses)[number], random: RandomSource): void {
    for (const { now, onDisk, isFolder, synced, unsynced } of this.#entries) {
      const name = loss === "not synced is missing" ? onDisk : now;
      if (name === null) continue;
      const path = join(folder, name);
      mkdirSync(isFolder ? path : dirname(path), { recursive: true, mode: 0o700 });
      if (!isFolder) writeFileSync(path, loss === "torn" ? written(synced, torn(unsynced, random)) : synced);
    }
  }
}

export interface Found {
  readonly folder: string;
  /** How often something was promised before. */
  readonly promised: number;
  readonly what: string;
}

/** After each promise, one in `every` steps and eight times as many syncs, and for each kind of loss, what is found; returns how many. */
export async function eachLoss(
  steps: readonly Step[],
  folder: string,
  every: number,
  check: (found: Found) => Promise<void> | void,
): Promise<number> {
  const disk = new Disk();
  const random = randomSource(1, "power");
  let found = 0;
  for (const [at, step] of steps.entries()) {
    disk.take(step);
    if (step.kind !== "promised" && at % (step.kind.startsWith("sync") ? Math.ceil(every / 8) : every) !== 0) continue;
    for (const loss of losses) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { mode: 0o700 });
      disk.put(folder, loss, random);
      const { promised } = disk;
      await check({
        folder,
        promised,
        what: `after step ${at + 1} of ${steps.length} (${step.kind} ${step.path}): ${loss}`,
      });
      found++;
    }
  }
  return found;
}
