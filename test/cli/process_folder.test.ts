// What processes that were killed left behind is removed by the next, and nobody else's.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { makeProcessFolder, sweepProcessFolders } from "../../cli/process_folder.ts";

const parent = mkdtempSync(join(tmpdir(), "trilane-process-folder-"));
after(() => rmSync(parent, { recursive: true, force: true }));

test("folders of ended processes go, those of running ones, of other kinds and of other names stay", async () => {
  const ended = spawnSync("true").pid;
  const foreign = `trilane-record-${ended}-mine`;
  for (const name of [
    `trilane-record-${ended}-abc`,
    `trilane-load-${ended}-abc`,
    "trilane-record-x",
    "other",
    foreign,
  ]) {
    mkdirSync(join(parent, name));
    writeFileSync(join(parent, name, name === foreign ? "file" : ".trilane"), "");
  }
  const running = makeProcessFolder(parent, "record");
  assert.match(basename(running), new RegExp(`^trilane-record-${process.pid}-\\w+$`));
  await sweepProcessFolders(parent, "record");
  const left = ["other", basename(running), `trilane-load-${ended}-abc`, "trilane-record-x", foreign];
  assert.deepEqual(readdirSync(parent).sort(), left.sort());
});
