// What action.yml and the GitLab template run, with a program in place of trilane that notes its words, writes what it is to write, and
// ends with the status that the test wants.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../../temp_folder.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const script = join(root, "cli", "install", "ci_gate.sh");
const folder = tempFolder("trilane-ci-gate-");

const program = join(folder, "fake-trilane");
writeFileSync(
  program,
  `#!/bin/bash
printf '%s\\n' "$@" >"$NOTED"
for word; do case $previous in --junit) echo xml >"$word" ;; --markdown) echo comment >"$word" ;; esac; previous=$word; done
mkdir -p "$TRILANE_HOME/reports" && echo report >"$TRILANE_HOME/reports/1-compare.html"
exit "$STATUS"
`,
  { mode: 0o755 },
);

function gate(over: Record<string, string>) {
  const cwd = mkdtempSync(join(folder, "run-"));
  const at = (name: string): string => join(cwd, name);
  const environment = {
    ...{ PATH: process.env.PATH, TRILANE_COMMAND: program, NOTED: at("words"), STATUS: "0" },
    ...{ TRILANE_BEFORE: "old.har", TRILANE_AFTER: "new.har", TRILANE_LINK: "slow-4g", TRILANE_LANES: "" },
    ...{ GITHUB_STEP_SUMMARY: at("summary"), GITHUB_OUTPUT: at("output") },
    ...over,
  };
  const { status, stderr } = spawnSync("bash", [script], { cwd, env: environment, encoding: "utf8" });
  const read = (name: string): string | null => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : null);
  return { status, stderr, read };
}

test("inputs are words of one command, empty ones are left to its defaults, and a page's text is never a shell's", () => {
  const { status, read } = gate({ TRILANE_AFTER: "$(touch x); --json", TRILANE_BUDGET: "b.json" });
  assert.equal(status, 0);
  const words = read("words")?.split("\n") ?? [];
  assert.deepEqual(words, [
    ...[
      "compare",
      "old.har",
      "$(touch x); --json",
      "--interleaved",
      "--junit",
      "trilane-gate/junit.xml",
      "--markdown",
      "trilane-gate/comment.md",
    ],
    ...["--link=slow-4g", "--budget=b.json", ""],
  ]);
  assert.equal(read("x"), null);
  assert.equal(read("trilane-gate/report.html"), "report\n");
  assert.equal(read("summary"), "comment\n");
});

test("the status is the gate's: worse fails, no answer as it is wanted, and what could not run is told from both", () => {
  const outcome = (over: Record<string, string>) => {
    const { status, read } = gate(over);
    return [status, read("output")];
  };
  assert.deepEqual(outcome({}), [0, "verdict=fine\n"]);
  assert.deepEqual(outcome({ STATUS: "1" }), [1, "verdict=worse\n"]);
  assert.deepEqual(outcome({ STATUS: "3" }), [0, "verdict=unsure\n"]);
  assert.deepEqual(outcome({ STATUS: "3", TRILANE_UNSURE: "fail" }), [1, "verdict=unsure\n"]);
  assert.deepEqual(outcome({ STATUS: "2" }), [2, "verdict=failed\n"]);
  assert.deepEqual(outcome({ STATUS: "143" }), [2, "verdict=failed\n"]);
});

test("a missing version, a wrong word and a missing program are one line each", () => {
  for (const over of [
    { TRILANE_BEFORE: "" },
    { TRILANE_UNSURE: "no" },
    { TRILANE_AFTER: "--new" },
    { TRILANE_COMMAND: "no-such-trilane" },
  ]) {
    const { status, stderr } = gate(over as Record<string, string>);
    assert.notEqual(status, 0);
    assert.match(stderr, /^.*ci_gate\.sh: [^\n]+\n$/);
  }
});

test("the Action hands every input to the script by its environment, and none into a line of shell", () => {
  const action = readFileSync(join(root, "action.yml"), "utf8");
  const steps = action.slice(action.indexOf("runs:"));
  for (const [, name = ""] of steps.matchAll(/\$\{\{ inputs\.(\w+) \}\}/g))
    assert.match(action, new RegExp(`^ {2}${name}: `, "m"));
  for (const [, run = ""] of steps.matchAll(/ run: (.*(?:\n {8}.*)*)/g)) assert.doesNotMatch(run, /\$\{\{/);
});
