// The formats that pages are imported from, besides HAR those whose exchanges are bytes of the wire: how each is recognised,
// and who reads it. Help, names of recordings and what counts as a file's name follow from here. Stores nothing.

import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { gunzipSync, constants as zlib } from "node:zlib";
import { UserError } from "../../base/errors.ts";
import { progress } from "./import_file.ts";
import { readMahimahi } from "./mahimahi.ts";
import { inputName } from "./read.ts";
import { Spool } from "./spool.ts";
import type { WireRecording } from "./wire_exchange.ts";
import { readWpr } from "./wpr.ts";

// What a recording is called that comes from a file. Reads nothing.

/** "My page.har.gz" becomes My-page, a folder has its own name; from standard input, the page's host. */
export function recordingName(file: string, url: string): string {
  const from = file === "-" ? new URL(url).hostname : basename(file).replace(fileEnding, "");
  const name = from
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100);
  if (name === "") throw new UserError(`${inputName(file)}: gives no name for the recording: give one with --name`);
  return name;
}

type WireReader = <Stored>(file: string, store: (wire: WireRecording) => Promise<Stored>) => Promise<Stored>;

interface FormatFacts {
  /** Of the file's name; compressed files have another after it. */
  readonly ending?: string;
  /** In help. */
  readonly words: string;
  /** A folder is in this format. */
  readonly isFolder?: boolean;
  /** What a file without the ending begins with, unzipped. */
  readonly beginning?: RegExp;
  /** `file`: "-" is standard input. null: HAR, which has pages to choose from. */
  readonly read: WireReader | null;
}

const facts = {
  har: { ending: ".har", words: ".har (also .gz, .zst, .br, .zip, .harp)", read: null },
  mahimahi: {
    words: "Mahimahi's folder",
    isFolder: true,
    read: async (file, store) => {
      if (!(await stat(file).catch(() => null))?.isDirectory())
        throw new UserError(`${inputName(file)}: is no folder: name one that mm-webrecord wrote`);
      return await store(await readMahimahi(file, progress("files")));
    },
  },
  wpr: {
    ending: ".wprgo",
    words: ".wprgo",
    beginning: /^\s*\{\s*"(Requests|Certs|NegotiatedProtocol|DeterministicTimeSeedMs)"/,
    read: async (file, store) => {
      if (file !== "-" && !(await stat(file).catch(() => null))?.isFile())
        throw new UserError(`${file}: no such file: name a .wprgo file, or - for standard input`);
      return await Spool.with(async (spool) =>
        store(await readWpr(file === "-" ? process.stdin : file, inputName(file), spool)),
      );
    },
  },
} as const satisfies Record<string, FormatFacts>;

export type Format = keyof typeof facts;
export const importFormats: Readonly<Record<Format, FormatFacts>> = facts;
export const formats = Object.keys(facts) as readonly Format[];

const endings = [...Object.values(importFormats).flatMap(({ ending }) => ending ?? []), ".harp"];
/** A file's ending by which its format is known, with that of its compression. */
export const fileEnding = new RegExp(
  `(${endings.map((ending) => `\\${ending}`).join("|")})?(\\.gz|\\.zst|\\.br|\\.zip)?$`,
  "i",
);

const peeked_bytes = 4096;

/** The first characters of a file, unzipped. */
async function beginningOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(peeked_bytes);
    const start = bytes.subarray(0, (await file.read(bytes, 0, peeked_bytes, 0)).bytesRead);
    if (start[0] !== 0x1f || start[1] !== 0x8b) return start.toString("latin1");
    return gunzipSync(start, { finishFlush: zlib.Z_SYNC_FLUSH }).toString("latin1");
  } catch {
    return ""; // who reads it whole says what is wrong with it
  } finally {
    await file.close();
  }
}

/** HAR, where nothing speaks for another. */
export async function formatOf(file: string): Promise<Format> {
  const first = (is: (format: FormatFacts) => boolean | undefined): Format =>
    formats.find((name) => is(importFormats[name])) ?? "har";
  if (file === "-") return "har";
  const there = await stat(file).catch(() => null);
  if (there?.isDirectory()) return first(({ isFolder }) => isFolder);
  const byName = first(({ ending }) => ending !== undefined && file.endsWith(ending));
  // A pipe can be read once only.
  if (byName !== "har" || !there?.isFile()) return byName;
  const start = await beginningOf(file);
  return first(({ beginning }) => beginning?.test(start));
}
