// The file that failed is the one that ran, also if its failing test is declared in another, and if something ended it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "./temp_folder.ts";

const folder = realpathSync(tempFolder("trilane-failed-"));

const files = {
  // Declares what others run, as calm_machine.ts does, and has a test that passes.
  "elsewhere.test.mjs": `import { test } from "node:test";
    export const declared = (name, work) => test(name, work);
    test("trivial", () => {});`,
  "failing.test.mjs": `import { declared } from "./elsewhere.test.mjs";
    declared("fails", () => { throw new Error("as it should"); });`,
  "inner.test.mjs": `import { describe, test } from "node:test";
    describe("outer", () => { test("inner", () => { throw new Error("inner"); }); });`,
  "passing.test.mjs": `import { declared } from "./elsewhere.test.mjs"; declared("passes", () => {});`,
  "skipped.test.mjs": `import { test } from "node:test"; test("skipped", { skip: "no reason" }, () => {});`,
  "killed.test.mjs": `import { test } from "node:test"; test("first", () => {});
    test("killed", () => process.kill(process.pid, "SIGKILL"));`,
  "status.test.mjs": `import { after, test } from "node:test"; test("passes", () => {}); after(() => process.exit(3));`,
  "unreadable.test.mjs": "this is no program",
};

test("failed files are those that ran: tests declared elsewhere, nested ones, a killed process, a bad exit status, no program", () => {
  const paths = Object.entries(files).map(([name, text]) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  });
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const words = ["--test", `--test-reporter=${join(import.meta.dirname, "failed_files.ts")}`, ...paths];
  const { stdout } = spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", ...words], {
    env,
    encoding: "utf8",
  });
  const failed = stdout.trim().split("\n").sort();
  const expected = ["failing", "inner", "killed", "status", "unreadable"].map((name) =>
    join(folder, `${name}.test.mjs`),
  );
  assert.deepEqual(failed, expected);
});
