// `trilane man FOLDER`: pages that all users can read, or one line that says which folder to name.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../cli/base/programs.ts";
import type { ManWritten } from "../../../schemas/generated/man_written.ts";
import { schemaErrors } from "../../schemas/schema_errors.ts";
import { tempFolder } from "../../temp_folder.ts";
import { assertRefused } from "../refusal.ts";

const folder = tempFolder("trilane-man-");

function man(target: string, ...more: string[]): { status: number | null; stdout: string; stderr: string } {
  const words = ["-c", 'umask 077 && exec "$@"', "sh", join(checkout, "cli", "trilane"), "man", target, ...more];
  return spawnSync("sh", words, { encoding: "utf8", timeout: 300_000 });
}

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test("folders and pages can be read by all, whatever the umask", () => {
  const made = join(folder, "share", "man1");
  const { status, stdout, stderr } = man(made, "--json");
  assert.equal(status, 0, stderr);
  assert.deepEqual([join(folder, "share"), made].map(mode), ["755", "755"]);
  const modes = readdirSync(made).map((name) => mode(join(made, name)));
  assert.deepEqual([...new Set(modes)], ["644"]);
  const written = JSON.parse(stdout) as ManWritten;
  assert.equal(schemaErrors("man-written", written), null);
  assert.deepEqual([written.folder, written.pages.toSorted()], [made, readdirSync(made).toSorted()]);
});

test("a symlink in a page's place is replaced, not followed", () => {
  const target = join(folder, "linked");
  const victim = join(folder, "victim");
  mkdirSync(target);
  writeFileSync(victim, "precious");
  symlinkSync(victim, join(target, "trilane.1"));
  symlinkSync(join(folder, "nowhere"), join(target, "trilane-race.1"));
  assert.equal(man(target).status, 0);
  assert.equal(readFileSync(victim, "utf8"), "precious");
  assert.equal(existsSync(join(folder, "nowhere")), false);
  assert.ok(["trilane.1", "trilane-race.1"].every((name) => lstatSync(join(target, name)).isFile()));
});

test("where no pages can be written, it says to name another folder", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  // Nothing can be made in /proc, also by root; the kernel reports a folder that is not there.
  for (const target of [file, join(file, "below"), "/proc/trilane-man", "/proc/trilane/man"])
    await assertRefused(
      ["man", target],
      /^man: no pages can be written into \S+ \(E\w+\): name a folder that you can write to$/,
    );
});
