// cli/install/run_step.sh: what a step prints is in its log; the terminal has its progress and, if it fails, one line.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../cli/base/programs.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-step-");
const log = join(folder, "log", "step.log");

function step(script: string): { status: number | null; stdout: string; stderr: string } {
  const words = [join(checkout, "cli", "install", "run_step.sh"), log, "the step", "sh", "-c", script];
  const { status, stdout, stderr } = spawnSync("bash", words, { encoding: "utf8", timeout: 60_000 });
  return { status, stdout, stderr };
}

test("a step that works prints nothing, asks nothing, and has a log", () => {
  assert.deepEqual(step("echo out; echo err >&2; cat"), { status: 0, stdout: "", stderr: "" });
  assert.equal(readFileSync(log, "utf8"), "out\nerr\n");
});

test("a step that fails says what, why, what to do and where its log is, in one line", () => {
  for (const [said, why, remedy] of [
    [
      "   Compiling a\nerror: failed to run b\nUnable to find libclang: none\nmore",
      "Unable to find libclang: none",
      "install libclang-dev",
    ],
    [
      'Get:1 x\nE: Failed to fetch http://mirror.test/x  Could not resolve "mirror.test"\nE: again',
      'E: Failed to fetch http://mirror.test/x  Could not resolve "mirror.test"',
      "see that this machine reaches the network (or its proxy), then run this again",
    ],
    ["cp: x: No space left on device", "cp: x: No space left on device", "free some room"],
    [
      "base/child.c:1:2: error: no clock_of_link",
      "base/child.c:1:2: error: no clock_of_link",
      "see the log; after mending it, run this again",
    ],
    ["a word", "a word", "see the log; after mending it, run this again"],
  ] as const) {
    const { status, stderr } = step(`printf '%s\\n' '${said}'; exit 7`);
    assert.deepEqual([status, stderr], [7, `setup: the step failed: ${why}; ${remedy} (log: ${log})\n`]);
  }
  // A long log: who looks for the line does not read all of it.
  const { stderr } = step("echo error: first; echo 'fatal error: second'; seq 200000; echo failed; exit 1");
  assert.match(stderr, /^setup: the step failed: fatal error: second; .*\n$/);
  assert.match(step("exit 9").stderr, /^setup: the step failed: exit status 9; .*\n$/);
  assert.match(step("kill -9 $$").stderr, /^setup: the step failed: \(ended by signal 9\); free some memory .*\n$/);
});
