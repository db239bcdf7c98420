// Test files run in the order given, each reporter writes its file, the exit status says if one failed, and none runs for ever.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startedBy } from "./bounded.ts";
import { tempFolder } from "./temp_folder.ts";

const folder = tempFolder("trilane-run-files-");

function run(names: readonly string[], limit_ms = 60_000) {
  const times = join(folder, "times");
  const { NODE_TEST_CONTEXT: _, TRILANE_TEST_FILE: __, ...outer } = process.env;
  const env = { ...outer, TRILANE_TEST_TIMES: times };
  const at = (name: string): string => join(import.meta.dirname, name);
  const reporters = ["passed", "failed"].map((name) => `${at(`${name}_files.ts`)}=${join(folder, name)}`);
  const files = names.map((name) => join(folder, `${name}.test.mjs`));
  const words = [
    "--disable-warning=ExperimentalWarning",
    "--import",
    at("bounded.ts"),
    at("run_files.ts"),
    "1",
    "60000",
    String(limit_ms),
    ...reporters,
    "--",
    ...files,
  ];
  rmSync(times, { force: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
  const listed = (name: string): string[] =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .slice(0, -1)
      .map((path) => path.slice(folder.length + 1, -".test.mjs".length));
  return {
    status,
    order: [...stdout.matchAll(/^[✔✖] (\w+) \(/gm)].map(([, name]) => name),
    passed: listed("passed"),
    failed: listed("failed"),
    stderr,
    times: readFileSync(times, "utf8"),
  };
}

test("files run in their order; a failed one, and one that is killed, end with status 1", () => {
  for (const name of ["a", "b", "c"])
    writeFileSync(join(folder, `${name}.test.mjs`), `import { test } from "node:test"; test("${name}", () => {});`);
  writeFileSync(
    join(folder, "killed.test.mjs"),
    `import { test } from "node:test"; test("killed", () => process.kill(process.pid, "SIGKILL"));`,
  );
  const whole = run(["c", "a", "b"]);
  assert.deepEqual([whole.status, whole.order], [0, ["c", "a", "b"]]);
  assert.deepEqual([whole.passed, whole.failed], [["c", "a", "b"], []]);
  assert.match(whole.times, /^(?:\d+\.\d\t\d+\.\d\t\S+\/[cab]\.test\.mjs\n){3}$/);
  const { status, passed, failed } = run(["b", "killed", "a"]);
  assert.deepEqual([status, passed, failed], [1, ["b", "a"], ["killed"]]);
});

test("a process that cannot be looked into is a file's if its parent is, or a child of a program of Trilane's", () => {
  const environment = "TRILANE_TEST_FILE=7\0";
  const name = "node";
  const processes = [
    { pid: 7, parent: 1, name, environment: "" },
    { pid: 8, parent: 7, name, environment },
    { pid: 9, parent: 8, name, environment: null },
    { pid: 10, parent: 1, name: "trilane-shaper", environment: null },
    { pid: 11, parent: 10, name, environment },
    { pid: 12, parent: 1, name: "trilane-shaper", environment: null },
    { pid: 13, parent: 7, name, environment: null },
    { pid: 14, parent: 1, name, environment: "TRILANE_TEST_FILE=77\0" },
    // Orphans are given to it.
    { pid: 15, parent: 0, name: "systemd", environment: null },
    { pid: 16, parent: 15, name, environment },
  ];
  assert.deepEqual(startedBy(7, processes), [9, 10, 13, 8, 11, 16]);
});

test("a file that does not end is killed with what it started, and named", () => {
  const started = join(folder, "started");
  writeFileSync(
    join(folder, "endless.test.mjs"),
    `import { execFileSync, spawn } from "node:child_process"; import { writeFileSync } from "node:fs"; import { test } from "node:test";
    test("endless", () => {
      writeFileSync(${JSON.stringify(started)}, String(spawn("sleep", ["1000"], { detached: true }).pid));
      execFileSync("sleep", ["1000"]);
    });`,
  );
  writeFileSync(join(folder, "short.test.mjs"), `import { test } from "node:test"; test("short", () => {});`);
  // A busy machine may need longer to begin.
  let limit_s = 3;
  let ran = run(["endless", "short"], limit_s * 1000);
  for (; limit_s < 48 && !(existsSync(started) && ran.passed.includes("short")); ) {
    limit_s *= 4;
    ran = run(["endless", "short"], limit_s * 1000);
  }
  const { status, passed, failed, stderr } = ran;
  assert.deepEqual([status, passed, failed], [1, ["short"], ["endless"]]);
  assert.match(stderr, new RegExp(`endless\\.test\\.mjs: not ended within ${limit_s} s`));
  // Gone, or killed with nobody to take its status.
  const words = `/proc/${readFileSync(started, "utf8")}/cmdline`;
  assert.ok(!existsSync(words) || readFileSync(words, "utf8") === "");
});
