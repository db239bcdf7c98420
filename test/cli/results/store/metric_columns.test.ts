// cli/results/store/metric_columns: files get a column for each metric that the registry has, whenever they were made.
import assert from "node:assert/strict";
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import {
  addMetricColumns,
  hasMetricColumns,
  loadMetricColumns,
  metricColumns,
  visualColumns,
} from "../../../../cli/results/store/metric_columns.ts";
import { openExistingResults, openResults, openResultsFile } from "../../../../cli/results/store/results.ts";
import { storeFixture, withHome } from "../../report/fixture.ts";
import { raceFixture } from "../../report/fixtures.ts";

const columnsOf = (path: string, table: string): string[] => {
  const database = new DatabaseSync(path, { readOnly: true });
  const names = database.prepare("SELECT name FROM pragma_table_info(?)").all(table);
  database.close();
  return names.map(({ name }) => String(name));
};

/** As of a Trilane that did not know the last metric. */
function forget(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(
    "ALTER TABLE load_metric DROP COLUMN tbt_ms; ALTER TABLE filmed_load DROP COLUMN visually_complete_100_ms",
  );
  assert.equal(hasMetricColumns(database), false);
  database.close();
}

test("a new file has a column for each metric", async () => {
  await withHome((home) => {
    openResults(home).close();
    const path = join(home, "results.db");
    const expected = { load: metricColumns, load_metric: loadMetricColumns, filmed_load: visualColumns };
    for (const [table, names] of Object.entries(expected)) {
      const there = columnsOf(path, table);
      assert.deepEqual(
        names.filter((name) => !there.includes(name)),
        [],
        table,
      );
    }
  });
});

test("a file of before a metric gets its column when it is opened, keeps its loads, and is kept beside as it was", async () => {
  await withHome((home) => {
    const sweep = storeFixture(home, raceFixture);
    const path = join(home, "results.db");
    const read = () => {
      const results = openExistingResults(home);
      assert.ok(results);
      const loads = results.loadsOf(sweep);
      results.close();
      return loads;
    };
    const before = read();
    forget(path);
    assert.deepEqual(
      read(),
      before.map((load) => ({ ...load, tbt_ms: null })),
    );
    assert.ok(columnsOf(path, "load_metric").includes("tbt_ms"));
    assert.deepEqual(readdirSync(home).filter((name) => name.endsWith("-backup")).length, 1);
    const again = new DatabaseSync(path);
    addMetricColumns(again);
    assert.equal(hasMetricColumns(again), true);
    again.close();
  });
});

test("one that may only be read is read without the column", async () => {
  await withHome((home) => {
    const sweep = storeFixture(home, raceFixture);
    const path = join(home, "results.db");
    forget(path);
    chmodSync(path, 0o400);
    chmodSync(home, 0o500);
    try {
      const results = openResultsFile(path);
      const loads = results.loadsOf(sweep);
      assert.ok(loads.length > 0 && loads.every(({ tbt_ms }) => tbt_ms === null));
      results.close();
      // Root may write what nobody may.
      if (process.getuid?.() !== 0) assert.ok(!columnsOf(path, "load_metric").includes("tbt_ms"));
    } finally {
      chmodSync(home, 0o700);
    }
  });
});
