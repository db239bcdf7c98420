// A test of time passes, fails, or is inconclusive: the last only where it fails and its measurements were disturbed. Of those in C a
// sanitizer's finding is no matter of time.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "./temp_folder.ts";

const folder = tempFolder("trilane-calm-");

const cases = `import assert from "node:assert/strict";
import { timedTest } from ${JSON.stringify(join(import.meta.dirname, "calm_machine.ts"))};
const surroundings = (isCalm) => ({ watchOthers: () => () => isCalm, untilCalm: async (left_ms) => 1, slowdownBySleep: async () => 1.9 });
timedTest("one", async (calm) => calm.disturbed("30 ms"));
timedTest("two", async () => assert.fail("slope 5"), surroundings(true));
timedTest("three", async (calm) => { calm.disturbed("30 ms"); assert.fail("slope 5"); });
timedTest("four", async (calm) => { calm.disturbed("30 ms"); throw new Error("the server has gone"); });
let tries = 0;
timedTest("five", async (calm) => { calm.disturbed("itself"); assert.fail("try " + ++tries); }, surroundings(true));
let others = 0;
timedTest("six", async (calm) => { calm.disturbed("others"); assert.ok(++others > 9); }, surroundings(false));
let second = 0;
timedTest("seven", async (calm) => { calm.disturbed("others"); assert.ok(++second > 1); }, surroundings(true));
timedTest("eight", async () => assert.fail("slope 3.1"), { ...surroundings(true), slowdownBySleep: async () => 2.1 });
timedTest("nine", async () => { throw new Error("gone"); }, { ...surroundings(true), slowdownBySleep: async () => 9 });`;

test("disturbed, a test that holds passes, and one that does not is inconclusive; undisturbed or only by itself it fails", () => {
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
  assert.match(outcome, /^ok 1 - one \(timed\)$/m);
  assert.match(outcome, /^not ok 2 - two \(timed\)$/m);
  assert.match(outcome, /^ok 3 - three \(timed\) # SKIP inconclusive: disturbed: 30 ms; failed by slope 5/m);
  assert.match(outcome, /^not ok 4 - four \(timed\)$/m);
  // The first, and two further ones while the machine was calm.
  assert.match(outcome, /^not ok 5 - five \(timed\)$[\s\S]*?try 3/m);
  assert.doesNotMatch(outcome, /try 4/);
  for (const passed of ["6 - six", "7 - seven"]) assert.match(outcome, new RegExp(`^ok ${passed} \\(timed\\)$`, "m"));
  // Calm as it is, the machine computes slower after it slept; only of what was measured that says something.
  assert.match(
    outcome,
    /^ok 8 - eight \(timed\) # SKIP inconclusive: disturbed: after a sleep of 300 ms .* 2\.1 times slower/m,
  );
  assert.match(outcome, /^not ok 9 - nine \(timed\)$/m);
  assert.match(run([`--test-reporter=${reporter}`]), /^inconclusive: three \(timed\): disturbed: 30 ms/m);
});

test("a file's tests of time are left for later, or run alone", () => {
  const file = join(folder, "mixed.test.ts");
  const module = JSON.stringify(join(import.meta.dirname, "calm_machine.ts"));
  const tests = 'test("plain", () => {}); timedTest("of time", async () => {});';
  writeFileSync(file, `import { test } from "node:test"; import { timedTest } from ${module}; ${tests}`);
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const names = (TRILANE_TIMED: string): (string | undefined)[] => {
    const words = [join(import.meta.dirname, "run_files.ts"), "1", "60000", "60000", "--", file];
    const options = { env: { ...environment, TRILANE_TIMED }, encoding: "utf8" } as const;
    const { stdout } = spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", ...words], options);
    return [...stdout.matchAll(/^✔ (.*) \([\d.]+ms\)$/gm)].map(([, name]) => name);
  };
  assert.deepEqual(["", "later", "only"].map(names), [["plain", "of time (timed)"], ["plain"], ["of time (timed)"]]);
});

/** The exit status of test/native/timing.sh with a program of shell. */
function timing(program: string, functional: readonly string[] = []): number | null {
  const file = join(folder, "program.sh");
  const waits = join(folder, "native-waits");
  writeFileSync(file, `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  writeFileSync(waits, "720000\n");
  const { ASAN_OPTIONS: _, UBSAN_OPTIONS: __, ...environment } = process.env;
  const env = { ...environment, TRILANE_TEST_WAITS: waits };
  return spawnSync("bash", [join(import.meta.dirname, "native", "timing.sh"), "x", file, ...functional], { env })
    .status;
}

test("a program of C that passes has passed, and one in which a sanitizer finds something has failed", () => {
  assert.equal(timing("exit 0"), 0);
  assert.equal(timing('eval "$ASAN_OPTIONS"; echo found >"$log_path.1"; exit 3'), 3);
  assert.equal(timing('eval "$UBSAN_OPTIONS"; exit "$exitcode"'), 99);
});

/** As cmocka prints a test that ran. */
const ran = (name: string, outcome: "  FAILED  " | "       OK "): string =>
  `echo "[ RUN      ] ${name}"; echo "[${outcome}] ${name}"`;

test("a program of C in which a functional test fails, or which crashes, has failed, however disturbed the machine is", () => {
  // Uses a CPU more than a calm machine does.
  const busy = spawn("sh", ["-c", "while :; do :; done"]);
  const more = spawn("sh", ["-c", "while :; do :; done"]);
  try {
    const wait = "sleep 0.5";
    const failedTimed = `${ran("slope", "  FAILED  ")}; ${ran("head", "       OK ")}; ${wait}; exit 1`;
    const failedHead = `${ran("slope", "  FAILED  ")}; ${ran("head", "  FAILED  ")}; ${wait}; exit 2`;
    assert.equal(timing(failedTimed, ["head"]), 77);
    assert.equal(timing(failedHead, ["head"]), 2);
    assert.equal(timing(failedHead), 77);
    // A failed test releases nothing, in which the sanitizer finds leaks, and nothing else.
    const sanitized = (words: string): string => `eval "$ASAN_OPTIONS"; echo "${words}" >"$log_path.1"; ${failedTimed}`;
    assert.equal(timing(sanitized("ERROR: LeakSanitizer: detected memory leaks")), 77);
    assert.equal(timing(sanitized("ERROR: AddressSanitizer: heap-use-after-free")), 1);
    // A name that the program does not have.
    assert.equal(timing(failedTimed, ["haed"]), 1);
    assert.equal(timing(`echo "Test failed with exception: Segmentation fault(11)"; ${wait}; exit 1`), 1);
    assert.equal(timing(`${wait}; kill -9 $$`), 137);
  } finally {
    busy.kill();
    more.kill();
  }
});
