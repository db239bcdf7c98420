// What a load leaves behind where somebody asked for it (--evidence): the state of its transports, a capture that opens
// in Wireshark, its reports. All on one clock, CLOCK_MONOTONIC. Says what the programs are to write, and adds what is
// known at the end; a load without it leaves nothing.
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { PageLoad } from "../../schemas/generated/page_load.ts";

export interface Evidence {
  readonly folder: string;
  readonly qlogs: string;
  readonly counters: string;
  readonly replayOptions: readonly string[];
  readonly shaperOptions: readonly string[];
  /** For the browser. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Makes the folder. `scratch` is the load's own: the TLS keys lie there while the browser writes them, and end up in the
 * capture.
 */
export async function openEvidence(folder: string, scratch: string): Promise<Evidence> {
  const qlogs = join(folder, "qlog");
  // Each has a name of its own, so that those of an attempt that was killed would stay.
  await rm(qlogs, { recursive: true, force: true });
  await mkdir(qlogs, { recursive: true });
  const keys = join(scratch, "tls-keys");
  // The shaper reads the file from its beginning.
  await writeFile(keys, "");
  const counters = join(folder, "flow-counters.json");
  return {
    folder,
    qlogs,
    counters,
    replayOptions: ["--tcp-info", join(folder, "tcp.jsonl"), "--qlog", qlogs],
    shaperOptions: ["--pcapng", join(folder, "packets.pcapng"), "--tls-keys", keys, "--flow-counters", counters],
    environment: { SSLKEYLOGFILE: keys },
  };
}

/** The reports of the load's programs, as far as they were written, and `more` by their own names. */
export async function keepReports(
  { folder }: Evidence,
  reports: { readonly replay: string; readonly shaper: string },
  more: readonly string[],
): Promise<void> {
  const kept = [
    ...Object.entries(reports).map(([name, path]) => ({ name: `${name}.json`, path })),
    ...more.map((path) => ({ name: basename(path), path })),
  ];
  for (const { name, path } of kept) {
    // A program that was killed has left none, which the load says.
    await copyFile(path, join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}

/** The browser's own logs of its QUIC connections, beside the servers'. */
export async function keepBrowserQlogs({ folder }: Evidence, qlogs: readonly string[]): Promise<void> {
  if (qlogs.length === 0) return;
  const to = join(folder, "qlog-browser");
  await rm(to, { recursive: true, force: true });
  await mkdir(to);
  for (const path of qlogs) await copyFile(path, join(to, basename(path)));
}

export async function keepLoad({ folder }: Evidence, load: PageLoad): Promise<void> {
  await writeFile(join(folder, "load.har"), JSON.stringify(load));
}
