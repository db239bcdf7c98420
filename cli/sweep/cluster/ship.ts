// Brings a sweep to hosts that share no folder with this one, and its shards back: a folder with the plan's recordings and the
// plan, packed with tar and sent through ssh. What is there already is not sent again.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { freeBytes } from "../../base/disk_room.ts";
import { NoRoomError, RunError } from "../../base/errors.ts";
import { formatSize } from "../../base/numbers.ts";
import { makeProcessFolder, sweepProcessFolders } from "../../base/process_folder.ts";
import { removedAtEnd } from "../../base/removed_at_end.ts";
import { ProgramFailure, runProgram } from "../../base/run_program.ts";
import { shellWord } from "../../base/shell_word.ts";
import { CutOffError, TarError, tarMembers } from "../../base/tar.ts";
import { withArchive } from "../../recording/archive/client.ts";
import { copyRecording } from "../../recording/archive/copy_recording.ts";
import { openExistingShard } from "../../results/store/results.ts";
import { companions, namesSuperJournal } from "../../results/store/sqlite.ts";

export interface Remote {
  /** As `ssh` takes it: a name, or user@name. */
  readonly host: string;
  /** The program and its options: `ssh -p 2222`. */
  readonly ssh: readonly string[];
  /** Relative to the user's home there. */
  readonly folder: string;
}

/** Made whole before it has this name: that it is there says that all is. */
const shippedName = "shipped";

/** The program and its words that run a shell's line on the host. */
function sshWords({ host, ssh }: Remote, line: string): readonly [string, ...string[]] {
  const [program = "ssh", ...options] = ssh;
  return [program, ...options, "-o", "BatchMode=yes", host, line];
}

/** Standard output of a shell's line on the host. RunError naming the host if it or ssh failed. */
export async function onHost(remote: Remote, line: string): Promise<string> {
  const [program, ...words] = sshWords(remote, line);
  try {
    return await runProgram(program, words, { timeout_ms: 120_000 });
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    throw new RunError(`${remote.host}: ${error.lastLine || error.message}`);
  }
}

const lastLineOf = (said: string, otherwise: string): string => said.trim().split("\n").at(-1) || otherwise;

/** Copies recordings from one home to another; RunError if one comes out different. */
async function copyRecordings(from: string, to: string, digests: Readonly<Record<string, string>>): Promise<void> {
  await withArchive(from, (source) =>
    withArchive(to, async (target) => {
      for (const [name, digest] of Object.entries(digests)) {
        const copied = await copyRecording(await source.show(name), (sha256) => source.body(sha256), target);
        if (copied.digest !== digest)
          throw new RunError(`recording ${name}: its copy is another one: see \`trilane recording verify ${name}\``);
      }
    }),
  );
}

/** Two programs, the first one's output into the second; RunError with what either said if one failed. */
async function piped(first: readonly string[], second: readonly string[], what: string): Promise<void> {
  const start = ([program = "", ...words]: readonly string[]) =>
    spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] });
  const [from, to] = [start(first), start(second)];
  let said = "";
  for (const child of [from, to]) child.stderr.on("data", (text: Buffer) => (said += text.toString()));
  from.stdin.end();
  to.stdout.resume();
  const ended = Promise.all([once(from, "close"), once(to, "close")]);
  const [, statuses] = await Promise.all([pipeline(from.stdout, to.stdin).catch(() => undefined), ended]);
  if (statuses.some(([status]) => status !== 0)) throw new RunError(`${what}: ${lastLineOf(said, "failed")}`);
}

/** A folder that holds `home/` with the recordings and `shards/` with what was submitted; to be removed by the caller. */
export async function packFolder(
  home: string,
  digests: Readonly<Record<string, string>>,
  files: readonly string[],
): Promise<{ path: string; remove: () => Promise<void> }> {
  // Recordings may hold what is private: one that was killed leaves them no longer than until the next.
  await sweepProcessFolders(tmpdir(), "submit");
  const path = makeProcessFolder(tmpdir(), "submit");
  const keep = removedAtEnd(path);
  const remove = async (): Promise<void> => {
    await rm(path, { recursive: true, force: true });
    keep();
  };
  try {
    await mkdir(join(path, "shards"));
    for (const file of files) await cp(file, join(path, "shards", basename(file)));
    await copyRecordings(home, join(path, "home"), digests);
    await writeFile(join(path, shippedName), "");
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Sends the packed folder, unless the host has it. False: it had it. */
export async function ship(remote: Remote, packed: string): Promise<boolean> {
  const folder = shellWord(remote.folder);
  const there = await onHost(remote, `if test -e ${folder}/${shippedName}; then echo yes; fi`);
  if (there.trim() === "yes") return false;
  const unpack = `mkdir -p ${folder} && chmod 700 ${folder} && tar -x -f - -C ${folder}`;
  // Its mark of being whole comes last.
  const pack = ["tar", "-c", "-f", "-", "-C", packed, "home", "shards", shippedName];
  await piped(pack, sshWords(remote, unpack), `${remote.host}: sending recordings`);
  return true;
}

/** Begins the names of folders in which shards are until all have come. */
const asidePrefix = ".collected-";

async function removeLeftAside(shards: string): Promise<void> {
  for (const name of await readdir(shards))
    if (name.startsWith(asidePrefix)) await rm(join(shards, name), { recursive: true, force: true });
}

/** Of all shards that one delivery of a host may have. SECURITY.md lists these. */
const mostDelivered_bytes = 16e9;
/** So long a host that delivers may send nothing. */
const longestSilence_ms = 120_000;

/** What a host delivers, written as it comes: each member is looked at before a byte of it is. RunError without the host's name. */
async function unpackShards(tar: AsyncIterable<Uint8Array>, aside: string, wanted: ReadonlySet<string>): Promise<void> {
  const most_bytes = Math.min(mostDelivered_bytes, freeBytes(aside));
  const missing = new Set(wanted);
  let all_bytes = 0;
  for await (const { name, bytes, content } of tarMembers(tar)) {
    const plain = name.replace(/^\.\//, "");
    if (!missing.delete(plain))
      throw new RunError(`${JSON.stringify(plain.slice(0, 80))}, which is not wanted or came twice`);
    all_bytes += bytes;
    if (all_bytes > most_bytes)
      throw new RunError(
        `${formatSize(all_bytes)} or more, and ${formatSize(most_bytes)} is what there may be or is free`,
      );
    await writeFile(join(aside, plain), content, { flag: "wx", mode: 0o600 });
  }
  const [absent] = missing;
  if (absent !== undefined) throw new RunError(`no ${absent}, which it listed`);
}

/** Runs the line on the host and unpacks the tar that it prints. RunError naming the host. */
async function bringShards(remote: Remote, line: string, aside: string, wanted: ReadonlySet<string>): Promise<void> {
  const [program, ...words] = sshWords(remote, line);
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (text: Buffer) => (said = (said + text.toString()).slice(-10_000)));
  let isSilent = false;
  const silence = setTimeout(() => {
    isSilent = true;
    child.kill();
  }, longestSilence_ms);
  child.stdout.on("data", () => silence.refresh());
  child.stdout.pause();
  const closed = once(child, "close");
  let problem: unknown = null;
  try {
    await unpackShards(child.stdout, aside, wanted);
  } catch (error) {
    problem = error;
  } finally {
    clearTimeout(silence);
    // After its tar a host has nothing more to say.
    if (problem !== null && !(problem instanceof CutOffError)) child.kill();
  }
  const [status] = (await closed) as [number | null];
  const what = `${remote.host}: bringing shards back`;
  if (isSilent) throw new RunError(`${what}: it sent nothing for ${longestSilence_ms / 1000} s`);
  if (problem instanceof CutOffError || (problem === null && status !== 0))
    throw new RunError(`${what}: ${lastLineOf(said, "it ended too early")}`);
  if (problem instanceof TarError)
    throw new RunError(`${remote.host}: delivered what ${problem.message}; nothing from it was taken`);
  if (problem instanceof RunError)
    throw new RunError(`${remote.host}: delivered ${problem.message}; nothing from it was taken`);
  if (problem !== null) throw problem;
}

/**
 * RunError for what cannot be read as results; a journal beside it is played back. Left to whoever looks for finished cells, what
 * is thrown would end the submit of all hosts.
 */
function requireReadable(path: string, from: string): void {
  try {
    using results = openExistingShard(path);
    results?.listSweeps();
  } catch (error) {
    // A full disk is ours.
    if (error instanceof NoRoomError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new RunError(
      `${from}: delivered ${basename(path)}, which cannot be read (${why}); nothing from it was taken`,
    );
  }
}

/** All that was delivered, before any of it is taken. */
async function requireShards(aside: string, names: readonly string[], from: string): Promise<void> {
  for (const name of names)
    if (namesSuperJournal(join(aside, name)))
      throw new RunError(
        `${from}: delivered ${name}, which would have another file deleted; nothing from it was taken`,
      );
  for (const name of names) if (name.endsWith(".db")) requireReadable(join(aside, name), from);
}

/**
 * Brings the host's shards into the folder, each whole or not at all; removes what one that was killed left of this. Only names
 * that are `expected` are taken, whatever the host sends. Only for who holds the folder's submit lock.
 */
export async function collect(remote: Remote, shards: string, expected: ReadonlySet<string>): Promise<void> {
  await removeLeftAside(shards);
  const folder = shellWord(`${remote.folder}/shards`);
  const listed = (await onHost(remote, `if test -d ${folder}; then ls ${folder}; fi`))
    .split("\n")
    .filter((name) => expected.has(name));
  // A journal without its shard would be played back into the one that is here.
  const names = listed.filter((name) => name.endsWith(".db") || listed.includes(name.replace(/-journal$/, "")));
  if (names.length === 0) return;
  const aside = await mkdtemp(join(shards, asidePrefix));
  const keep = removedAtEnd(aside);
  try {
    // The one format that is read here, which ends where its last member does.
    const members = names.map((name) => shellWord(`./${name}`)).join(" ");
    await bringShards(remote, `tar --format=ustar -b 1 -c -f - -C ${folder} ${members}`, aside, new Set(names));
    await requireShards(aside, names, remote.host);
    // Journals that were played back are gone.
    const taken = names.filter((name) => existsSync(join(aside, name)));
    // A journal before its shard, which would be read without it; an old shard's would be taken for the new one's.
    for (const name of taken.toSorted().reverse()) {
      if (name.endsWith(".db") && !taken.includes(`${name}-journal`))
        for (const end of companions) await rm(join(shards, `${name}${end}`), { force: true });
      await rename(join(aside, name), join(shards, name));
    }
  } finally {
    // Why nothing was taken is not to be lost; what stays is removed by the next one, or said then.
    await rm(aside, { recursive: true, force: true }).catch(() => undefined);
    keep();
  }
}
