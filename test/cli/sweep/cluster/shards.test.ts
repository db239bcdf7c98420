// What is said of a shard that cannot be gone on with: `trilane cell` has neither --new nor --home.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, test } from "node:test";
import { thisProcess } from "../../../../cli/base/process_owner.ts";
import { openSharedResults, SweepRunsError } from "../../../../cli/results/store/results.ts";
import { isFinished, shardPath } from "../../../../cli/sweep/cluster/shards.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { madeShard } from "./made_shard.ts";

describe("a shard", () => {
  let folder: string;
  beforeEach(() => {
    folder = tempFolder("trilane-shards-test-");
  });

  /** Asks to go on with an unfinished shard, with recordings of that digest. */
  function goOn(path: string, recording_digest: string): void {
    using results = openSharedResults(path);
    const [sweep] = results.listSweeps();
    assert.ok(sweep);
    const cells = results.cellsOf(sweep.id).map((cell) => ({ ...cell, recording_digest }));
    results.beginSweep({ ...sweep, cells }, false);
  }

  test("that is no database names the folder's option", () => {
    const path = shardPath(folder, 1, "a");
    writeFileSync(path, "no database");
    for (const open of [() => openSharedResults(path), () => isFinished(path, "")])
      assert.throws(
        open,
        /^UserError: .*: not a results database: move it away, or name another folder with --shards$/,
      );
  });

  test("whose recording has changed is to be removed", () => {
    const path = madeShard({ folder, host: "a", cell: 1, blocks: 1 });
    assert.throws(
      () => goOn(path, "bbbb"),
      /recording shop has changed .*: bring the earlier one back, or remove .*cell-0001-a\.db, or name another folder with --shards$/,
    );
  });

  test("that may be run in another container is one that is being run", () => {
    const path = madeShard({ folder, host: "a", cell: 1, blocks: 1 });
    const database = new DatabaseSync(path);
    database.prepare("UPDATE sweep SET owner = ?").run(JSON.stringify({ ...thisProcess(), pid_namespace: "pid:[1]" }));
    database.close();
    assert.throws(
      () => goOn(path, "aaaa"),
      (error: unknown) =>
        error instanceof SweepRunsError &&
        /another container: wait for it, or remove .*cell-0001-a\.db, or name another folder/.test(error.message) &&
        error.message.endsWith(`: sqlite3 ${path} 'UPDATE sweep SET owner = NULL WHERE id = 1'`),
    );
    // What it says to do is a way out.
    const mended = new DatabaseSync(path);
    mended.exec("UPDATE sweep SET owner = NULL WHERE id = 1");
    mended.close();
    goOn(path, "aaaa");
  });
});
