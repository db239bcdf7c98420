// Reads the record files of trilane-flows (samples) and trilane-shaper (flow bins): a line of JSON that names the columns, then records
// of little-endian uint64, one for each column. Written by appending, so that a file that was cut off has all records up to its last whole
// one. Knows no column's meaning. Also reads the documents that they leave beside them.
import { readFile } from "node:fs/promises";
import { RunError } from "./errors.ts";

export const recordsSchema = "trilane/records/1";

/** In the order of the file; NaN is unavailable. Nanoseconds of CLOCK_MONOTONIC are exact for 104 days of uptime, then to 2 ns. */
export type Columns<Name extends string> = Readonly<Record<Name, Float64Array>>;

const newline = 0x0a;
const bytesPerNumber = 8;
/** What stands for an unavailable number: the largest uint64. */
const unavailableHalf = 0xffff_ffff;

/** The names of the file's columns; null: it ends within its first line. RunError where the line is of no record file. */
function headerOf(line: Uint8Array, file: string): string[] {
  let header: unknown;
  try {
    header = JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString("utf8"));
  } catch {
    header = null;
  }
  if (typeof header === "object" && header !== null && "schema" in header && "columns" in header) {
    const { schema, columns } = header;
    if (schema === recordsSchema && Array.isArray(columns) && columns.every((name) => typeof name === "string"))
      return columns;
  }
  throw new RunError(`${file}: no records of this version of Trilane: set Trilane up anew with \`npm run setup\``);
}

/**
 * The wanted columns of a record file's bytes; `file` names it in errors. All are empty where the file ends within its first line,
 * as that of a program that was killed may. RunError for what is no record file, or lacks a column.
 */
export function parseRecords<Name extends string>(
  bytes: Uint8Array,
  names: readonly Name[],
  file: string,
): Columns<Name> {
  const end = bytes.indexOf(newline);
  const written = end < 0 ? [...names] : headerOf(bytes.subarray(0, end), file);
  const missing = names.find((name) => !written.includes(name));
  if (missing !== undefined)
    throw new RunError(`${file}: no column ${missing}: set Trilane up anew with \`npm run setup\``);
  const first = end < 0 ? bytes.length : end + 1;
  const recordBytes = written.length * bytesPerNumber;
  const count = Math.floor((bytes.length - first) / recordBytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const columns = names.map((name): [Name, Float64Array] => {
    const values = new Float64Array(count);
    let at = first + written.indexOf(name) * bytesPerNumber;
    for (let index = 0; index < count; index++, at += recordBytes) {
      const low = view.getUint32(at, true);
      const high = view.getUint32(at + 4, true);
      values[index] = low === unavailableHalf && high === unavailableHalf ? Number.NaN : high * 2 ** 32 + low;
    }
    return [name, values];
  });
  return Object.fromEntries(columns) as Record<Name, Float64Array>;
}

/** The records for which `keyOf` gives the same number from 0 to `keys` - 1, each group in the file's order; others are left out. */
export function groupRecords<Name extends string>(
  columns: Columns<Name>,
  keys: number,
  keyOf: (index: number) => number,
): Columns<Name>[] {
  const names = Object.keys(columns) as Name[];
  const length = names[0] === undefined ? 0 : columns[names[0]].length;
  const isKey = (key: number): boolean => Number.isInteger(key) && key >= 0 && key < keys;
  const counts = new Int32Array(keys);
  for (let index = 0; index < length; index++) {
    const key = keyOf(index);
    if (isKey(key)) counts[key] = (counts[key] ?? 0) + 1;
  }
  const groups = Array.from(
    { length: keys },
    (_, key) =>
      Object.fromEntries(names.map((name) => [name, new Float64Array(counts[key] ?? 0)])) as Record<Name, Float64Array>,
  );
  counts.fill(0);
  for (let index = 0; index < length; index++) {
    const key = keyOf(index);
    const group = isKey(key) ? groups[key] : undefined;
    if (!group) continue;
    const place = counts[key] ?? 0;
    counts[key] = place + 1;
    for (const name of names) group[name][place] = columns[name][index] ?? Number.NaN;
  }
  return groups;
}

// Written by programs of the same build, whose tests hold them to the schema: its name is the check that matters here.
export async function readDocument<Document extends { readonly schema?: string }>(
  path: string,
  schema: Document["schema"],
): Promise<Document | null> {
  try {
    const document = JSON.parse(await readFile(path, "utf8")) as Document | null;
    return document?.schema === schema ? document : null;
  } catch {
    // Not written: the program was killed before it could. The attempt then says so.
    return null;
  }
}
