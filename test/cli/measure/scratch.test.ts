// Where a load's folder is made: in memory where that has room, elsewhere where it has not, and nowhere without room.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeScratchFolder, removeScratchFolder } from "../../../cli/measure/scratch.ts";

/** What a process says that makes a folder where memory has 1 MB, and TMPDIR the room that is told. */
function madeWith(tmpdirSize: string): string {
  const folder = mkdtempSync(join(tmpdir(), "trilane-scratch-"));
  const module = join(import.meta.dirname, "..", "..", "..", "cli", "measure", "scratch.ts");
  const text = `const { makeScratchFolder, throwIfFull } = await import(${JSON.stringify(module)});
    const { writeFileSync } = await import("node:fs");
    try {
      const made = await makeScratchFolder();
      console.log(made.folder);
      throwIfFull(made);
      try { writeFileSync(made.profile, Buffer.alloc(200e6)); } catch {}
      throwIfFull(made);
    } catch (error) { console.log(String(error)); }`;
  const mounts = `mount -t tmpfs -o size=1m none /dev/shm && mount -t tmpfs -o size=${tmpdirSize} none "$0" && exec "$@"`;
  const words = ["--user", "--map-root-user", "--mount", "sh", "-c", mounts, folder];
  try {
    const ran = spawnSync("unshare", [...words, process.execPath, "--input-type=module", "-e", text], {
      env: { ...process.env, TMPDIR: folder },
      encoding: "utf8",
    });
    assert.equal(ran.status, 0, ran.stderr);
    return ran.stdout.replaceAll(folder, "TMPDIR");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a load's folder is made, and gone at its end", async () => {
  const scratch = await makeScratchFolder();
  assert.ok(existsSync(scratch.folder));
  await removeScratchFolder(scratch);
  assert.ok(!existsSync(scratch.folder));
});

test("no room in memory nor in TMPDIR is one clear line", () => {
  assert.match(madeWith("50m"), /^RunError: TMPDIR: less than 100 MB left for loads: free some, or name .+ TMPDIR\n$/);
});

test("without room in memory it lies in TMPDIR; that it was full afterwards is told", () => {
  const [folder, full, ...more] = madeWith("150m").trimEnd().split("\n");
  assert.match(folder ?? "", /^TMPDIR\/trilane-load-/);
  assert.match(full ?? "", /^RunError: TMPDIR: less than 1 MB left/);
  assert.deepEqual(more, []);
});
