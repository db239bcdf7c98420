// What cli/trilane says where set-up has not been run, or not since the packages changed: one line instead of what Node says of a
// package that is not there. And when it starts the bundle, when the sources.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { tempFolder } from "../temp_folder.ts";

const root = tempFolder("trilane-script-");
mkdirSync(join(root, "cli"));
mkdirSync(join(root, "build"));
copyFileSync(join(import.meta.dirname, "../../cli/trilane"), join(root, "cli/trilane"));
writeFileSync(join(root, "cli/main.ts"), 'console.log("begun");');
writeFileSync(join(root, "package-lock.json"), "as of today");

const start = () => spawnSync("sh", [join(root, "cli/trilane")], { encoding: "utf8", timeout: 300_000 });

test("no packages, packages of another time, packages as they should be", () => {
  const bare = start();
  assert.deepEqual([bare.status, bare.stdout], [2, ""]);
  assert.match(bare.stderr, /^trilane: not set up yet: run `npm run setup` in .*\n$/);
  mkdirSync(join(root, "node_modules/.bin"), { recursive: true });
  symlinkSync(process.execPath, join(root, "node_modules/.bin/node"));
  writeFileSync(join(root, "build/npm-done"), "as of yesterday");
  const late = start();
  assert.deepEqual([late.status, late.stdout], [2, ""]);
  assert.match(late.stderr, /^trilane: its packages have changed since it was set up: run `npm run setup` in .*\n$/);
  writeFileSync(join(root, "build/npm-done"), "as of today");
  assert.equal(start().stdout, "begun\n");
  rmSync(join(root, "build/npm-done"));
  assert.equal(start().stdout, "begun\n");
});

test("the bundle is started until a source is changed, added, removed or replaced by one of an old date", async () => {
  const made = join(root, "build/cli/made");
  for (const folder of ["build/cli", "extension", "schemas"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "build/cli/main.js"), 'console.log("bundled");');
  assert.equal(start().stdout, "begun\n", "a bundle that was not finished");
  // Clocks of files are coarse.
  const bundle = async (): Promise<void> => {
    await pause(50);
    writeFileSync(made, "");
    assert.equal(start().stdout, "bundled\n");
    await pause(50);
  };
  const source = join(root, "extension/a.ts");
  const changes: Readonly<Record<string, () => void>> = {
    added: () => writeFileSync(source, "1"),
    changed: () => writeFileSync(source, "2"),
    "of an old date": () => {
      writeFileSync(source, "3");
      utimesSync(source, 0, 0);
    },
    renamed: () => renameSync(source, join(root, "schemas/b.ts")),
    removed: () => rmSync(join(root, "schemas/b.ts")),
  };
  for (const [name, change] of Object.entries(changes)) {
    await bundle();
    change();
    assert.equal(start().stdout, "begun\n", name);
  }
});
