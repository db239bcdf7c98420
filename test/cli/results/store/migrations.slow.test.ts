// cli/results/store/migrations: results of every format that ever was are read and gone on with, after a copy was kept; whatever
// stops a migration, the file is as it was.
// Wide: cli/results/store, schemas.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { thisProcess } from "../../../../cli/base/process_owner.ts";
import { parseLink } from "../../../../cli/link/link.ts";
import { writeMerged } from "../../../../cli/results/store/merge_file.ts";
import { formatVersion, versionOf } from "../../../../cli/results/store/migrations.ts";
import {
  openExistingResults,
  openResults,
  openResultsFile,
  type Results,
} from "../../../../cli/results/store/results.ts";
import { planOf } from "../../../../cli/sweep/plan/plan.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { testedLink } from "../../load/selftest/tested.ts";
import { pageLoad } from "../../sweep/page_load.ts";
import { type ResultsFixture, resultsFixtures, writeFixture } from "./results_fixtures.ts";

const link_profile = parseLink("3mbit/50ms");
const newest = resultsFixtures.at(-1) as ResultsFixture;
/** What a file of the newest earlier format is kept as. */
const kept = `results.db.v${newest.format}-backup`;
const resultsModule = join(import.meta.dirname, "..", "..", "..", "..", "cli", "results", "store", "results.ts");

/** Name and text of tables and indices, without what says nothing. */
function schemaOf(path: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").all();
  database.close();
  return rows
    .map(
      ({ name, sql }) =>
        `${name}: ${String(sql)
          .replaceAll(/--.*$/gm, "")
          .replaceAll(/\s+|IF NOT EXISTS|"/g, "")}`,
    )
    .toSorted();
}

function formatOf(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return versionOf(database);
  } finally {
    database.close();
  }
}

function isWhole(path: string): boolean {
  const database = new DatabaseSync(path);
  try {
    return database.prepare("PRAGMA integrity_check").get()?.integrity_check === "ok";
  } finally {
    database.close();
  }
}

function newLoad(cell: number, block: number) {
  const load = pageLoad({ page: "page", recording_digest: "aaaa", lane: "h1", link: link_profile });
  return { cell, block, attempt: 0, position: 0, started_at: "2026-01-01T00:00:00.000Z", load };
}

/** What every fixture holds. */
function readAll(results: Results, { sql }: ResultsFixture): void {
  assert.deepEqual(
    results.listSweeps().map(({ id, finished_at }) => [id, finished_at !== null]),
    [
      [2, false],
      [1, true],
    ],
  );
  const cells = results.cellsOf(1);
  assert.deepEqual(
    cells.map(({ page, lane, link_profile }) => [page, lane, link_profile.rtt_ms]),
    [
      ["page", "h1", 50],
      ["page", "h3", 50],
    ],
  );
  const loads = results.loadsOf(1);
  assert.deepEqual(
    loads.map(({ status, reasons, plt_ms, cls }) => [status, reasons, plt_ms, cls]),
    [
      ["invalid", ["timed out"], 700, null],
      ["valid", [], 700, null],
    ],
  );
  for (const { id } of loads) assert.equal(results.harOf(id).log._trilane.page, "page");
  const has = (table: string): boolean => sql.includes(`INSERT INTO ${table} `);
  assert.equal(loads[1]?.browser_version, has("load_browser") ? "156" : null);
  assert.equal(results.linkTestsOf(1).length, has("link_test") ? 1 : 0);
  assert.equal(results.unmatchedOf(1).length, has("unmatched") ? 1 : 0);
  assert.equal(results.filmsOf(1)[0]?.frames.length, has("film") ? 1 : undefined);
  const films = sql.match(/INSERT INTO filmed_load /g)?.length ?? (has("film") ? 1 : 0);
  assert.equal(results.filmedLoadsOf(1).length, films);
  const [host] = results.hostsOf(1);
  assert.equal(host?.name, has("host") ? "one" : undefined);
  const finished = sql.includes("INSERT INTO cell_host VALUES (1, 1, 1, '") ? "2026-01-01T00:02:00.000Z" : null;
  assert.equal(host?.cells[0]?.finished_at, has("host") ? finished : undefined);
}

function goOn(results: Results): number {
  const plan = planOf({ name: "test", pages: ["page"], lanes: ["h1"], links: ["3mbit/50ms"], repetitions: 1 }, "test");
  const cells = [{ page: "page", recording_digest: "aaaa", lane: "h1", link: "3mbit/50ms", link_profile }] as const;
  const asked = { name: "test", plan, plan_digest: "later", seed: 1, command: [], environment: { node: "24" }, cells };
  const { sweep } = results.beginSweep(asked, false);
  results.recordLoad(newLoad(results.cellsOf(sweep.id)[0]?.id ?? 0, 0));
  results.recordLinkTest(sweep.id, "a machine", testedLink("3mbit/50ms"));
  results.finishSweep(sweep.id);
  assert.equal(results.loadsOf(sweep.id).length, 1);
  return sweep.id;
}

/** Runs `body` in a process of its own with `home` and the results' functions at hand. */
function script(body: string, home: string, wrapper: readonly string[] = []): [string, string[]] {
  const text = `const { openResults, openExistingResults } = await import(${JSON.stringify(resultsModule)});
    const home = process.argv[1];\n${body}`;
  const [program, ...words] = [...wrapper, process.execPath, "--input-type=module", "-e", text, home];
  return [program as string, words];
}

const mounted = (mount: string, folder: string): string[] => [
  "unshare",
  "--user",
  "--map-root-user",
  "--mount",
  "sh",
  "-c",
  `${mount} && exec "$@"`,
  folder,
];

describe("migrations of results", () => {
  let home: string;
  let path: string;
  beforeEach(() => {
    home = tempFolder("trilane-migrations-");
    path = join(home, "results.db");
  });

  const backups = (): string[] => readdirSync(home).filter((name) => name.includes("backup"));

  for (const fixture of resultsFixtures) {
    test(`format ${fixture.name} becomes what new results are, is read and gone on with; the copy is as it was`, () => {
      writeFixture(path, fixture);
      const before = schemaOf(path);
      const results = openResults(home);
      readAll(results, fixture);
      assert.deepEqual(backups(), [`results.db.v${fixture.format}-backup`]);
      openResults(join(home, "new")).close();
      assert.deepEqual(schemaOf(path), schemaOf(join(home, "new", "results.db")));
      // Sweep 3 was removed; the first results forgot that. The newest fixtures have one of flows and one of fetches after it.
      const after = 4 + ["'flows')", "'fetches')", "'commands')"].filter((kind) => fixture.sql.includes(kind)).length;
      assert.equal(goOn(results), fixture.sql.includes("AUTOINCREMENT") ? after : 3);
      results.close();
      assert.equal(formatOf(path), formatVersion);
      const copy = join(home, `results.db.v${fixture.format}-backup`);
      assert.equal(formatOf(copy), fixture.format);
      assert.deepEqual(schemaOf(copy), before);
      // Put back, it is migrated again. A copy of other content stays beside the first, one of the same is not made.
      renameSync(copy, path);
      const again = openExistingResults(home);
      assert.ok(again);
      readAll(again, fixture);
      again.close();
      writeFileSync(`${path}.v${fixture.format}-backup.part`, "left by a process that was killed");
      const migrateAgain = (change: string): void => {
        writeFixture(join(home, "other.db"), fixture, change);
        renameSync(join(home, "other.db"), path);
        openResults(home).close();
      };
      for (const change of ["UPDATE sweep SET seed = seed + 1", "UPDATE sweep SET seed = seed + 1"])
        migrateAgain(change);
      assert.deepEqual(
        backups(),
        ["", "-2"].map((end) => `results.db.v${fixture.format}-backup${end}`),
      );
      assert.ok(isWhole(path));
    });
  }

  for (const [status, films] of [
    [
      "valid",
      [
        ["valid", 700],
        ["valid", 900],
      ],
    ],
    [
      "invalid",
      [
        ["valid", 700],
        ["invalid", 900],
      ],
    ],
  ] as const)
    test(`a film from before filmed loads had rows comes before its cell's later ${status} one, and has its frames`, () => {
      writeFixture(
        path,
        newest,
        `UPDATE filmed_load SET status = '${status}', plt_ms = 900, filmed_at = '2026-02-02T00:00:00.000Z' WHERE cell = 1`,
      );
      using results = openResults(home);
      const filmed = results.filmedLoadsOf(1).filter(({ cell }) => cell === 1);
      assert.deepEqual(
        filmed.map(({ number, status, plt_ms, speed_index_ms }) => [number, status, plt_ms, speed_index_ms]),
        films.map(([status, plt_ms], number) => [number, status, plt_ms, number === 0 ? null : 650]),
      );
      const [film] = results.filmsOf(1);
      assert.deepEqual([film?.plt_ms, film?.frames.map(({ time_ms }) => time_ms)], [700, [40]]);
    });

  test("a file that was migrated is no larger than its copy", () => {
    const zeros = "UPDATE load SET har = zeroblob(3000000)";
    writeFixture(path, newest, `${zeros}; VACUUM`);
    openResults(home).close();
    const [after, before] = [path, join(home, kept)].map((each) => statSync(each).size);
    assert.ok(Number(after) < 1.1 * Number(before), `${after} bytes, ${before} before`);
  });

  test("an earlier file that is named is read, also as part of what is merged", async () => {
    const fixture = resultsFixtures[0] as ResultsFixture;
    const shard = join(home, "shard.db");
    writeFixture(shard, fixture);
    const host = {
      name: "one",
      facts: { kernel: "", architecture: "", cpu: "", cpus: 1, memory_bytes: 1, versions: {} },
    };
    const terms = { name: "test", created_at: "2026-01-01T00:00:00Z", finished_at: null, command: [], environment: {} };
    const cells = [{ cell: 1, place: 1, finished_at: null }];
    await writeMerged(join(home, "merged.db"), [
      { ...terms, hosts: [host], parts: [{ path: shard, sweep: 1, host: "one", cells }] },
    ]);
    const merged = openResultsFile(join(home, "merged.db"));
    assert.equal(merged.loadsOf(1).length, 2);
    merged.close();
    using read = openResultsFile(shard);
    readAll(read, fixture);
  });

  test("an earlier file that may only be read is read, and left as it is", () => {
    for (const fixture of [resultsFixtures[0] as ResultsFixture, newest]) {
      writeFixture(path, fixture);
      const before = readFileSync(path);
      const [program, words] = script(
        `const results = openExistingResults(home);
         const { length } = results.loadsOf(1).map(({ id }) => results.harOf(id));
         const tests = results.linkTestsOf(1).length;
         results.close();
         let line = null;
         try { openResults(home); } catch (error) { line = error.message; }
         console.log(JSON.stringify({ length, tests, line }));`,
        home,
        mounted('mount --bind -o ro "$0" "$0"', home),
      );
      const run = spawnSync(program, words, { encoding: "utf8" });
      assert.equal(run.status, 0, run.stderr);
      const { length, tests, line } = JSON.parse(run.stdout);
      assert.deepEqual([length, tests], [2, fixture === newest ? 1 : 0]);
      assert.match(line, /results\.db: may not be written: name another folder with --home$/);
      assert.deepEqual(readFileSync(path), before);
      assert.deepEqual(readdirSync(home), ["results.db"]);
      rmSync(path);
    }
  });

  test("on a full disk nothing changes, one line says so, and the file is read", () => {
    writeFixture(path, newest, `UPDATE load SET har = zeroblob(300000) WHERE id = 1; VACUUM`);
    const [program, words] = script(
      `const { copyFileSync, readdirSync, readFileSync } = await import("node:fs");
       const path = home + "/results.db";
       copyFileSync(process.env.FIXTURE, path);
       let line = null;
       try { openResults(home).close(); } catch (error) { line = error.name + ": " + error.message; }
       const names = readdirSync(home);
       const same = readFileSync(path).equals(readFileSync(process.env.FIXTURE));
       const results = openExistingResults(home);
       const loads = results.loadsOf(1).length;
       results.close();
       console.log(JSON.stringify({ line, names, same, loads }));`,
      join(home, "small"),
      mounted('mkdir "$0" && mount -t tmpfs -o size=600k none "$0"', join(home, "small")),
    );
    const run = spawnSync(program, words, { encoding: "utf8", env: { ...process.env, FIXTURE: path } });
    assert.equal(run.status, 0, run.stderr);
    const { line, names, same, loads } = JSON.parse(run.stdout);
    assert.match(line, /^RunError: .*results\.db: no space left: free some and run the same command again/);
    assert.deepEqual(names, ["results.db"]);
    assert.deepEqual([same, loads], [true, 2]);
  });

  test("a migration that fails leaves no copy, however often it is tried", () => {
    // A table of the name that the migration is to make.
    writeFixture(path, newest, "CREATE TABLE observation (clash)");
    const before = schemaOf(path);
    for (const open of [openResults, openResults, openExistingResults]) {
      assert.throws(() => open(home), /observation/);
      assert.deepEqual(backups(), []);
    }
    assert.deepEqual([formatOf(path), schemaOf(path)], [newest.format, before]);
    const database = new DatabaseSync(path);
    database.exec("DROP TABLE observation");
    database.close();
    openResults(home).close();
    assert.deepEqual(backups(), [kept]);
  });

  test("a file that an earlier Trilane makes meanwhile is migrated", async () => {
    const maker = new DatabaseSync(path);
    maker.exec("PRAGMA journal_mode = WAL");
    maker.exec("BEGIN IMMEDIATE");
    const [program, words] = script(`openResults(home).close();`, home);
    const child = spawn(program, words, { stdio: ["ignore", "ignore", "inherit"], timeout: 60_000 });
    // It has found nothing in the file, and waits for the lock: that it opened its log is seen from outside.
    const opened = (): boolean =>
      readdirSync(`/proc/${child.pid}/fd`).some((fd) => {
        try {
          return readlinkSync(`/proc/${child.pid}/fd/${fd}`).endsWith("results.db-wal");
        } catch {
          return false;
        }
      });
    for (const end_ms = Date.now() + 30_000; !opened() && Date.now() < end_ms; ) await setTimeout(20);
    assert.ok(opened());
    await setTimeout(200);
    maker.exec(`${newest.sql}; COMMIT`);
    maker.close();
    assert.deepEqual(await once(child, "exit"), [0, null]);
    assert.equal(formatOf(path), formatVersion);
    assert.deepEqual(backups(), [kept]);
  });

  test("of several processes at once one migrates, and the others find it done", async () => {
    writeFixture(path, newest);
    const begin_ms = Date.now() + 2500;
    const children = Array.from({ length: 4 }, (_, index) => {
      const open = index % 2 === 0 ? "openResults" : "openExistingResults";
      const [program, words] = script(
        `await new Promise((resolve) => setTimeout(resolve, Math.max(0, ${begin_ms} - Date.now())));
         const results = ${open}(home);
         console.log(results.loadsOf(1).length);
         results.close();`,
        home,
      );
      const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += data));
      return once(child, "close").then(() => said);
    });
    assert.deepEqual(await Promise.all(children), Array(4).fill("2\n"));
    assert.deepEqual(backups(), [kept]);
    assert.equal(formatOf(path), formatVersion);
  });

  test("killed while it migrates, it leaves the file as it was or as it is to be", { timeout: 400_000 }, async () => {
    writeFixture(path, newest, "UPDATE load SET har = randomblob(30000000) WHERE id = 1");
    const original = `${path}.original`;
    renameSync(path, original);
    const seen = { before: 0, copying: 0, after: 0 };
    for (let round = 0; round < 60 && (seen.copying < 3 || round < 6); round++) {
      for (const name of readdirSync(home)) if (name !== "results.db.original") rmSync(join(home, name));
      writeFileSync(path, readFileSync(original));
      const [program, words] = script(`console.log("ready"); openResults(home).close();`, home);
      const child = spawn(program, words, { stdio: ["ignore", "pipe", "inherit"] });
      // It may end by itself before it is killed.
      const ended = once(child, "exit");
      await once(child.stdout, "data");
      // At some moment, and in every second round while it copies, whenever this machine comes to that.
      const copies = (): boolean => existsSync(join(home, `${kept}.part`));
      if (round % 2 === 0) await setTimeout((round * 7) % 150);
      else while (!copies() && child.exitCode === null && child.signalCode === null) await setTimeout(1);
      child.kill("SIGKILL");
      await ended;
      const isCopying = copies();
      const isKept = existsSync(join(home, kept));
      const results = openExistingResults(home);
      assert.equal(results?.loadsOf(1).length, 2);
      results?.close();
      assert.equal(formatOf(path), formatVersion);
      assert.deepEqual(
        readdirSync(home).filter((name) => name.includes("backup")),
        [kept],
      );
      assert.equal(formatOf(join(home, kept)), newest.format);
      assert.ok(statSync(join(home, kept)).size > 30e6);
      seen[isCopying ? "copying" : isKept ? "after" : "before"]++;
    }
    assert.ok(isWhole(path));
    assert.ok(seen.copying >= 3, `killed while it copied only ${seen.copying} times`);
  });

  test("while an earlier Trilane runs a sweep of the file it is not migrated, and read all the same", () => {
    writeFixture(path, newest);
    const earlier = new DatabaseSync(path);
    const start_ticks = readFileSync(`/proc/${process.ppid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19];
    const parent = { ...thisProcess(), pid: process.ppid, start_ticks };
    earlier.prepare("UPDATE sweep SET owner = ? WHERE id = 2").run(JSON.stringify(parent));
    assert.throws(() => openResults(home), /^UserError: .*an earlier Trilane \(process \d+\) is running sweep 2: wait/);
    const elsewhere = JSON.stringify({ ...parent, pid_namespace: "pid:[1]" });
    earlier.prepare("UPDATE sweep SET owner = ? WHERE id = 2").run(elsewhere);
    assert.throws(() => openResults(home), /^UserError: .*of another container\) may be running sweep 2: wait/);
    const columns = "cell, block, attempt, position, status, reasons, started_at, wall_ms, har";
    earlier.exec(
      `INSERT INTO load (${columns}) SELECT cell, 5, attempt, position, 'invalid', reasons, started_at, 1, har FROM load WHERE id = 1`,
    );
    const reader = openExistingResults(home);
    assert.deepEqual(
      reader?.loadsOf(1).map(({ block }) => block),
      [0, 0, 5],
    );
    reader?.close();
    assert.deepEqual([formatOf(path), backups()], [newest.format, []]);
    earlier.exec("UPDATE sweep SET owner = NULL");
    earlier.close();
    openResults(home).close();
    assert.equal(formatOf(path), formatVersion);
  });

  test("an owner in another container that has ended keeps nothing from being migrated or resumed", async () => {
    for (const fixture of [newest, null]) {
      rmSync(path, { force: true });
      if (fixture) writeFixture(path, fixture, "PRAGMA journal_mode = WAL");
      else openResults(home).close();
      const insert = `INSERT INTO sweep (name, plan, plan_digest, created_at, seed, command, environment)
        VALUES ('x', '{"repetitions":1}', 'x', '2026-01-01T00:00:00.000Z', 1, '[]', '{}')`;
      const [program, words] = script(
        `const { DatabaseSync } = await import("node:sqlite");
         const runner = new DatabaseSync(home + "/results.db");
         const owner = { pid: 1, start_ticks: "1", boot_id: ${JSON.stringify(thisProcess().boot_id)}, pid_namespace: "pid:[1]" };
         runner.exec(${JSON.stringify(insert)});
         runner.prepare("UPDATE sweep SET owner = ?").run(JSON.stringify(owner));
         console.log("ready");
         setInterval(() => undefined, 1000);`,
        home,
      );
      const runner = spawn(program, words, { stdio: ["ignore", "pipe", "inherit"] });
      await once(runner.stdout, "data");
      const unresumed = () => openedOwners(home).filter(({ boot_id }) => boot_id === thisProcess().boot_id).length;
      if (fixture) assert.throws(() => openResults(home), /of another container\) may be running sweep/);
      else assert.ok(unresumed() > 0);
      const ended = once(runner, "exit");
      runner.kill("SIGKILL");
      await ended;
      assert.equal(unresumed(), 0);
      assert.equal(formatOf(path), formatVersion);
      assert.ok(isWhole(path));
    }
  });
});

/** Opens the results, and gives the owners of its sweeps. */
function openedOwners(home: string): ReturnType<typeof thisProcess>[] {
  const results = openResults(home);
  try {
    return results
      .read("SELECT owner FROM sweep WHERE owner IS NOT NULL")
      .map(({ owner }) => JSON.parse(String(owner)) as ReturnType<typeof thisProcess>);
  } finally {
    results.close();
  }
}
