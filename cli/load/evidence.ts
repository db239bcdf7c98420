// What an attempt leaves behind if its evidence is kept (--evidence), whatever it measures: the state of its transports, a capture that opens
// in Wireshark, its programs' reports. All on one clock, CLOCK_MONOTONIC. Says what the programs of a lab are to write, and adds what is known at
// the end. Where the folder lies is cli/engine/evidence_folder.ts's.
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

export interface Evidence {
  readonly folder: string;
  readonly qlogs: string;
  readonly counters: string;
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
  // The shaper reads the file from its beginning.
  await writeFile(keys, "");
  return {
    folder,
    qlogs,
    counters: join(folder, "flow-counters.json"),
    replayOptions: ["--tcp-info", join(folder, "tcp.jsonl"), "--qlog", qlogs],
    capture: ["--pcapng", join(folder, "packets.pcapng"), "--tls-keys", keys],
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
