// A test of time passes, fails, or is inconclusive: the last only where it fails and its measurements were disturbed. Of those in C a
// sanitizer's finding is no matter of time.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "trilane-calm-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const cases = `import assert from "node:assert/strict";
import { timedTest } from ${JSON.stringify(join(import.meta.dirname, "calm_machine.ts"))};
timedTest("one", async (calm) => calm.disturbed("30 ms"));
timedTest("two", async () => assert.fail("slope 5"));
timedTest("three", async (calm) => { calm.disturbed("30 ms"); assert.fail("slope 5"); });
timedTest("four", async (calm) => { calm.disturbed("30 ms"); throw new Error("the server has gone"); });`;

test("disturbed, a test that holds passes, and one that does not is inconclusive; undisturbed it fails", () => {
  const file = join(folder, "timed.test.ts");
  const waits = join(folder, "waits");
  writeFileSync(file, cases);
  // All time to wait is used up.
  writeFileSync(waits, "720000\n");
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const reporter = join(import.meta.dirname, "skipped.ts");
  const run = (words: readonly string[]): string =>
    spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", "--test", ...words, file], {
      env: { ...environment, TRILANE_TEST_WAITS: waits },
      encoding: "utf8",
    }).stdout;
  const outcome = run(["--test-reporter=tap"]);
  assert.match(outcome, /^ok 1 - one$/m);
  assert.match(outcome, /^not ok 2 - two$/m);
  assert.match(outcome, /^ok 3 - three # SKIP inconclusive: disturbed: 30 ms; failed by slope 5/m);
  assert.match(outcome, /^not ok 4 - four$/m);
  assert.match(run([`--test-reporter=${reporter}`]), /^inconclusive: three: disturbed: 30 ms/m);
});

/** The exit status of test/native/timing.sh with a program of shell. */
function timing(program: string): number | null {
  const file = join(folder, "program.sh");
  const waits = join(folder, "native-waits");
  writeFileSync(file, `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  writeFileSync(waits, "720000\n");
  const { ASAN_OPTIONS: _, UBSAN_OPTIONS: __, ...environment } = process.env;
  const env = { ...environment, TRILANE_TEST_WAITS: waits };
  return spawnSync("bash", [join(import.meta.dirname, "native", "timing.sh"), "x", file], { env }).status;
}

test("a program of C that passes has passed, and one in which a sanitizer finds something has failed", () => {
  assert.equal(timing("exit 0"), 0);
  assert.equal(timing('eval "$ASAN_OPTIONS"; echo found >"$log_path.1"; exit 3'), 3);
  assert.equal(timing('eval "$UBSAN_OPTIONS"; exit "$exitcode"'), 99);
});
