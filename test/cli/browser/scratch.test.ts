// Where a load's folder is made: in memory where that has room, elsewhere where it has not, and nowhere without room.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeScratchFolder } from "../../../cli/browser/scratch.ts";
import { tempFolder } from "../../temp_folder.ts";

/** What a process says that makes a folder where memory has 1 MB, and TMPDIR so many, or no limit (0), of which some are used. */
function madeWith(tmpdir_MB: number, used_MB = 0): string {
  const folder = tempFolder("trilane-scratch-");
  const module = join(import.meta.dirname, "..", "..", "..", "cli", "browser", "scratch.ts");
  const text = `const { makeScratchFolder, throwIfFull } = await import(${JSON.stringify(module)});
    const { writeFileSync } = await import("node:fs");
    try {
      const made = await makeScratchFolder();
      console.log(made.folder);
      throwIfFull(made);
      try { writeFileSync(made.profile, Buffer.alloc(200e6)); } catch {}
      throwIfFull(made);
    } catch (error) { console.log(String(error)); }`;
  const mounts = `mount -t tmpfs -o size=1m none /dev/shm && mkdir -p "$0" && mount -t tmpfs -o size=${tmpdir_MB}m none "$0" && head -c ${used_MB}MB /dev/zero >"$0/used" && exec "$@"`;
  const words = ["--user", "--map-root-user", "--mount", "sh", "-c", mounts, folder];
  const ran = spawnSync("unshare", [...words, process.execPath, "--input-type=module", "-e", text], {
    env: { ...process.env, TMPDIR: folder },
    encoding: "utf8",
  });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout.replaceAll(folder, "TMPDIR");
}

test("a load's folder is made, and gone at its end", async () => {
  const scratch = await makeScratchFolder();
  assert.ok(existsSync(scratch.folder));
  await scratch.remove();
  assert.ok(!existsSync(scratch.folder));
});

test("no room in memory nor in TMPDIR is one clear line", () => {
  assert.match(madeWith(300, 220), /^RunError: TMPDIR: less than 100 MB left: free some, or name .+ TMPDIR\n$/);
});

test("without room in memory it lies in TMPDIR; that it was full afterwards is told", () => {
  const [folder, full, ...more] = madeWith(150).trimEnd().split("\n");
  assert.match(folder ?? "", /^TMPDIR\/trilane-load-/);
  assert.match(full ?? "", /^RunError: TMPDIR: less than 1 MB left/);
  assert.deepEqual(more, []);
});

test("a small file system is used up to its half, and one that does not tell its size as it is", () => {
  assert.match(madeWith(50, 20), /^TMPDIR\/trilane-load-/);
  assert.match(madeWith(50, 30), /^RunError: TMPDIR: less than 27 MB left/);
  assert.match(madeWith(0).split("\n")[0] ?? "", /^TMPDIR\/trilane-load-/);
});
