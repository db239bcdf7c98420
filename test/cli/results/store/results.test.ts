// cli/results/store: what is stored comes back; a file that is not ours or too new is refused and left as it was; a full disk
// and a second runner cost nothing that was stored.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { thisProcess } from "../../../../cli/base/process_owner.ts";
import { parseLink } from "../../../../cli/link/link.ts";
import {
  type NewSweep,
  openExistingResults,
  openResults,
  openResultsFile,
} from "../../../../cli/results/store/results.ts";
import { planOf } from "../../../../cli/sweep/plan/plan.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { testedLink } from "../../load/selftest/tested.ts";
import { refusedIn } from "../../refused.ts";
import { pageLoad } from "../../sweep/page_load.ts";

const link_profile = parseLink("3mbit/50ms");

function newSweep(digest = "plan-1", recording_digest = "aaaa"): NewSweep {
  const plan = planOf(
    { name: "test", pages: ["page"], lanes: ["h1", "h3"], links: ["3mbit/50ms"], repetitions: 2 },
    "test",
  );
  return {
    name: "test",
    plan,
    plan_digest: digest,
    seed: 7,
    command: ["trilane", "sweep", "test.json"],
    environment: { node: "24" },
    cells: plan.lanes.map((lane) => ({ page: "page", recording_digest, lane, link: "3mbit/50ms", link_profile })),
  };
}

function newLoad(cell: number, block: number, attempt = 0, status: "valid" | "failed" = "valid") {
  const load = pageLoad({ page: "page", recording_digest: "aaaa", lane: "h1", link: link_profile, status });
  return { cell, block, attempt, position: 0, started_at: "2026-01-01T00:00:00.000Z", load };
}

/** Runs a script with this home as its argument, as another process would use the results. */
function script(home: string, body: string, wrapper: readonly string[] = []) {
  const file = join(import.meta.dirname, "..", "..", "..", "..", "cli", "results", "store", "results.ts");
  const text = `const { openResults, openExistingResults } = await import(${JSON.stringify(file)}); const home = process.argv[1];\n${body}`;
  const [program, ...words] = [...wrapper, process.execPath, "--input-type=module", "-e", text, home];
  return { program: program as string, words };
}

/** Runs a program in mount and user namespaces of its own, after `mount` was run with `folder` as its $0. */
function mounted(mount: string, folder: string): string[] {
  return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", `${mount} && exec "$@"`, folder];
}

describe("results", () => {
  let home: string;
  beforeEach(() => {
    home = tempFolder("trilane-results-");
  });

  test("a sweep, its cells and its loads come back as they were stored", () => {
    const results = openResults(home);
    const { sweep, resumed } = results.beginSweep(newSweep(), false);
    assert.equal(resumed, false);
    const cells = results.cellsOf(sweep.id);
    assert.deepEqual(
      cells.map((cell) => cell.lane),
      ["h1", "h3"],
    );
    const plain = newLoad(cells[0]?.id ?? 0, 1);
    const user_timings = [{ kind: "mark" as const, name: 'a "b"', value_ms: 12.5 }];
    const { log } = plain.load;
    const added = { ...plain, load: { log: { ...log, _trilane: { ...log._trilane, user_timings } } } };
    const id = results.recordLoad(added);
    results.finishSweep(sweep.id);
    results.close();

    using again = openResults(home);
    const [stored] = again.listSweeps();
    assert.deepEqual(stored, again.sweep(sweep.id));
    assert.deepEqual(stored?.plan, newSweep().plan);
    assert.deepEqual(stored?.command, ["trilane", "sweep", "test.json"]);
    assert.notEqual(stored?.finished_at, null);
    assert.deepEqual(again.cellsOf(sweep.id)[0]?.link_profile, link_profile);
    const [load] = again.loadsOf(sweep.id);
    assert.deepEqual(load?.user_timings, { 'mark:a "b"': 12.5 });
    assert.equal(load?.id, id);
    assert.deepEqual(
      { page: load?.page, lane: load?.lane, link: load?.link, block: load?.block, status: load?.status },
      { page: "page", lane: "h1", link: "3mbit/50ms", block: 1, status: "valid" },
    );
    assert.equal(load?.plt_ms, 700);
    assert.equal(load?.lcp_ms, null, "a missing value stays missing");
    assert.equal(load?.off_lane, 0);
    assert.deepEqual(load?.reasons, []);
    assert.deepEqual(again.harOf(id), added.load);
    assert.equal(again.usualWall_ms("page", "3mbit/50ms", "h1"), 1500);
    assert.equal(again.usualWall_ms("page", "3mbit/50ms", "h3"), null);
  });

  test("what a link was measured to be is kept by machine, and goes with its sweep", async () => {
    using results = openResults(home);
    const { sweep } = results.beginSweep(newSweep(), false);
    assert.deepEqual(results.linkTestsOf(sweep.id), []);
    results.recordLinkTest(sweep.id, "one", testedLink("3mbit/50ms", "out"));
    results.recordLinkTest(sweep.id, "other", testedLink("3mbit/50ms"));
    results.recordLinkTest(sweep.id, "one", testedLink("3mbit/50ms"));
    const stored = results.linkTestsOf(sweep.id).map(({ machine, test }) => [machine, test]);
    assert.deepEqual(stored.toSorted(), [
      ["one", testedLink("3mbit/50ms")],
      ["other", testedLink("3mbit/50ms")],
    ]);
    results.release(sweep.id);
    await results.removeSweeps([sweep.id]);
    assert.deepEqual(results.linkTestsOf(sweep.id), []);
  });

  test("an attempt, and a valid load of a cell and block, stand there once", () => {
    using results = openResults(home);
    const { sweep } = results.beginSweep(newSweep(), false);
    const cell = results.cellsOf(sweep.id)[0]?.id ?? 0;
    results.recordLoad(newLoad(cell, 0, 0, "failed"));
    assert.throws(() => results.recordLoad(newLoad(cell, 0, 0)));
    results.recordLoad(newLoad(cell, 0, 1));
    assert.throws(() => results.recordLoad(newLoad(cell, 0, 2)));
    assert.equal(results.loadsOf(sweep.id).length, 2);
  });

  test("an unknown sweep or load is named", () => {
    using results = openResults(home);
    assert.throws(() => results.sweep(42), /^UserError: no sweep 42 in .*trilane list/);
    assert.throws(() => results.harOf(42), /^UserError: no load 42/);
  });

  test("where nothing was run nothing is made", () => {
    assert.equal(openExistingResults(join(home, "none")), null);
    assert.equal(existsSync(join(home, "none")), false);
  });

  test("results whose maker is at it, or was killed, are none yet; named as a file they are refused", () => {
    const path = join(home, "results.db");
    const maker = new DatabaseSync(path);
    maker.exec("PRAGMA journal_mode = WAL");
    assert.ok(statSync(path).size > 0);
    assert.equal(openExistingResults(home), null);
    maker.exec("BEGIN IMMEDIATE; CREATE TABLE sweep (id INTEGER)");
    assert.equal(openExistingResults(home), null, "before the tables' commit");
    maker.exec("ROLLBACK");
    maker.close();
    assert.equal(openExistingResults(home), null);
    assert.throws(() => openResultsFile(path), /^UserError: .*results\.db: holds no results: name another file$/);
    openResults(home).close();
    const made = openExistingResults(home);
    assert.deepEqual(made?.listSweeps(), []);
    made?.close();
  });

  test("a file of a newer format is refused and left alone", () => {
    openResults(home).close();
    const path = join(home, "results.db");
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 99");
    database.close();
    const before = readFileSync(path);
    assert.throws(() => openResults(home), /^UserError: .*newer Trilane \(format 99.*upgrade/);
    assert.deepEqual(readFileSync(path), before);
  });

  test("another program's database and a file that is none are refused and left alone", () => {
    const path = join(home, "results.db");
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE mine (a); PRAGMA application_id = 99");
    database.close();
    const before = readFileSync(path);
    assert.throws(() => openResults(home), /^UserError: .*not Trilane's results \(application id 99\)/);
    assert.deepEqual(readFileSync(path), before);
    writeFileSync(path, "this is not a database, it is a text of some length that SQLite will not take for one");
    assert.throws(() => openResults(home), /^UserError: .*not a results database/);
  });

  test("the newest sweep of a plan is gone on with while unfinished, unless a new one is asked", () => {
    using results = openResults(home);
    const first = results.beginSweep(newSweep(), false).sweep;
    results.release(first.id);
    const again = results.beginSweep(newSweep(), false);
    assert.deepEqual([again.resumed, again.sweep.id], [true, first.id]);
    results.release(first.id);
    assert.notEqual(results.beginSweep(newSweep("plan-2"), false).sweep.id, first.id, "another plan");
    const fresh = results.beginSweep(newSweep(), true);
    assert.deepEqual([fresh.resumed, fresh.sweep.id === first.id], [false, false]);
    results.finishSweep(fresh.sweep.id);
    assert.equal(results.unfinishedSweep("plan-1"), null, "the older one was given up for the new one");
  });

  test("a sweep that is to run once is not begun where another process has finished it meanwhile", () => {
    const [ours, others] = [openResults(home), openResults(home)];
    const { sweep } = others.beginSweep(newSweep(), false);
    assert.equal(ours.newestSweep("plan-1")?.finished_at, null);
    others.finishSweep(sweep.id);
    assert.equal(ours.beginSweepOnce(newSweep()), null);
    assert.equal(ours.listSweeps().length, 1);
    const again = ours.beginSweep(newSweep(), true).sweep;
    ours.release(again.id);
    assert.equal(ours.beginSweepOnce(newSweep())?.sweep.id, again.id, "an unfinished one is gone on with");
    for (const each of [ours, others]) each.close();
  });

  test("a sweep whose runner was killed between its last load and its report is resumed, and keeps its end", () => {
    using results = openResults(home);
    const { sweep } = results.beginSweep(newSweep(), false);
    results.finishSweep(sweep.id);
    const { finished_at } = results.sweep(sweep.id);
    assert.equal(results.unfinishedSweep("plan-1"), null, "its runner lives");
    const database = new DatabaseSync(join(home, "results.db"));
    database.prepare("UPDATE sweep SET owner = ?").run(JSON.stringify({ ...thisProcess(), start_ticks: "1" }));
    database.close();
    const again = results.beginSweepOnce(newSweep());
    assert.deepEqual([again?.resumed, again?.sweep.id], [true, sweep.id]);
    results.finishSweep(sweep.id);
    results.release(sweep.id);
    assert.equal(results.sweep(sweep.id).finished_at, finished_at);
    assert.equal(results.beginSweepOnce(newSweep()), null, "its report is written");
    assert.equal(results.beginSweep(newSweep(), false).resumed, false);
  });

  test("a sweep is not gone on with when a recording has changed", () => {
    using results = openResults(home);
    const { sweep } = results.beginSweep(newSweep("plan-1", "aaaa"), false);
    results.release(sweep.id);
    assert.throws(
      () => results.beginSweep(newSweep("plan-1", "bbbb"), false),
      refusedIn(/^recording page has changed.*aaaa, now bbbb.*--new/),
    );
    // The refusal did not take the sweep.
    assert.equal(results.beginSweep(newSweep("plan-1", "aaaa"), false).resumed, true);
  });

  test("made by several at once, they are never taken for a stranger's", async () => {
    const rounds = 30;
    const makers = 3;
    const reached = new Int32Array(new SharedArrayBuffer(4 * rounds));
    const file = join(import.meta.dirname, "..", "..", "..", "..", "cli", "results", "store", "results.ts");
    const text = `const { workerData: { reached, homes, makers } } = require("node:worker_threads");
      import(${JSON.stringify(file)}).then(({ openResults }) => homes.forEach((home, round) => {
        Atomics.add(reached, round, 1);
        while (Atomics.load(reached, round) < makers);
        openResults(home).close();
      }));`;
    const homes = Array.from({ length: rounds }, (_, round) => join(home, `${round}`));
    const workers = Array.from(
      { length: makers },
      () => new Worker(text, { eval: true, workerData: { reached, homes, makers } }),
    );
    try {
      await Promise.all(workers.map((worker) => once(worker, "exit")));
    } finally {
      // Where one failed, the others wait for it.
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
    assert.deepEqual([...new Set(reached)], [makers]);
  });

  test("while a sweep's loads are removed it is out of sight, and others write; nothing is left of it", async () => {
    const [remover, runner] = [openResults(home), openResults(home)];
    const file = new DatabaseSync(join(home, "results.db"));
    const rows = (table: string) => Number(file.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows);
    try {
      for (const digest of ["removed", "left half by a removal that was killed"]) {
        const { id } = remover.beginSweep(newSweep(digest), false).sweep;
        remover.recordLinkTest(id, "one", testedLink("3mbit/50ms"));
        for (const { id: cell } of remover.cellsOf(id))
          for (const block of [0, 1]) remover.recordLoad(newLoad(cell, block));
        remover.release(id);
      }
      file.exec("PRAGMA foreign_keys = OFF; DELETE FROM sweep WHERE id = 2");
      // A row at a time, and with a pause after the first.
      const removed = remover.removeSweeps([1], 0);
      assert.deepEqual([runner.listSweeps(), rows("attempt")], [[], 7]);
      const { sweep } = runner.beginSweep(newSweep("other"), false);
      runner.recordLoad(newLoad(runner.cellsOf(sweep.id)[0]?.id ?? 0, 0));
      await removed;
      assert.deepEqual(["sweep", "cell", "attempt", "link_test"].map(rows), [1, 2, 1, 0]);
      // Also of tables that came later.
      assert.deepEqual(file.prepare("PRAGMA foreign_key_check").all(), []);
      await assert.rejects(remover.removeSweeps([sweep.id]), /^UserError: sweep 3 is being run/);
    } finally {
      for (const each of [file, remover, runner]) each.close();
    }
  });

  test("a living runner keeps others out; a killed one does not", async () => {
    const { program, words } = script(
      home,
      `const asked = ${JSON.stringify(newSweep())}; openResults(home).beginSweep(asked, false);
       console.log("ready"); setInterval(() => {}, 1000);`,
    );
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "inherit"] });
    try {
      await once(child.stdout, "data");
      using results = openResults(home);
      assert.throws(
        () => results.beginSweep(newSweep(), false),
        new RegExp(`^UserError: sweep 1 is being run by process ${child.pid}: wait for it`),
      );
      child.kill("SIGKILL");
      await once(child, "exit");
      assert.equal(results.beginSweep(newSweep(), false).resumed, true);
    } finally {
      child.kill("SIGKILL");
    }
  });

  test("what keeps the end of another container's runner from being noted is said as it is", () => {
    const results = openResults(home);
    results.beginSweep(newSweep(), false);
    results.close();
    const file = new DatabaseSync(join(home, "results.db"));
    file.prepare("UPDATE sweep SET owner = ?").run(JSON.stringify({ ...thisProcess(), pid_namespace: "pid:[1]" }));
    file.exec("CREATE TRIGGER fault BEFORE UPDATE ON sweep BEGIN SELECT raise(ABORT, 'a fault of the disk'); END");
    file.close();
    for (const open of [openResults, openExistingResults])
      assert.throws(() => open(home), /^Error: a fault of the disk$/);
  });

  test("a sweep that may be run in another container is neither removed nor, if it is finished, measured again", async () => {
    const results = openResults(home);
    const { sweep } = results.beginSweep(newSweep(), false);
    results.finishSweep(sweep.id);
    const reader = new DatabaseSync(join(home, "results.db"));
    const owner = JSON.stringify({ ...thisProcess(), pid_namespace: "pid:[1]" });
    reader.prepare("UPDATE sweep SET owner = ?").run(owner);
    await assert.rejects(
      results.removeSweeps([sweep.id]),
      /^UserError: sweep 1 is being run by process \d+ of another container: wait for it, or stop it there; if it has ended, close what else has .*results\.db open, and try again$/,
    );
    assert.throws(
      () => results.beginSweep(newSweep(), false),
      /^UserError: sweep 1 is being run .* or begin again with --new; if it has ended, close/,
    );
    for (const each of [results, reader]) each.close();
  });

  test("a folder that may only be read is read, and what would write there is refused in one line", () => {
    const results = openResults(home);
    const { sweep } = results.beginSweep(newSweep(), false);
    results.recordLoad(newLoad(results.cellsOf(sweep.id)[0]?.id ?? 0, 0));
    results.release(sweep.id);
    results.close();
    const read = `
      const results = openExistingResults(home);
      const names = results.listSweeps().map((sweep) => sweep.name);
      const loads = results.loadsOf(1).length;
      let line = null;
      try { await results.removeSweeps([1]); } catch (error) { line = error.name + ": " + error.message; }
      results.close();
      console.log(JSON.stringify({ names, loads, line }));`;
    const { program, words } = script(home, read, mounted('mount --bind -o ro "$0" "$0"', home));
    const run = spawnSync(program, words, { encoding: "utf8" });
    assert.equal(run.status, 0, run.stderr);
    const { names, loads, line } = JSON.parse(run.stdout);
    assert.deepEqual(names, ["test"]);
    assert.equal(loads, 1);
    assert.deepEqual(readdirSync(home), ["results.db"]);
    assert.match(line, /^UserError: .*results\.db: may not be written: name another folder with --home$/);
  });

  test("reading changes nothing and leaves no file", () => {
    openResults(home).close();
    const before = readFileSync(join(home, "results.db"));
    const results = openExistingResults(home);
    assert.deepEqual(results?.listSweeps(), []);
    assert.throws(() => results?.beginSweep(newSweep(), false), /may not be written/);
    results?.close();
    assert.deepEqual(readFileSync(join(home, "results.db")), before);
    assert.deepEqual(readdirSync(home), ["results.db"]);
  });

  test("a home that is made is private", () => {
    const made = join(home, "new", "home");
    openResults(made).close();
    assert.deepEqual(
      [join(home, "new"), made].map((folder) => statSync(folder).mode & 0o777),
      [0o700, 0o700],
    );
  });

  // Filled while nobody had the database open: then SQLite has no room even for the files beside it.
  for (const log of ["gone", "left by a killed writer"]) {
    test(`on a disk filled since, results are read and removing says why it cannot be; log ${log}`, () => {
      const program_ = `
        const asked = ${JSON.stringify(newSweep())}; const load = ${JSON.stringify(newLoad(1, 0).load)};
        const { copyFileSync, openSync, writeSync, rmSync } = await import("node:fs");
        const path = home + "/results.db";
        const results = openResults(home);
        results.beginSweep(asked, false);
        results.recordLoad({ cell: 1, block: 0, attempt: 0, position: 0, started_at: "t", load });
        results.release(1);
        if (${log !== "gone"}) { copyFileSync(path + "-wal", path + "-kept"); copyFileSync(path, path + "-before"); }
        results.close();
        if (${log !== "gone"}) {
          const { renameSync } = await import("node:fs");
          renameSync(path + "-kept", path + "-wal"); renameSync(path + "-before", path);
        }
        const filler = openSync(home + "/filler", "w");
        for (const size of [65536, 1024]) { try { for (;;) writeSync(filler, Buffer.alloc(size)); } catch {} }
        const again = openExistingResults(home);
        const loads = again.loadsOf(1).map((row) => again.harOf(row.id)).length;
        again.close();
        let line = null;
        try { await openResults(home).removeSweeps([1]); } catch (error) { line = error.name + ": " + error.message; }
        rmSync(home + "/filler");
        const after = openExistingResults(home);
        const kept = after.loadsOf(1).length;
        after.close();
        console.log(JSON.stringify({ loads, line, kept }));`;
      const { program, words } = script(home, program_, mounted('mount -t tmpfs -o size=600k none "$0"', home));
      const run = spawnSync(program, words, { encoding: "utf8" });
      assert.equal(run.status, 0, run.stderr);
      const { loads, line, kept } = JSON.parse(run.stdout);
      assert.deepEqual([loads, kept], [1, 1]);
      assert.match(line, /^RunError: .*results\.db: no space left/);
    });
  }

  test("a full disk is one clear line, and what was stored stays readable", () => {
    // A small file system of its own, in namespaces that end with the script.
    const loads = `
      const asked = ${JSON.stringify(newSweep())}; const load = ${JSON.stringify(newLoad(1, 0).load)};
      const { randomBytes } = await import("node:crypto");
      const results = openResults(home);
      const { sweep } = results.beginSweep(asked, false);
      let stored = 0, line = null;
      for (let block = 0; block < 500 && !line; block++) {
        // Random text does not shrink when compressed.
        load.log.pages[0].title = randomBytes(6000).toString("base64");
        try {
          results.recordLoad({ cell: 1, block, attempt: 0, position: block, started_at: "t", load });
          stored++;
        } catch (error) { line = error.name + ": " + error.message; }
      }
      try { results.close(); } catch {}
      const { DatabaseSync } = await import("node:sqlite");
      const database = new DatabaseSync(home + "/results.db");
      const check = database.prepare("PRAGMA integrity_check").get().integrity_check;
      database.close();
      const again = openResults(home);
      const kept = again.loadsOf(sweep.id).map((row) => again.harOf(row.id)).length;
      console.log(JSON.stringify({ stored, line, check, kept }));`;
    const { program, words } = script(home, loads, mounted('mount -t tmpfs -o size=600k none "$0"', home));
    const run = spawnSync(program, words, { encoding: "utf8" });
    assert.equal(run.status, 0, run.stderr);
    const { stored, line, check, kept } = JSON.parse(run.stdout);
    assert.match(line, /^RunError: .*results\.db: no space left/);
    assert.equal(check, "ok");
    assert.ok(stored > 5, `${stored} loads before the disk was full`);
    assert.equal(kept, stored);
  });
});
