// The gate for databases that may be a stranger's (bundles, shards, files that are named): all of them is looked at before anything else is
// read. Its schema is foreign_schema.ts's, its JSON foreign_documents.ts's. Here: no page of the file is used twice, so that reading it
// ends; each number is one, finite and in range, each time a time, each text of a reasonable length.
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../base/errors.ts";
import type { Remedies } from "./failure.ts";
import { documentChecks, kindsWith, refuseForeignDocuments, storedKinds } from "./foreign_documents.ts";
import { knownSchema, refuseForeignSchema } from "./foreign_schema.ts";
import { textObservations } from "./load_observations.ts";

/** Of one column: the longest text, the greatest number, and the longest time. SECURITY.md lists these. */
const limits = { text_bytes: 16e6, number: 2 ** 53 - 1, time_ms: 1e10 } as const;

/** Metrics that may be below 0. */
const signed = ["rate_difference_bps"];

const listed = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");

/** By table and column, in which of few words a text must be, as SQL. */
const words: Readonly<Record<string, string>> = {
  "sweep.kind": listed(storedKinds),
};

const isTime = (column: string): boolean => column.endsWith("_at") || column === "moment";

/** By table and column, SQL that is true for a row that cannot be: what each kind of sweep has must be there. */
const strangeRows: readonly (readonly [table: string, column: string, condition: string])[] = [
  ["cell", "link", "(link IS NULL) <> (link_profile IS NULL)"],
  ...["link", "lane", "recording_digest"].map(
    (column) => ["cell", column, `${column} IS NULL AND kind IN (${listed(kindsWith(column))})`] as const,
  ),
  ["attempt", "wall_ms", "NOT filmed AND (wall_ms IS NULL OR position IS NULL)"],
  ["observation", "value", `(value IS NULL) <> (metric IN (${listed(textObservations)}))`],
  ["observation", "text", "(value IS NULL) = (text IS NULL)"],
  ["document", "content", `typeof(content) <> iif(name IN (${listed(Object.keys(documentChecks))}), 'text', 'blob')`],
];

/** SQL that is true for a value that cannot be. */
function wrong(table: string, column: string, type: string): string {
  const kind = `typeof("${column}")`;
  const allowed = words[`${table}.${column}`];
  const few = allowed === undefined ? "" : ` OR ("${column}" IS NOT NULL AND "${column}" NOT IN (${allowed}))`;
  if (type === "BLOB") return `${kind} NOT IN ('blob', 'text')`;
  if (type === "TEXT") {
    const time = isTime(column)
      ? ` OR ("${column}" NOT GLOB '[0-9]*T*Z' OR ("${column}" IS NOT NULL AND julianday("${column}") IS NULL))`
      : "";
    return `${kind} NOT IN ('text', 'null') OR length(CAST("${column}" AS BLOB)) > ${limits.text_bytes}${time}${few}`;
  }
  const kinds = type === "INTEGER" ? "'integer', 'null'" : "'integer', 'real', 'null'";
  const [least, most] =
    table === "observation"
      ? [
          `iif(metric IN (${listed(signed)}), -${limits.number}, 0)`,
          `iif(metric LIKE '%\\_ms' ESCAPE '\\', ${limits.time_ms}, ${limits.number})`,
        ]
      : [0, column.endsWith("_ms") ? limits.time_ms : limits.number];
  return `${kind} NOT IN (${kinds}) OR "${column}" NOT BETWEEN ${least} AND ${most}${few}`;
}

/** @throws UserError, naming file, table and column, for a value that cannot be. Reads each table once. */
function refuseForeignValues(database: DatabaseSync, path: string, elsewhere: string): void {
  for (const { name: table, columns } of knownSchema().tables.values()) {
    if (columns.size === 0) continue;
    const cases = [...columns].map(([column, type]) => `WHEN ${wrong(table, column, type)} THEN '${column}'`);
    const query = `SELECT wrong FROM (SELECT CASE ${cases.join(" ")} END AS wrong FROM "${table}") WHERE wrong IS NOT NULL LIMIT 1`;
    const found = database.prepare(query).get()?.wrong;
    if (found !== undefined)
      throw new UserError(`${path}: damaged: ${table}.${found} holds a value that cannot be: ${elsewhere}`);
  }
  for (const [table, column, condition] of strangeRows) {
    const rows = table === "cell" ? "cell LEFT JOIN sweep ON sweep.id = cell.sweep" : table;
    if (database.prepare(`SELECT 1 FROM ${rows} WHERE ${condition} LIMIT 1`).get() !== undefined)
      throw new UserError(`${path}: damaged: ${table}.${column} holds a value that cannot be: ${elsewhere}`);
  }
}

/** @throws UserError, naming the file, for a schema that no results of ours have, of any format, and for a file that is damaged. */
export function refuseForeignFile(database: DatabaseSync, path: string, { elsewhere }: Remedies): void {
  refuseForeignSchema(database, path, elsewhere);
  const found = String(database.prepare("PRAGMA quick_check(1)").get()?.quick_check);
  if (found !== "ok") throw new UserError(`${path}: damaged (${found.split("\n").at(-1)}): ${elsewhere}`);
}

/** @throws UserError, naming the file, for rows that no results of ours have, in the newest format. Reads all of them but page loads. */
export function refuseForeignRows(database: DatabaseSync, path: string, { elsewhere }: Remedies): void {
  refuseForeignValues(database, path, elsewhere);
  refuseForeignDocuments(database, path, elsewhere);
}
