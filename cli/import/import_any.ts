// From whatever a user named to a recording in the archive: finds out which format it is, and lets the one who knows it do
// the work.
import { open, stat } from "node:fs/promises";
import { gunzipSync, constants as zlib } from "node:zlib";
import type { Archive, JsonObject, Recording } from "../archive/archive.ts";
import { UserError } from "../errors.ts";
import type { Credentials } from "./headers.ts";
import { progress, readPage, storePage } from "./import_file.ts";
import { storeWire } from "./import_wire.ts";
import { readMahimahi } from "./mahimahi.ts";
import { noteLines } from "./notes.ts";
import { inputName } from "./read.ts";
import { recordingName } from "./recording_name.ts";
import { Spool } from "./spool.ts";
import type { WireRecording } from "./wire_exchange.ts";
import { wireNoteLines } from "./wire_notes.ts";
import { selectWire } from "./wire_select.ts";
import { readWpr } from "./wpr.ts";

export const formats = ["har", "mahimahi", "wpr"] as const;
export type Format = (typeof formats)[number];

/** What an import would store. */
export interface Candidate {
  readonly name: string;
  readonly url: string;
  readonly source: string;
  /** Whether the start URL has a response. */
  readonly hasDocument: boolean;
}

/**
 * Whether a recording of that name gives its place; who cannot say before the file is read says then which one does (null: none is
 * there), or throws.
 */
export type Replacing = boolean | ((candidate: Candidate) => Promise<Recording | null>);

export interface ImportRequest {
  /** `-`: standard input. */
  readonly file: string;
  /** undefined: found out. */
  readonly format?: Format | undefined;
  readonly name?: string | undefined;
  readonly page?: number | undefined;
  readonly url?: string | undefined;
  readonly document?: number | undefined;
  readonly replace: Replacing;
  /** Default: redacted. */
  readonly credentials?: Credentials | undefined;
  /** How it is to be loaded (`--as`), noted in the recording; undefined: as the recording whose place it was found to take. */
  readonly as?: string | undefined;
}

export interface ImportResult {
  readonly recording: Recording;
  /** For a reader. */
  readonly lines: readonly string[];
  /** Whether the start URL has a response. */
  readonly hasDocument: boolean;
}

const peeked_bytes = 4096;

/** The first characters of a file, unzipped. */
async function beginning(path: string): Promise<string> {
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

async function formatOf(file: string): Promise<Format> {
  if (file === "-") return "har";
  const there = await stat(file).catch(() => null);
  if (there?.isDirectory()) return "mahimahi";
  if (file.endsWith(".wprgo")) return "wpr";
  // A pipe can be read once only.
  if (!there?.isFile()) return "har";
  return /^\s*\{\s*"(Requests|Certs|NegotiatedProtocol|DeterministicTimeSeedMs)"/.test(await beginning(file))
    ? "wpr"
    : "har";
}

interface Decided {
  readonly takesPlace: boolean;
  readonly moreNotes: JsonObject;
}

async function decided({ replace, as }: ImportRequest, candidate: Candidate): Promise<Decided> {
  const before = typeof replace === "boolean" ? null : await replace(candidate);
  const noted = as ?? before?.notes.as;
  return { takesPlace: replace === true || before !== null, moreNotes: noted === undefined ? {} : { as: noted } };
}

async function importHarFile(archive: Archive, request: ImportRequest): Promise<ImportResult> {
  const { file, page, url, document, credentials } = request;
  const imported = await readPage(file, { page, url, document, credentials });
  const name = request.name ?? recordingName(file, imported.url);
  const hasDocument = imported.notes.documents.length > 0;
  const { url: start, source } = imported;
  const { takesPlace, moreNotes } = await decided(request, { name, url: start, source, hasDocument });
  const recording = await storePage(archive, name, imported, takesPlace, moreNotes);
  return { recording, lines: noteLines(imported.notes), hasDocument };
}

async function storeRecording(archive: Archive, request: ImportRequest, wire: WireRecording): Promise<ImportResult> {
  const { file, url, document, credentials } = request;
  const name = request.name ?? recordingName(file, wire.exchanges[0]?.url.href ?? "");
  try {
    const choice = { url, document, credentials, onExchange: progress() };
    const selection = selectWire(wire, choice);
    const hasPage = selection.documents.length > 0;
    const candidate = { name, url: selection.url, source: wire.source, hasDocument: hasPage };
    const { takesPlace, moreNotes } = await decided(request, candidate);
    const stored = await storeWire(archive, wire, { ...choice, name, replace: takesPlace, moreNotes });
    const { recording, notes } = stored;
    return { recording, lines: wireNoteLines(notes), hasDocument: notes.documents.length > 0 };
  } catch (error) {
    // What is wrong is said of the exchange; the file is known only here.
    if (error instanceof UserError && !error.message.startsWith("recording ") && !error.message.startsWith("--"))
      throw new UserError(`${inputName(file)}: ${error.message}`);
    throw error;
  }
}

async function importMahimahi(archive: Archive, request: ImportRequest): Promise<ImportResult> {
  const there = await stat(request.file).catch(() => null);
  if (!there?.isDirectory())
    throw new UserError(`${inputName(request.file)}: is no folder: name one that mm-webrecord wrote`);
  return await storeRecording(archive, request, await readMahimahi(request.file, progress("files")));
}

async function importWpr(archive: Archive, request: ImportRequest): Promise<ImportResult> {
  const { file } = request;
  if (file !== "-" && !(await stat(file).catch(() => null))?.isFile())
    throw new UserError(`${file}: no such file: name a .wprgo file, or - for standard input`);
  return await Spool.with(async (spool) => {
    const wire = await readWpr(file === "-" ? process.stdin : file, inputName(file), spool);
    return await storeRecording(archive, request, wire);
  });
}

/** Stores the recording whole or not at all. UserError names the file and what is wrong in it. */
export async function importAny(archive: Archive, request: ImportRequest): Promise<ImportResult> {
  const format = request.format ?? (await formatOf(request.file));
  if (format !== "har" && request.page !== undefined)
    throw new UserError(`--page: ${inputName(request.file)} is no HAR: leave it out`);
  switch (format) {
    case "har":
      return await importHarFile(archive, request);
    case "mahimahi":
      return await importMahimahi(archive, request);
    case "wpr":
      return await importWpr(archive, request);
  }
}
