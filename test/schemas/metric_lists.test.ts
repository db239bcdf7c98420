// A page's metrics stand in schemas/metrics.schema.json; results and exports have a place for each.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import exported from "../../schemas/export.schema.json" with { type: "json" };
import metrics from "../../schemas/metrics.schema.json" with { type: "json" };

const names = Object.keys(metrics.properties).filter((name) => name !== "unavailable");

test("results.sql has a column for each metric of a page", () => {
  const database = new DatabaseSync(":memory:");
  database.exec(readFileSync(join(import.meta.dirname, "..", "..", "schemas", "results.sql"), "utf8"));
  const columns = database
    .prepare("SELECT name FROM pragma_table_info('load') UNION SELECT name FROM pragma_table_info('load_metric')")
    .all()
    .map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !columns.includes(name)),
    [],
  );
});

test("a load's row in an export has each metric of a page", () => {
  const row = Object.values(exported.definitions).find(
    (each) => "properties" in each && "wall_ms" in each.properties && "plt_ms" in each.properties,
  );
  assert.ok(row && "properties" in row);
  const members = Object.keys(row.properties);
  assert.deepEqual(
    names.filter((name) => !members.includes(name)),
    [],
  );
});
