// From whatever a user named to a recording in the archive: formats.ts finds out which format it is, and who reads it.
import { UserError } from "../../base/errors.ts";
import { type Device, usualDevice } from "../../browser/device.ts";
import type { Archive, JsonObject, Recording } from "../archive/archive.ts";
import { type Format, formatOf, importFormats, recordingName } from "./formats.ts";
import type { Credentials } from "./headers.ts";
import { progress, readPage, storePage } from "./import_file.ts";
import { storeWire } from "./import_wire.ts";
import { entriesLine, noteLines } from "./notes.ts";
import { inputName } from "./read.ts";
import type { WireRecording } from "./wire_exchange.ts";
import { wireNoteLines } from "./wire_notes.ts";
import { selectWire } from "./wire_select.ts";

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
type Replacing = boolean | ((candidate: Candidate) => Promise<Recording | null>);

interface ImportRequest {
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
  /** On which its loads are to be made, as far as it was requested; of a HAR the rest is found out. */
  readonly device?: Partial<Device> | undefined;
  /** How it is to be loaded (`--as`), noted in the recording; undefined: as the recording whose place it was found to take. */
  readonly as?: string | undefined;
}

export interface ImportResult {
  readonly recording: Recording;
  /** For a reader. */
  readonly lines: readonly string[];
  /** What a reader should know who did not ask for the lines: what was left out, and how the file had to be read. */
  readonly remarks: readonly string[];
  /** Whether the start URL has a response. */
  readonly hasDocument: boolean;
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
  const { file, page, url, document, credentials, device } = request;
  const imported = await readPage(file, { page, url, document, credentials, device });
  const name = request.name ?? recordingName(file, imported.url);
  const hasDocument = imported.notes.documents.length > 0;
  const { url: start, source } = imported;
  const { takesPlace, moreNotes } = await decided(request, { name, url: start, source, hasDocument });
  const recording = await storePage(archive, name, imported, takesPlace, moreNotes);
  const { notes } = imported;
  const left = Object.keys(notes.skipped).length > 0 ? [entriesLine(notes)] : [];
  return { recording, lines: noteLines(notes), remarks: [...left, ...notes.remarks], hasDocument };
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
    const given = request.device ?? {};
    const device = Object.keys(given).length > 0 ? { device: { ...usualDevice, ...given } } : {};
    const more = { ...moreNotes, ...device };
    const stored = await storeWire(archive, wire, { ...choice, name, replace: takesPlace, moreNotes: more });
    const { recording, notes } = stored;
    return { recording, lines: wireNoteLines(notes), remarks: [], hasDocument: notes.documents.length > 0 };
  } catch (error) {
    // What is wrong is said of the exchange; the file is known only here.
    if (error instanceof UserError && !error.message.startsWith("recording ") && !error.message.startsWith("--"))
      throw new UserError(`${inputName(file)}: ${error.message}`);
    throw error;
  }
}

/** Stores the recording whole or not at all. UserError names the file and what is wrong in it. */
export async function importAny(archive: Archive, request: ImportRequest): Promise<ImportResult> {
  const format = request.format ?? (await formatOf(request.file));
  if (format !== "har" && request.page !== undefined)
    throw new UserError(`--page: ${inputName(request.file)} is no HAR: leave it out`);
  const { read } = importFormats[format];
  return read === null
    ? await importHarFile(archive, request)
    : await read(request.file, (wire) => storeRecording(archive, request, wire));
}
