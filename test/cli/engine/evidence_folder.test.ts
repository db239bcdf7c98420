// --evidence where no folder can be: told at once in a line that names it, before a sweep is there.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { UserError } from "../../../cli/base/errors.ts";
import { makeEvidenceFolder } from "../../../cli/engine/evidence_folder.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trilane-evidence-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a folder is made with those above it, and one that is there is taken", () => {
  const path = join(folder, "a", "b", "c");
  makeEvidenceFolder(path);
  makeEvidenceFolder(path);
  assert.deepEqual(readdirSync(path), []);
});

test("what can be no folder is refused, and leaves nothing", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  for (const path of [file, join(file, "a", "b"), join(folder, "a", "x".repeat(300)), "/proc", "/proc/x/y", "/sys/x"])
    assert.throws(
      () => makeEvidenceFolder(path),
      (error) =>
        error instanceof UserError && error.message.startsWith(`--evidence ${path}: `) && !error.message.includes("\n"),
    );
  assert.deepEqual(readdirSync(folder), ["file"]);
});

test("a race with such a folder ends before its sweep begins", () => {
  const trilane = [join(import.meta.dirname, "../../../cli/trilane"), "--home", folder] as const;
  execFileSync(trilane[0], ["synth", "carlucci-small", ...trilane.slice(1)]);
  for (const evidence of ["/proc/x", "/sys/x"]) {
    const words = ["race", "carlucci-small", "--lanes", "h2", "--runs", "1", "--evidence", evidence];
    const { status, stderr } = spawnSync(trilane[0], [...words, ...trilane.slice(1)], {
      encoding: "utf8",
      timeout: 300_000,
      killSignal: "SIGKILL",
    });
    assert.equal(status, 2, stderr);
    assert.match(stderr, new RegExp(`^trilane: --evidence ${evidence}: nothing can be written there.*\\n$`));
  }
  assert.ok(!existsSync(join(folder, "results.db")));
});
