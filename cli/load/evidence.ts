// What an attempt leaves behind if its evidence is kept (--evidence), whatever it measures: the state of its transports, a capture that opens
// in Wireshark, its programs' reports. All on one clock, CLOCK_MONOTONIC. Says what the programs of a lab are to write, and adds what is known at
// the end. Where the folder lies is cli/engine/evidence_folder.ts's.
import { copyFile, mkdir, open, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { freeBytes } from "../base/disk_room.ts";
import { NoRoomError } from "../base/errors.ts";

export interface Evidence {
  readonly folder: string;
  readonly qlogs: string;
  readonly counters: string;
  readonly packets: string;
  readonly replayOptions: readonly string[];
  /** Of the shaper: a capture of both directions of the link, with the TLS keys. */
  readonly capture: readonly string[];
  /** For programs that write their TLS keys: browsers, trilane-fetch, curl. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Makes the folder, empty: an attempt that was killed may have left something there. */
export async function openEvidenceFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
}

/**
 * Of an attempt in a lab. `scratch` is the attempt's own: the TLS keys lie there while programs write them, and end up in the capture.
 */
export async function openEvidence(folder: string, scratch: string): Promise<Evidence> {
  await openEvidenceFolder(folder);
  const qlogs = join(folder, "qlog");
  await mkdir(qlogs);
  const keys = join(scratch, "tls-keys");
  const packets = join(folder, "packets.pcapng");
  // The shaper reads the file from its beginning.
  await writeFile(keys, "");
  return {
    folder,
    qlogs,
    counters: join(folder, "flow-counters.json"),
    packets,
    replayOptions: ["--tcp-info", join(folder, "tcp.jsonl"), "--qlog", qlogs],
    capture: ["--pcapng", packets, "--tls-keys", keys],
    environment: { SSLKEYLOGFILE: keys },
  };
}

/** By their own names, as far as they were written. */
export async function keepFiles(folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    // A program that was killed has left none, which the attempt says.
    await copyFile(path, join(folder, basename(path))).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}

/** Of pcapng: how the shaper ends a capture. */
const statisticsBlock = 5;

/** Whether a capture ends as the shaper ends it; true if there is none. */
async function isWhole(path: string): Promise<boolean> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (!file) return true;
  try {
    const { size } = await file.stat();
    const numberAt = async (position: number): Promise<number | null> => {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(4), 0, 4, Math.max(0, position));
      return bytesRead === 4 ? buffer.readUInt32LE() : null;
    };
    const length = await numberAt(size - 4);
    return length !== null && (await numberAt(size - length)) === statisticsBlock;
  } finally {
    await file.close();
  }
}

/** What a disk that took no more may have left: less than 2 Gbit/s bring a capture between two writes, or than another file's buffer. */
const pieces = { capture_bytes: 16 << 20, other_bytes: 64 << 10 };

/**
 * Once a lab has ended: its programs go on if their evidence finds no room, and say so where nobody reads it. NoRoomError, by which the
 * attempt is made again when there is room.
 */
export async function refuseCutEvidence({ folder, packets }: Pick<Evidence, "folder" | "packets">): Promise<void> {
  const isCut = !(await isWhole(packets));
  if (freeBytes(folder) >= (isCut ? pieces.capture_bytes : pieces.other_bytes)) return;
  const what = isCut ? `${packets}: the capture was cut` : `${folder}: what the attempt left may be cut`;
  throw new NoRoomError(`${what}: no space left: free some, or name another folder`);
}

/** The browser's own logs of its QUIC connections, beside the servers'. */
export async function keepBrowserQlogs({ folder }: Evidence, qlogs: readonly string[]): Promise<void> {
  if (qlogs.length === 0) return;
  const to = join(folder, "qlog-browser");
  await mkdir(to, { recursive: true });
  await keepFiles(to, qlogs);
}

/** What is stored of the attempt. */
export async function keepDocument(folder: string, name: string, document: object): Promise<void> {
  await writeFile(join(folder, name), JSON.stringify(document));
}
