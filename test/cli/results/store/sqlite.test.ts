// A database of somebody else's: its schema is not trusted, and nothing opens one in another way.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  globSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { checkout } from "../../../../cli/base/programs.ts";
import { namesSuperJournal, openSqlite } from "../../../../cli/results/store/sqlite.ts";
import { tempFolder } from "../../../temp_folder.ts";

const folder = tempFolder("trilane-sqlite-");

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

/** A database that was killed within a transaction: its journal is to be played back. */
function makeHot(path: string): void {
  const maker = new DatabaseSync(path);
  maker.exec("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(9000)); PRAGMA cache_size = 1; BEGIN");
  maker.exec("UPDATE t SET a = randomblob(200000)");
  // The size of the database before: what is in the file already is to go.
  copyFileSync(path, `${path}.copy`);
  copyFileSync(`${path}-journal`, `${path}.copy-journal`);
  maker.close();
  for (const end of ["", "-journal"]) copyFileSync(`${path}.copy${end}`, `${path}${end}`);
}

/** As pager.c writes it: page, name, its length, its sum, the mark. */
function nameSuperJournal(journal: string, name: string): void {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(Buffer.byteLength(name));
  sum.writeUInt32BE(Buffer.from(name).reduce((all, byte) => all + byte, 0));
  appendFileSync(journal, Buffer.concat([Buffer.alloc(4), Buffer.from(name), length, sum]));
  appendFileSync(journal, Buffer.from("d9d505f920a163d7", "hex"));
}

test("a journal is played back, but not one that would have another file deleted", () => {
  const path = join(folder, "hot.db");
  const victim = join(folder, "victim");
  writeFileSync(victim, "precious");
  makeHot(path);
  const database = openSqlite(path);
  assert.equal(database.prepare("SELECT length(a) AS length FROM t").get()?.length, 9000);
  database.close();
  assert.ok(!existsSync(`${path}-journal`), "it was played back");

  rmSync(path);
  makeHot(path);
  nameSuperJournal(`${path}-journal`, victim);
  const link = join(folder, "link.db");
  symlinkSync(path, link);
  for (const each of [path, pathToFileURL(path), link])
    assert.throws(
      () => openSqlite(each).prepare("SELECT * FROM t").get(),
      (error: Error) =>
        error.message === `${path}-journal: would have another file deleted: move it and its database away`,
    );
  assert.equal(readFileSync(victim, "utf8"), "precious");
});

test("a journal that is a pipe, or short, is SQLite's to judge", () => {
  const path = join(folder, "pipe.db");
  execFileSync("mkfifo", [`${path}-journal`]);
  assert.equal(namesSuperJournal(`${path}-journal`), false);
  writeFileSync(join(folder, "short-journal"), "x");
  assert.equal(namesSuperJournal(join(folder, "short-journal")), false);
});

test("nothing opens a database in another way", () => {
  const others = globSync("**/*.ts", { cwd: join(checkout, "cli") })
    .filter((path) => path !== join("results", "store", "sqlite.ts"))
    .filter((path) => readFileSync(join(checkout, "cli", path), "utf8").includes("new DatabaseSync"));
  assert.deepEqual(others, []);
});

test("no C program opens an archive without hardening the connection", () => {
  const counts = globSync("**/*.c", { cwd: join(checkout, "native-host") }).flatMap((path) => {
    const text = readFileSync(join(checkout, "native-host", path), "utf8");
    const [opened, hardened] = [/sqlite3_open/g, /archive_db_harden\(\w+\);/g].map(
      (each) => text.match(each)?.length ?? 0,
    );
    return opened ? [{ path, opened, hardened }] : [];
  });
  assert.ok(counts.length > 0);
  for (const { path, opened, hardened } of counts) assert.equal(hardened, opened, path);
});
