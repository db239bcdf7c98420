// Which columns of the results hold metrics, and that a file has them: of a metric that came after the file was made (one more in
// schemas/metrics.schema.json) load_metric gets a column when the file is opened, without a migration of its own. Older
// Trilanes name the columns that they write and read, and do not mind another.
import type { DatabaseSync } from "node:sqlite";
import {
  type ComputedMetric,
  computedMetrics,
  firstMetrics,
  isFirst,
  type PageMetric,
  pageMetrics,
  type VideoMetric,
  videoMetrics,
  visualMetrics,
} from "../../../extension/capture/metric_facts.ts";

/** Of `load`. */
export const metricColumns = firstMetrics;

export type FirstMetric = (typeof firstMetrics)[number];
export type LaterMetric = Exclude<PageMetric, FirstMetric>;

export const laterMetrics = pageMetrics.filter((name): name is LaterMetric => !isFirst(name));

/** Of `load_metric`. */
export const loadMetricColumns: readonly (LaterMetric | ComputedMetric | VideoMetric)[] = [
  ...laterMetrics,
  ...computedMetrics,
  ...videoMetrics,
];

/** Of `load_metric`: the page's marks and measures, as JSON. Their names are the page's, so they are no columns. */
export const userTimingsColumn = "user_timings";

/** Of `filmed_load`. */
export const visualColumns = visualMetrics;

/** Which have a column for each metric. */
export const metricTables: readonly { readonly table: string; readonly columns: readonly string[] }[] = [
  { table: "load_metric", columns: [...loadMetricColumns, userTimingsColumn] },
  { table: "filmed_load", columns: visualColumns },
];

/** What a file of the newest format lacks. */
function lacking(database: DatabaseSync): { readonly table: string; readonly column: string }[] {
  const columnsOf = database.prepare("SELECT name FROM pragma_table_info(?)");
  return metricTables.flatMap(({ table, columns }) => {
    const there = new Set(columnsOf.all(table).map(({ name }) => String(name)));
    return columns.filter((column) => !there.has(column)).map((column) => ({ table, column }));
  });
}

export function hasMetricColumns(database: DatabaseSync): boolean {
  return lacking(database).length === 0;
}

/** In the caller's transaction. Loads that are there have no value for it. */
export function addMetricColumns(database: DatabaseSync): void {
  for (const { table, column } of lacking(database)) {
    const type = column === userTimingsColumn ? "TEXT" : "REAL";
    database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
  }
}
