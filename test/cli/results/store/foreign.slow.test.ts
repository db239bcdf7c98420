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
import { checkedColumns } from "../../../../cli/results/store/foreign_documents.ts";
import { openExistingShard, openResults, openResultsFile } from "../../../../cli/results/store/results.ts";
import { examplesOf } from "../../../schemas/mutations.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { testedLink } from "../../load/selftest/tested.ts";
import { refusedIn } from "../../refused.ts";
import { storeFixture } from "../../report/fixture.ts";
import { raceFixture } from "../../report/fixtures.ts";
import { resultsFixtures, writeFixture } from "./results_fixtures.ts";

const folder = tempFolder("trilane-foreign-");
const good = resultsPath(folder);
const first = (name: string): string => JSON.stringify(examplesOf(name).values().next().value);
const profile = `(SELECT link_profile FROM cell LIMIT 1)`;

/** A cell of a sweep of another kind, and what its one attempt left. */
const others = [
  ["flows", `'tcp', 'h3', '{}'`, ["flow-result"]],
  ["fetches", `'https://a.example/', 'h2', '{"tls":"1.3","ip":4}'`, ["fetch-record", "fetch-cost"]],
  ["commands", `'curl', NULL, '{}'`, ["command-record"]],
] as const;

before(() => {
  storeFixture(folder, raceFixture);
  const results = openResults(folder);
  results.recordLinkTest(1, "a machine", testedLink("3mbit/50ms"));
  results.recordTrial("aaaa", { moment_ms: 0, outside: [] });
  const [cell = { id: 0 }] = results.cellsOf(1);
  results.recordFilm({ cell: cell.id, status: "valid", reasons: [], plt_ms: 1, frames: [], visual: null });
  const facts = { kernel: "6", architecture: "x64", cpu: "a", cpus: 2, memory_bytes: 1, versions: {} };
  results.recordHost(1, { name: "one", facts, cells: [] });
  using database = new DatabaseSync(good);
  for (const [kind, cell, documents] of others) {
    const plan = first(kind === "flows" ? "flow-plan" : kind === "fetches" ? "fetch-plan" : "command-plan");
    const sweep = database
      .prepare(
        `INSERT INTO sweep (name, plan, plan_digest, created_at, seed, command, environment, kind)
         VALUES ('other', ?, '', '2026-01-01T00:00:00.000Z', 1, '[]', '{}', ?) RETURNING id`,
      )
      .get(plan, kind)?.id;
    database.exec(`INSERT INTO cell (sweep, subject, lane, factors, link, link_profile)
      VALUES (${sweep}, ${cell}, '3mbit/50ms', ${profile})`);
    database.exec(`INSERT INTO attempt (cell, block, attempt, position, status, reasons, started_at, wall_ms)
      SELECT max(id), 0, 0, 0, 'valid', '[]', '2026-01-01T00:00:00.000Z', 1 FROM cell`);
    const insert = database.prepare("INSERT INTO document (attempt, name, content) SELECT max(id), ?, ? FROM attempt");
    for (const name of documents) insert.run(name, first(name));
  }
  const [load] = results.loadsOf(1);
  const unmatched = { place: 0, method: "GET", url: "https://a.example/", outcome: "missed" };
  const nothing = { recorded_url: null, difference: null, likeness: null };
  database
    .prepare("INSERT INTO document (attempt, name, content) VALUES (?, 'unmatched', ?)")
    .run(load?.id ?? 0, JSON.stringify([{ ...unmatched, ...nothing }]));
  database
    .prepare("INSERT INTO observation (attempt, metric, text) VALUES (?, 'user_timings', ?)")
    .run(load?.id ?? 0, '{"mark:a":1}');
  results.close();
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
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
      "DROP INDEX cell_place; CREATE INDEX cell_place ON cell (length(hex(subject)))",
      /^has an index "cell_place"/,
    ],
    "a check that computes": [
      `DROP TABLE recording_trial; CREATE TABLE recording_trial (recording_digest TEXT PRIMARY KEY, moment TEXT CHECK (length(hex(zeroblob(500000000))) > 0))`,
      /^has a table "recording_trial"/,
    ],
    "what a comment hides": [
      `DROP TABLE recording_trial; CREATE TABLE recording_trial (recording_digest TEXT PRIMARY KEY, moment TEXT DEFAULT '--' /*
      */)`,
      /^has a table "recording_trial"/,
    ],
    "a page that two tables share": [
      "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'cell') WHERE name = 'host'",
      /^damaged \(/,
    ],
    "tables that are missing": [
      "DROP TABLE observation; DROP TABLE document; DROP TABLE attempt",
      /^damaged \(no such table/,
    ],
  };
  for (const [name, [change, expected]] of Object.entries(cases))
    test(name, () => {
      assert.match(refusal(changed(change)), expected);
    });
});

const jsonPlaces = new Set(
  checkedColumns.filter(({ isWord = false }) => !isWord).map(({ table, column }) => `${table}.${column}`),
);

test("the schema's JSON columns are all looked at", () => {
  const tables = readFileSync(join(checkout, "schemas", "results.sql"), "utf8")
    .split("CREATE TABLE ")
    .slice(1);
  const said = tables.flatMap((text) => {
    const [table] = /^\w+/.exec(text) ?? [];
    return [...text.matchAll(/^ {2}(\w+) (?:TEXT|BLOB)\b.*-- JSON/gm)].map(([, column]) => `${table}.${column}`);
  });
  // Who runs a sweep is nothing to readers of a file. Of the texts among observations one is JSON.
  const looked = [...said.filter((place) => place !== "sweep.owner"), "observation.text"];
  assert.deepEqual(looked.toSorted(), [...jsonPlaces].toSorted());
});

test("each JSON column of a wrong kind is one line that names it", () => {
  const wrongs = ["{", "null", "1", "[1]", "[".repeat(5000)];
  const documents = [...others.flatMap(([, , names]) => names), "unmatched"];
  for (const place of jsonPlaces) {
    const [table, column] = place.split(".");
    const wheres =
      place === "document.content"
        ? documents.map((name) => `WHERE name = '${name}'`)
        : [place === "observation.text" ? "WHERE metric = 'user_timings'" : ""];
    for (const where of wheres)
      for (const wrong of wrongs) {
        const value = `CAST(X'${Buffer.from(wrong).toString("hex")}' AS TEXT)`;
        const path = changed(`UPDATE ${table} SET ${column} = ${value} ${where}`);
        assert.match(refusal(path), new RegExp(`^damaged: ${place}: `), `${place} ${where} ${wrong.slice(0, 20)}`);
        rmSync(path);
      }
  }
});

test("a JSON document has no number that sums could not hold", () => {
  for (const number of ["1e400", "1e300"]) {
    const text = `replace(content, '"run_ms":', '"run_ms":${number},"run_ms_":')`;
    const change = `UPDATE document SET content = ${text} WHERE name = 'flow-result'`;
    assert.match(refusal(changed(change)), /^damaged: document\.content: has a number beyond all bounds/);
  }
});

test("each other column holds what its type says, in range", () => {
  const wrongs = {
    "observation.value": ["'fast'", "9e999", "-1", "1e12", "X'00'"],
    "observation.text": ["X'00'"],
    "attempt.block": ["9223372036854775807", "-1", "'x'", "1.5"],
    "attempt.wall_ms": ["1e12", "NULL"],
    "document.content": ["'text'", "1"],
    "attempt.status": ["X'00'", "'other'"],
    "attempt.started_at": ["'yesterday'", "'2026-13-45T99:00:00.000Z'", "''"],
    "sweep.name": ["CAST(zeroblob(17000000) AS TEXT)", "X'00'"],
    "sweep.kind": ["'views'"],
    "sweep.seed": ["-9223372036854775808"],
    "cell.lane": ["'h9'", "'__proto__'", "NULL"],
    "cell.link": ["NULL"],
    "cell.recording_digest": ["NULL"],
  };
  for (const [place, values] of Object.entries(wrongs))
    for (const value of values) {
      const [table, column] = place.split(".");
      const row = table === "observation" ? "metric = 'plt_ms'" : "id = 1";
      assert.match(refusal(changed(`UPDATE ${table} SET ${column} = ${value} WHERE ${row}`)), /^damaged/, place);
    }
});

test("an observation is a number, but for texts of a few names, and never both", () => {
  const wrongs = [
    ["text = 'fast', value = NULL", "plt_ms"],
    ["text = 'x', value = NULL", "bytes"],
    ["text = '1'", "plt_ms"],
    ["value = NULL", "plt_ms"],
    ["value = 1, text = NULL", "user_timings"],
    ["value = 1", "user_timings"],
    ["value = 1, text = NULL", "browser_version"],
  ] as const;
  for (const [change, metric] of wrongs)
    assert.match(
      refusal(changed(`UPDATE observation SET ${change} WHERE metric = '${metric}'`)),
      /^damaged: observation\.(?:value|text) holds/,
      change,
    );
});

test("a page's cell has a recording, another may", () => {
  const change = (value: string, kind: string): string =>
    changed(`UPDATE cell SET recording_digest = ${value} WHERE sweep IN (SELECT id FROM sweep WHERE kind = '${kind}')`);
  assert.match(refusal(change("NULL", "pages")), /^damaged: cell\.recording_digest holds/);
  for (const kind of ["flows", "fetches", "commands"]) openResultsFile(change("'aaaa'", kind)).close();
});

test("a fetch has a version of TLS and one of IP", () => {
  const factors = ["1.1", "1.3", "1.3", 1.3].map((tls, place) => JSON.stringify({ tls, ip: [4, 5, "4", 4][place] }));
  for (const each of [...factors, "{}"])
    assert.match(
      refusal(changed(`UPDATE cell SET factors = '${each}' WHERE lane = 'h2' AND factors <> '{}'`)),
      /^damaged: cell\.factors: /,
    );
});

test("a page load is bounded and held to its schema as it is read", () => {
  const texts = ["", "[]", "null", '{"log": 1}', "[".repeat(3000), '{"log": {"_trilane": {"environment": null}}}'];
  const blobs = [...texts.map((text) => gzipSync(text)), Buffer.from("none"), gzipSync(Buffer.alloc(70e6, "["))];
  for (const blob of blobs) {
    const results = openResultsFile(
      changed(`UPDATE document SET content = X'${blob.toString("hex")}' WHERE name = 'page-load'`),
    );
    assert.throws(() => results.harOf(1), refusedIn(/load 1: its page load/));
    results.close();
  }
});
