// A metric of schemas/metrics.schema.json is everywhere: what it is called, CSV, the results.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { columns } from "../../../../cli/results/export/csv.ts";
import { loadMetrics } from "../../../../cli/results/export/metric_words.ts";
import { pageMetrics } from "../../../../extension/capture/metric_facts.ts";

test("every metric of the schema has its words, a CSV column and a column of the results", () => {
  const schemas = join(import.meta.dirname, "..", "..", "..", "..", "schemas");
  const { properties } = JSON.parse(readFileSync(join(schemas, "metrics.schema.json"), "utf8")) as {
    readonly properties: Readonly<Record<string, object>>;
  };
  const sql = readFileSync(join(schemas, "results.sql"), "utf8");
  const names = Object.keys(properties).filter((name) => name !== "unavailable");
  assert.deepEqual([...pageMetrics], names);
  for (const name of names) {
    assert.ok(name in loadMetrics, name);
    assert.equal(columns.filter((column) => column.name === name).length, 1, name);
    assert.match(sql, new RegExp(`^  ${name} REAL`, "m"));
  }
});
