// Formats before 11 had a column for each metric, in several tables, and a file gained columns when it was opened with a later Trilane.
// Before the migration to format 11, `moved_value` gets what stands in them.
import type { DatabaseSync } from "node:sqlite";

/** The tables, and which column names the load, or the cell of a filmed load. */
const wideTables = [
  { table: "load", owner: "id" },
  { table: "load_metric", owner: "load" },
  { table: "load_browser", owner: "load" },
  { table: "load_coverage", owner: "load" },
  { table: "load_disturbance", owner: "load" },
  { table: "filmed_load", owner: "cell" },
] as const;

/** Their columns that are no metrics. */
const otherColumns = new Set(
  "id load cell number block attempt position status reasons started_at filmed_at wall_ms har".split(" "),
);

/** The first films had no row of their own among the filmed loads. They come before their cells' others, which were filmed later. */
function addFirstFilms(database: DatabaseSync): void {
  const isAlone =
    "NOT EXISTS (SELECT 1 FROM filmed_load WHERE filmed_load.cell = film.cell AND filmed_load.filmed_at = film.filmed_at)";
  // By way of numbers below 0: no two rows of a cell have one number meanwhile.
  database.exec(`
    UPDATE filmed_load SET number = -1 - number WHERE cell IN (SELECT cell FROM film WHERE ${isAlone});
    INSERT INTO filmed_load (cell, number, status, reasons, plt_ms, filmed_at)
      SELECT cell, 0, status, reasons, plt_ms, filmed_at FROM film WHERE ${isAlone};
    UPDATE filmed_load SET number = -number WHERE number < 0`);
}

/** In the migration's transaction. `number`: of a filmed load; null: of a load. */
export function moveMetricColumns(database: DatabaseSync): void {
  addFirstFilms(database);
  database.exec("CREATE TABLE moved_value (owner INTEGER, number INTEGER, metric TEXT, value)");
  for (const { table, owner } of wideTables) {
    const number = table === "filmed_load" ? "number" : "NULL";
    for (const { name } of database.prepare("SELECT name FROM pragma_table_info(?)").all(table))
      if (!otherColumns.has(String(name)))
        database.exec(`INSERT INTO moved_value
          SELECT ${owner}, ${number}, '${name}', "${name}" FROM ${table} WHERE "${name}" IS NOT NULL`);
  }
}
