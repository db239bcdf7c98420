// The gate for databases that may be a stranger's (bundles, shards, files that are named): all of them is looked at before anything else is
// read. Its schema is foreign_schema.ts's, its JSON foreign_documents.ts's. Here: no page of the file is used twice, so that reading it
// ends; each number is one, finite and in range, each time a time, each text of a reasonable length.
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../base/errors.ts";
import type { Remedies } from "./failure.ts";
import { refuseForeignDocuments } from "./foreign_documents.ts";
import { columnsOf, knownSchema, refuseForeignSchema } from "./foreign_schema.ts";

/** Of one column: the longest text, the greatest number, and the longest time. SECURITY.md lists these. */
const limits = { text_bytes: 16e6, number: 2 ** 53 - 1, time_ms: 1e10 } as const;

/** Columns that may be below 0. */
const signed = new Set(["rate_difference_bps"]);

/** By table and column, in which of few words a text must be, as SQL. */
const words: Readonly<Record<string, string>> = {
  "sweep.kind": "'pages', 'flows', 'fetches', 'commands'",
  "unmatched.difference": "'body', 'port', 'query', 'path'",
  "fetch_cell.tls": "'1.2', '1.3'",
  "fetch_cell.ip": "4, 6",
};

const isTime = (column: string): boolean => column.endsWith("_at") || column === "moment";

/** SQL that is true for a value that cannot be. */
function wrong(table: string, column: string, type: string): string {
  const kind = `typeof("${column}")`;
  const allowed = words[`${table}.${column}`];
  const few = allowed === undefined ? "" : ` OR ("${column}" IS NOT NULL AND "${column}" NOT IN (${allowed}))`;
  if (type === "BLOB") return `${kind} NOT IN ('blob', 'null')`;
  if (type === "TEXT") {
    const time = isTime(column)
      ? ` OR ("${column}" NOT GLOB '[0-9]*T*Z' OR ("${column}" IS NOT NULL AND julianday("${column}") IS NULL))`
      : "";
    return `${kind} NOT IN ('text', 'null') OR length(CAST("${column}" AS BLOB)) > ${limits.text_bytes}${time}${few}`;
  }
  const most = column.endsWith("_ms") ? limits.time_ms : limits.number;
  const kinds = type === "INTEGER" ? "'integer', 'null'" : "'integer', 'real', 'null'";
  return `${kind} NOT IN (${kinds}) OR "${column}" NOT BETWEEN ${signed.has(column) ? -most : 0} AND ${most}${few}`;
}

/** @throws UserError, naming file, table and column, for a value that cannot be. Reads each table once. */
function refuseForeignValues(database: DatabaseSync, path: string, elsewhere: string): void {
  for (const { name: table, columns } of knownSchema().tables.values()) {
    const there = columnsOf(database, table);
    const checks = [...columns].filter(([column]) => there.has(column));
    if (checks.length === 0) continue;
    const cases = checks.map(([column, type]) => `WHEN ${wrong(table, column, type)} THEN '${column}'`);
    const query = `SELECT wrong FROM (SELECT CASE ${cases.join(" ")} END AS wrong FROM "${table}") WHERE wrong IS NOT NULL LIMIT 1`;
    const found = database.prepare(query).get()?.wrong;
    if (found !== undefined)
      throw new UserError(`${path}: damaged: ${table}.${found} holds a value that cannot be: ${elsewhere}`);
  }
}

/** @throws UserError, naming the file, for what no results of ours have. Reads all of it but page loads. */
export function refuseForeign(database: DatabaseSync, path: string, { elsewhere }: Remedies): void {
  refuseForeignSchema(database, path, elsewhere);
  const found = String(database.prepare("PRAGMA quick_check(1)").get()?.quick_check);
  if (found !== "ok") throw new UserError(`${path}: damaged (${found.split("\n").at(-1)}): ${elsewhere}`);
  refuseForeignValues(database, path, elsewhere);
  refuseForeignDocuments(database, path, elsewhere);
}
