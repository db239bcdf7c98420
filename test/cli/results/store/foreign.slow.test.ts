// The gate for databases of somebody else's: nothing of their schema runs, each JSON column and number that cannot be is one line that
// names file and column, a page load is held to its schema as it is read, and files that we made ourselves pass.
// Wide: cli/results/store, schemas.
import assert from "node:assert/strict";
import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { UserError } from "../../../../cli/base/errors.ts";
import { checkout } from "../../../../cli/base/programs.ts";
import { resultsPath } from "../../../../cli/results/store/database.ts";
import { jsonColumns } from "../../../../cli/results/store/foreign_documents.ts";
import { userTimingsColumn } from "../../../../cli/results/store/metric_columns.ts";
import { openExistingShard, openResults, openResultsFile } from "../../../../cli/results/store/results.ts";
import { examplesOf } from "../../../schemas/mutations.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { testedLink } from "../../load/selftest/tested.ts";
import { storeFixture } from "../../report/fixture.ts";
import { raceFixture } from "../../report/fixtures.ts";
import { resultsFixtures, writeFixture } from "./results_fixtures.ts";

const folder = tempFolder("trilane-foreign-");
const good = resultsPath(folder);
const first = (name: string): string => JSON.stringify(examplesOf(name).values().next().value);
const profile = `(SELECT link_profile FROM cell LIMIT 1)`;
const attempt = "0, 0, 0, 'valid', '[]', '2026-01-01T00:00:00.000Z', 1";

before(() => {
  storeFixture(folder, raceFixture);
  const results = openResults(folder);
  results.recordLinkTest(1, "a machine", testedLink("3mbit/50ms"));
  results.recordTrial("aaaa", { moment_ms: 0, outside: [] });
  const [cell = { id: 0 }] = results.cellsOf(1);
  results.recordFilm({ cell: cell.id, status: "valid", reasons: [], plt_ms: 1, frames: [], visual: null });
  const facts = { kernel: "6", architecture: "x64", cpu: "a", cpus: 2, memory_bytes: 1, versions: {} };
  results.recordHost(1, { name: "one", facts, cells: [] });
  results.close();
  const database = new DatabaseSync(good);
  database.exec(`INSERT INTO flow_cell VALUES (1, 1, 'tcp', '3mbit/50ms', ${profile}, 'h3')`);
  database.prepare(`INSERT INTO flow_run VALUES (1, 1, ${attempt}, ?, NULL, NULL)`).run(first("flow-result"));
  database.exec(`INSERT INTO fetch_cell VALUES (1, 1, 'https://a.example/', 'h2', '1.3', 4, '3mbit/50ms', ${profile})`);
  database.prepare(`INSERT INTO fetch VALUES (1, 1, ${attempt}, ?, ?)`).run(first("fetch-record"), first("fetch-cost"));
  database.exec(`INSERT INTO measured_cell VALUES (1, 1, 'curl', '3mbit/50ms', ${profile})`);
  database.prepare(`INSERT INTO measured_run VALUES (1, 1, ${attempt}, ?)`).run(first("command-record"));
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
});

let made = 0;

/** A copy that `change` was done to. */
function changed(change: string): string {
  const path = join(folder, `${++made}.db`);
  copyFileSync(good, path);
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false, defensive: false } as object);
  database.exec(`PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON; ${change}`);
  database.close();
  return path;
}

/** The one line with which it is refused. */
function refusal(path: string): string {
  for (const open of [openResultsFile, openExistingShard])
    assert.throws(() => open(path)?.close(), UserError, open.name);
  try {
    openResultsFile(path);
  } catch (error) {
    const { message } = error as Error;
    assert.ok(message.startsWith(`${path}: `) && !message.includes("\n"), message);
    return message.slice(path.length + 2);
  }
  return "";
}

test("results of every format that we made pass", () => {
  openResultsFile(good).close();
  for (const fixture of resultsFixtures) {
    const path = join(folder, `format-${fixture.name}.db`);
    writeFixture(path, fixture);
    openResultsFile(path).close();
  }
});

const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT";

describe("nothing of a stranger's schema runs", () => {
  const cases: Readonly<Record<string, readonly [string, RegExp]>> = {
    "a view in a table's place": [
      `ALTER TABLE sweep RENAME TO other; CREATE VIEW sweep AS ${endless} i AS id, '' AS name FROM n`,
      /^has a (?:table "other"|view "sweep") that no results of Trilane have/,
    ],
    "a further view": [`CREATE VIEW v AS ${endless} i FROM n`, /^has a view "v"/],
    "a trigger": [`CREATE TRIGGER t AFTER INSERT ON sweep BEGIN SELECT 1; END`, /^has a trigger "t"/],
    "a virtual table": ["CREATE VIRTUAL TABLE f USING fts5(a)", /^has a table "f/],
    "a table of their own": ["CREATE TABLE mine (a)", /^has a table "mine"/],
    "a column that is computed": [
      "ALTER TABLE host ADD COLUMN big AS (length(hex(zeroblob(500000000))))",
      /^has a table "host"/,
    ],
    "an index over a function": ["CREATE INDEX i ON sweep (length(hex(name)))", /^has an index "i"/],
    "another index of our name": [
      "DROP INDEX cell_place; CREATE INDEX cell_place ON cell (length(hex(page)))",
      /^has an index "cell_place"/,
    ],
    "a check that computes": [
      `DROP TABLE cell_pinning; CREATE TABLE cell_pinning (cell INTEGER PRIMARY KEY REFERENCES cell (id) ON DELETE CASCADE, moment TEXT CHECK (length(hex(zeroblob(500000000))) > 0))`,
      /^has a table "cell_pinning"/,
    ],
    "what a comment hides": [
      `DROP TABLE cell_pinning; CREATE TABLE cell_pinning (cell INTEGER PRIMARY KEY REFERENCES cell (id) ON DELETE CASCADE, moment TEXT DEFAULT '--' /*
      */)`,
      /^has a table "cell_pinning"/,
    ],
    "a page that two tables share": [
      "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'cell') WHERE name = 'host'",
      /^damaged \(/,
    ],
    "tables that are missing": ["DROP TABLE load_metric; DROP TABLE load", /^damaged \(no such table/],
  };
  for (const [name, [change, expected]] of Object.entries(cases))
    test(name, () => {
      assert.match(refusal(changed(change)), expected);
    });
});

const checked = Object.entries(jsonColumns).flatMap(([table, columns]) =>
  Object.keys(columns).map((column) => `${table}.${column}`),
);

test("the schema's JSON columns are all looked at", () => {
  const tables = readFileSync(join(checkout, "schemas", "results.sql"), "utf8")
    .split("CREATE TABLE ")
    .slice(1);
  const said = tables.flatMap((text) => {
    const [table] = /^\w+/.exec(text) ?? [];
    return [...text.matchAll(/^ {2}(\w+) TEXT\b.*-- JSON/gm)].map(([, column]) => `${table}.${column}`);
  });
  // Who runs a sweep is nothing to readers of a file. Columns of metrics are added when a file is opened.
  const looked = [...said.filter((place) => place !== "sweep.owner"), `load_metric.${userTimingsColumn}`];
  assert.deepEqual(looked.toSorted(), checked.toSorted());
});

test("each JSON column of a wrong kind is one line that names it", () => {
  const wrongs = ["{", "null", "1", "[1]", "[".repeat(5000)];
  for (const place of checked) {
    const [table, column] = place.split(".");
    for (const wrong of wrongs) {
      const path = changed(`UPDATE ${table} SET ${column} = CAST(X'${Buffer.from(wrong).toString("hex")}' AS TEXT)`);
      assert.match(refusal(path), new RegExp(`^damaged: ${place}: `), `${place} ${wrong.slice(0, 20)}`);
      rmSync(path);
    }
  }
});

test("a JSON document has no number that sums could not hold", () => {
  for (const number of ["1e400", "1e300"]) {
    const change = `UPDATE flow_run SET result = replace(result, '"run_ms":', '"run_ms":${number},"run_ms_":')`;
    assert.match(refusal(changed(change)), /^damaged: flow_run\.result: has a number beyond all bounds/);
  }
});

test("each other column holds what its type says, in range", () => {
  const wrongs = {
    "load.plt_ms": ["'fast'", "9e999", "-1", "1e12", "X'00'"],
    "load.bytes": ["9223372036854775807", "-1", "'x'", "1.5"],
    "load.har": ["'text'", "1"],
    "load.status": ["X'00'", "'other'"],
    "load.started_at": ["'yesterday'", "'2026-13-45T99:00:00.000Z'", "''"],
    "sweep.name": ["CAST(zeroblob(17000000) AS TEXT)", "X'00'"],
    "sweep.kind": ["'views'"],
    "sweep.seed": ["-9223372036854775808"],
    "cell.lane": ["'h9'", "'__proto__'"],
    "fetch_cell.ip": ["5"],
  };
  for (const [place, values] of Object.entries(wrongs))
    for (const value of values) {
      const [table, column] = place.split(".");
      assert.match(refusal(changed(`UPDATE ${table} SET ${column} = ${value} WHERE rowid = 1`)), /^damaged/, place);
    }
});

test("a page load is bounded and held to its schema as it is read", () => {
  const texts = ["", "[]", "null", '{"log": 1}', "[".repeat(3000), '{"log": {"_trilane": {"environment": null}}}'];
  const blobs = [...texts.map((text) => gzipSync(text)), Buffer.from("none"), gzipSync(Buffer.alloc(70e6, "["))];
  for (const blob of blobs) {
    const results = openResultsFile(changed(`UPDATE load SET har = X'${blob.toString("hex")}'`));
    assert.throws(
      () => results.harOf(1),
      (error: Error) => error instanceof UserError && /load 1: its page load/.test(error.message),
    );
    results.close();
  }
});
