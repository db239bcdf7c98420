// A sweep by itself: its rows, with the numbers that they have, in a new file of results. The same rows are the same bytes, whatever
// else lies in the file that they come from. May take credentials out on the way (extension/har/redact.ts). Chooses no sweep.
import { rmSync } from "node:fs";
import { harForReaders, withoutSecrets } from "../../../extension/har/redact.ts";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import { type Row, RowCopier } from "./copy_rows.ts";
import { openDatabase, openFilledDatabase } from "./database.ts";
import { explainFailure, fileRemedies } from "./failure.ts";
import { packedPageLoad, unpackedPageLoad } from "./page_load_blob.ts";
import { companions } from "./sqlite.ts";
import { inTransaction } from "./transaction.ts";

interface SweepCopy {
  /** The file of results that they are in. */
  readonly from: string;
  readonly sweeps: readonly number[];
  /** Else credentials are masked: in page loads, and in every text that may hold a URL. */
  readonly keepCredentials: boolean;
  /** By page, the digest to note for its recording. */
  readonly digests: ReadonlyMap<string, string>;
  /** What else is to be masked; called for each row, the sweep's own first. */
  readonly mask?: (table: string, row: Row) => Row;
  readonly onPageLoad?: (load: PageLoad) => void;
}

/** Columns of texts, or of JSON with texts, in which URLs may stand. */
const textColumns: Readonly<Record<string, readonly string[]>> = {
  sweep: ["command"],
  attempt: ["reasons"],
};

/** A text that only begins as JSON does, as a name may, is none. */
function jsonIn(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON as such, as a name in it says what is secret. A text without secrets stays as it is, byte for byte. */
export function textMasked(text: string): string {
  const document = jsonIn(text);
  if (document === undefined) return withoutSecrets(text);
  const masked = JSON.stringify(withoutSecrets(document));
  return masked === JSON.stringify(document) ? text : masked;
}

function maskColumn(row: Row, column: string): void {
  const text = row[column];
  if (typeof text === "string") row[column] = textMasked(text);
}

/** The blob as it is where nothing in it is to be masked: gzip of another version would make other bytes of it. */
function maskedPageLoad<Blob extends Uint8Array>(blob: Blob, load: PageLoad): Blob | Buffer<ArrayBuffer> {
  const masked = harForReaders(load) as PageLoad;
  return JSON.stringify(masked) === JSON.stringify(load) ? blob : packedPageLoad(masked);
}

function rowChange({ from, keepCredentials, digests, mask, onPageLoad }: SweepCopy): (table: string, row: Row) => Row {
  return (table, row) => {
    const changed: Row = keepCredentials || !mask ? { ...row } : { ...mask(table, row) };
    if (table === "sweep") changed.owner = null;
    if (table === "cell") changed.recording_digest = digests.get(String(row.subject)) ?? row.recording_digest ?? null;
    if (!keepCredentials) for (const column of textColumns[table] ?? []) maskColumn(changed, column);
    if (table === "document" && row.name === "page-load") {
      const blob = row.content as Uint8Array<ArrayBuffer>;
      const load = unpackedPageLoad(blob, `${from}: load ${row.attempt}`, true);
      onPageLoad?.(load);
      if (!keepCredentials) changed.content = maskedPageLoad(blob, load);
    }
    if (table === "document" && row.name === "unmatched" && !keepCredentials) maskColumn(changed, "content");
    return changed;
  };
}

/** Makes the file, which must not be there; it is there whole or not at all. Ids of rows are kept. */
export function copySweeps(path: string, copy: SweepCopy): void {
  const from = openFilledDatabase(copy.from, fileRemedies);
  try {
    // The sweeps as they are at one moment, whoever writes meanwhile.
    from.exec("BEGIN");
    const to = openDatabase(path, "rollback", fileRemedies);
    try {
      const copier = new RowCopier(from, to, { keepIds: true, change: rowChange(copy) });
      inTransaction(to, () => {
        for (const sweep of copy.sweeps.toSorted((a, b) => a - b)) copier.copy("sweep", sweep, {});
      });
    } catch (error) {
      for (const end of ["", ...companions]) rmSync(`${path}${end}`, { force: true });
      throw explainFailure(error, path, fileRemedies);
    } finally {
      to.close();
    }
  } finally {
    from.close();
  }
}
