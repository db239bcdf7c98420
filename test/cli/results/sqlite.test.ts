// A database of somebody else's: its schema is not trusted, and nothing opens one in another way.
import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { checkout } from "../../../cli/programs.ts";
import { openSqlite } from "../../../cli/results/sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "trilane-sqlite-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("a foreign schema calls no function of ours, and cannot be rewritten", () => {
  const path = join(folder, "foreign.db");
  const maker = new DatabaseSync(path);
  maker.function("danger", () => 1);
  maker.exec("CREATE TABLE t (a); CREATE VIEW v AS SELECT danger() AS a");
  maker.close();
  const database = openSqlite(path);
  database.function("danger", () => 1);
  assert.throws(() => database.prepare("SELECT a FROM v").get(), /unsafe use of danger/);
  assert.throws(
    () => database.exec("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ''"),
    /may not be modified/,
  );
  database.close();
});

test("nothing opens a database in another way", () => {
  const others = globSync("**/*.ts", { cwd: join(checkout, "cli") })
    .filter((path) => path !== join("results", "sqlite.ts"))
    .filter((path) => readFileSync(join(checkout, "cli", path), "utf8").includes("new DatabaseSync"));
  assert.deepEqual(others, []);
});
