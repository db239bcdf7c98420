// cli/sweep/cluster/merge.ts: shards of several machines become one sweep with each load once; what does not belong is refused by
// name, and then nothing is written.
// Wide: cli/commands/merge.ts, cli/sweep/cluster.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, test } from "node:test";
import { cellsIn } from "../../../../cli/commands/merge.ts";
import { reportOf } from "../../../../cli/report/report.ts";
import { csvLines } from "../../../../cli/results/export/csv.ts";
import { openResultsFile, openSharedResults } from "../../../../cli/results/store/results.ts";
import { merge } from "../../../../cli/sweep/cluster/merge.ts";
import { isFinished } from "../../../../cli/sweep/cluster/shards.ts";
import { hostFacts } from "../../../../cli/sweep/cluster/this_host.ts";
import { planDigest } from "../../../../cli/sweep/plan/plan.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { refusedIn } from "../../refused.ts";
import { madePlan, madeShard } from "./made_shard.ts";

describe("merge", () => {
  let folder: string;
  let out: string;
  const run = (...words: string[]) =>
    merge({
      words: words.length > 0 ? words : [folder],
      out,
      tolerance_percent: 3,
      command: ["trilane", "merge"],
      cellsIn,
    });
  beforeEach(() => {
    folder = tempFolder("trilane-merge-");
    out = join(folder, "merged.db");
  });

  test("two machines of one name are refused, by merge and by whoever would go on with the other's shard", async () => {
    const shard = madeShard({ folder, host: "a", cell: 1, machine_id: "1".repeat(32) });
    madeShard({ folder, host: "a", cell: 2, machine_id: "2".repeat(32) });
    await assert.rejects(
      run(),
      refusedIn(/cell-0002-a\.db: from another machine called a than .*cell-0001-a.*--host NAME$/),
    );
    assert.equal(existsSync(out), false);
    const facts = { ...hostFacts(), machine_id: "2".repeat(32) };
    const digest = planDigest(madePlan());
    assert.equal(isFinished(shard, digest, { name: "b", facts }), true);
    assert.throws(
      () => isFinished(shard, digest, { name: "a", facts }),
      refusedIn(/another machine .* called a too: .*--host$/),
    );
    const begun = madeShard({ folder, host: "a", cell: 3, blocks: 1, machine_id: "1".repeat(32) });
    using results = openSharedResults(begun);
    const [sweep] = results.listSweeps();
    assert.ok(sweep);
    const asked = { ...sweep, cells: results.cellsOf(sweep.id), host: { name: "a", facts } };
    assert.throws(() => results.beginSweep(asked, false), refusedIn(/cell-0003-a\.db: from another machine/));
    assert.equal(results.progressOf(sweep).running, false);
  });

  test("two machines' cells are one finished sweep that knows who ran what", async () => {
    for (const cell of [1, 3]) madeShard({ folder, host: "a", cell });
    for (const cell of [2, 4]) madeShard({ folder, host: "b", cell });
    for (const host of ["a", "b"]) madeShard({ folder, host, cell: null });
    const merged = await run();
    assert.deepEqual([merged.cells, merged.missing, merged.unfinished, merged.loads], [4, [], [], 24]);
    assert.deepEqual(
      merged.hosts.map(({ name, cells, flags }) => [name, cells, flags]),
      [
        ["a", [1, 3], []],
        ["b", [2, 4], []],
      ],
    );
    const results = openResultsFile(out);
    try {
      const [sweep] = results.listSweeps();
      assert.ok(sweep);
      assert.equal(sweep.name, "study");
      assert.notEqual(sweep.finished_at, null);
      const cells = results.cellsOf(sweep.id);
      assert.deepEqual(
        cells.map(({ page, link, lane, host }) => [page, link.split("/")[0], lane, host?.name]),
        [
          ["shop", "3mbit", "h1", "a"],
          ["shop", "3mbit", "h3", "a"],
          ["shop", "10mbit", "h1", "b"],
          ["shop", "10mbit", "h3", "b"],
          ["news", "3mbit", "h1", "a"],
          ["news", "3mbit", "h3", "a"],
          ["news", "10mbit", "h1", "b"],
          ["news", "10mbit", "h3", "b"],
        ],
      );
      const loads = results.loadsOf(sweep.id);
      assert.equal(new Set(loads.map(({ cell, block }) => `${cell} ${block}`)).size, 24);
      assert.equal(results.harOf(loads[0]?.id ?? 0).log._trilane.page, "shop");
      assert.deepEqual(
        results
          .linkTestsOf(sweep.id)
          .map(({ machine }) => machine)
          .sort(),
        ["a: a machine", "b: a machine"],
      );
      assert.equal(results.damage(), null);
      const lines = [...csvLines({}, cells, loads)].map((line) => line.split(","));
      assert.equal(lines[1]?.[lines[0]?.indexOf("host") ?? 0], "a");
      assert.equal(lines[1]?.[lines[0]?.indexOf("host_browser") ?? 0], "156");
      const report = reportOf(results, sweep.id);
      assert.match(report, /2 machines ran the loads; none is unlike the others/);
      assert.match(report, /small over 20mbit\/20ms, h1/);
    } finally {
      results.close();
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => /wal|shm|^\.merged/.test(name)),
      [],
    );
    // Merged results are a shard as any other, and merging again changes nothing.
    const again = await run(out, folder);
    assert.deepEqual([again.loads, again.hosts.length, again.missing], [24, 2, []]);
    using database = new DatabaseSync(out);
    assert.deepEqual(
      database
        .prepare("SELECT DISTINCT machine FROM link_test ORDER BY 1")
        .all()
        .map(({ machine }) => machine),
      ["a: a machine", "b: a machine"],
    );
  });

  test("a shard that is given twice, under two names, or whose cell ran elsewhere too, counts once", async () => {
    const path = madeShard({ folder, host: "a", cell: 1 });
    copyFileSync(path, join(folder, "copy.db"));
    madeShard({ folder, host: "b", cell: 1, blocks: 2 });
    const merged = await run(folder, path, join(folder, "copy.db"));
    assert.equal(merged.loads, 6);
    assert.deepEqual(merged.missing, [2, 3, 4]);
    const reasons = new Map(merged.left_out.map((left) => [left.path.split("/").at(-1), left.reason]));
    assert.match(reasons.get("copy.db") ?? "", /^the same loads as in .*cell-0001-a\.db$/);
    assert.match(reasons.get("cell-0001-b.db") ?? "", /^cell 1 is taken from .*cell-0001-a\.db$/);
  });

  test("a cell that is not finished is merged and told", async () => {
    madeShard({ folder, host: "a", cell: 2, blocks: 1 });
    const merged = await run();
    assert.deepEqual([merged.unfinished, merged.missing, merged.loads], [[2], [1, 3, 4], 2]);
    const results = openResultsFile(out);
    assert.equal(results.listSweeps()[0]?.finished_at, null);
    results.close();
    // When it has gone on, the finished shard takes the place of what was merged.
    rmSync(join(folder, "cell-0002-a.db"));
    madeShard({ folder, host: "a", cell: 2 });
    assert.deepEqual((await run(out, folder)).unfinished, []);
  });

  test("a shard of another plan, seed or recording is refused, and nothing is written", async () => {
    madeShard({ folder, host: "a", cell: 1 });
    const other = (name: string) => join(folder, name);
    const seed = madeShard({ folder, host: "b", cell: 2, plan: madePlan({ seed: 7 }), path: other("seed.db") });
    await assert.rejects(
      run(folder, seed),
      refusedIn(/seed\.db: of another plan \(seed 7, .*cell-0001-a\.db has seed 1\)/),
    );
    const plan = madeShard({ folder, host: "b", cell: 2, plan: madePlan({ name: "x" }), path: other("plan.db") });
    await assert.rejects(run(folder, plan), refusedIn(/plan\.db: of another plan \(x /));
    const page = madeShard({ folder, host: "b", cell: 2, digest: "bbbb", path: other("page.db") });
    await assert.rejects(
      run(folder, page),
      refusedIn(/page\.db: of another recording shop \(bbbb, that of .* is aaaa\)/),
    );
    assert.equal(existsSync(out), false);
  });

  test("a file that is cut off, damaged or something else is named, and nothing is written", async () => {
    madeShard({ folder, host: "a", cell: 1 });
    const cut = madeShard({ folder, host: "b", cell: 2, path: join(folder, "cut.db") });
    truncateSync(cut, 40_000);
    await assert.rejects(run(folder, cut), (error: Error) => /cut\.db: damaged/.test(error.message));
    const text = join(folder, "text.db");
    writeFileSync(text, "no database");
    await assert.rejects(run(folder, text), refusedIn(/text\.db: not a file of results/));
    mkdirSync(join(folder, "within.db"));
    await assert.rejects(
      run(folder, join(folder, "within.db")),
      refusedIn(/within\.db: (not a file of results|no shards)/),
    );
    const foreign = join(folder, "foreign.db");
    const database = new DatabaseSync(foreign);
    database.exec("CREATE TABLE t (a)");
    database.close();
    await assert.rejects(run(folder, foreign), refusedIn(/foreign\.db: not Trilane's results/));
    await assert.rejects(run(folder, join(folder, "none.db")), refusedIn(/none\.db: no such file/));
    assert.equal(existsSync(out), false);
  });

  test("a shard that was killed in its first moment is left out", async () => {
    madeShard({ folder, host: "a", cell: 1 });
    writeFileSync(join(folder, "cell-0002-a.db"), "");
    madeShard({ folder, host: "a", cell: 3, blocks: 0 });
    const { left_out, missing } = await run();
    assert.deepEqual(
      left_out.map(({ path, reason }) => `${path.split("/").at(-1)}: ${reason}`),
      ["cell-0002-a.db: no load in it yet", "cell-0003-a.db: no load in it yet"],
    );
    assert.deepEqual(missing, [2, 3, 4]);
  });

  test("what is no merge of this plan is not written over", async () => {
    const shard = madeShard({ folder, host: "a", cell: 1 });
    writeFileSync(out, "mine");
    await assert.rejects(run(shard), refusedIn(/merged\.db: is there, and not what an earlier merge/));
    assert.equal(readFileSync(out, "utf8"), "mine");
    const before = readFileSync(shard);
    const over = merge({ words: [shard], out: shard, tolerance_percent: 3, command: [], cellsIn });
    await assert.rejects(over, refusedIn(/cell-0001-a\.db: is there, and not what an earlier merge/));
    assert.deepEqual(readFileSync(shard), before);
  });

  test("a machine whose reference cells are slower, or that ran another browser, is told", async () => {
    for (const [index, host] of ["a", "b", "c"].entries()) {
      const chromium = host === "b" ? "157" : "156";
      madeShard({ folder, host, cell: index + 1, chromium });
      madeShard({ folder, host, cell: null, chromium, plt_ms: (block) => (host === "c" ? 560 : 500) + block });
    }
    const { hosts } = await run();
    const [a, b, c] = hosts.map(({ flags }) => flags);
    assert.deepEqual(a, []);
    assert.deepEqual(b, ["chromium 157, where others have 156"]);
    assert.equal(c?.length, 1);
    assert.match(
      c?.[0] ?? "",
      /^small over 20mbit\/20ms, h1, is 12 % slower than on the others \(95 %: [\d.]+ to [\d.]+\)$/,
    );
    using results = openResultsFile(out);
    const [sweep] = results.listSweeps();
    assert.deepEqual(
      results.hostsOf(sweep?.id ?? 0).map(({ flags }) => flags),
      [a, b, c],
    );
  });

  test("two merges at once by processes of one number, as in containers, do not get into each other's file", async () => {
    for (const cell of [1, 2, 3, 4]) madeShard({ folder, host: "a", cell });
    const merged = await Promise.all([run(), run()]);
    assert.deepEqual(
      merged.map(({ loads }) => loads),
      [24, 24],
    );
    const results = openResultsFile(out);
    assert.equal(results.listSweeps().length, 1);
    results.close();
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith(".")),
      [],
    );
  });

  test("two merges at once leave one whole file", async () => {
    for (const cell of [1, 2, 3, 4]) madeShard({ folder, host: "a", cell });
    const main = join(import.meta.dirname, "..", "..", "..", "..", "cli", "main.ts");
    const words = ["--disable-warning=ExperimentalWarning", main, "merge", folder, "--out", out, "--json"];
    const statuses = await Promise.all(
      [1, 2].map(async () => (await once(spawn(process.execPath, words, { stdio: "ignore" }), "close"))[0]),
    );
    assert.deepEqual(statuses, [0, 0]);
    const results = openResultsFile(out);
    assert.equal(results.damage(), null);
    assert.equal(results.loadsOf(results.listSweeps()[0]?.id ?? 0).length, 24);
    results.close();
    assert.deepEqual(
      readdirSync(folder).filter((name) => /wal|shm|^\.merged/.test(name)),
      [],
    );
  });
});
