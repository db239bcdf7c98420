// A file of the part `wide` runs again if anything changed that it depends on, and only then. test/e2e/ itself names folders that there are.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { checkout } from "../cli/base/programs.ts";
import { tempFolder } from "./temp_folder.ts";
import { allImports, digestOf, foldersOf } from "./wide.ts";

const folder = tempFolder("trilane-wide-");

const tree = {
  "test/e2e/wide.test.ts": '// Wide: cli/bundle, native-host/replay.\nimport "./site.ts";\n',
  "test/e2e/site.ts": 'import type { Lane } from "../../cli/lanes.ts";\n',
  "cli/lanes.ts": "export type Lane = string;\n",
  "cli/bundle/write.ts": 'import { zip } from "../zip.ts";\n',
  "cli/bundle/layout.json": "{}\n",
  "cli/zip.ts": "export const zip = 1;\n",
  "cli/other.ts": 'import "./bundle/write.ts";\n',
  "native-host/replay/main.c": '#include "base/loop.h"\n',
  "native-host/base/loop.h": "int loop(void);\n",
  "native-host/base/loop.c": '#include "base/loop.h"\n#include "base/clock.h"\n',
  "native-host/base/clock.h": "int now(void);\n",
  "native-host/fetch/main.c": '#include "base/loop.h"\n',
  "package-lock.json": "{}\n",
};

test("the digest changes with the folders, with all that they and the test import, and with nothing else", () => {
  const root = join(folder, "root");
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const digest = (): string => {
    const file = "test/e2e/wide.test.ts";
    return digestOf(root, file, foldersOf(readFileSync(join(root, file), "utf8")) ?? [], allImports(root));
  };
  const changes = Object.keys(tree).filter((path) => {
    const before = digest();
    appendFileSync(join(root, path), "\n");
    return digest() !== before;
  });
  const unrelated = ["cli/other.ts", "native-host/fetch/main.c"];
  assert.deepEqual(
    changes,
    Object.keys(tree).filter((path) => !unrelated.includes(path)),
  );
  assert.throws(
    () => digestOf(root, "x.test.ts", ["cli/gone"], []),
    /x\.test\.ts: "Wide: cli\/gone": there is no such/,
  );
});

const wide = (words: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
  spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "wide.ts"), ...words],
    {
      encoding: "utf8",
      env: { ...process.env, TRILANE_CACHE: join(folder, "cache"), TRILANE_WIDE: "", ...environment },
    },
  );

test("what passed is not due any more, unless TRILANE_WIDE is set", () => {
  const all = globSync("test/e2e/*.test.ts", { cwd: checkout })
    .filter((path) => foldersOf(readFileSync(join(checkout, path), "utf8")) !== null)
    .toSorted();
  const due = (environment?: NodeJS.ProcessEnv) => {
    const { status, stdout, stderr } = wide(["due", "wide"], environment);
    assert.equal(status, 0, stderr);
    return stdout.split("\n").slice(0, -1);
  };
  assert.ok(all.length >= 5);
  assert.deepEqual(due(), all);
  const [first = "", ...others] = all;
  writeFileSync(join(folder, "passed"), `${join(checkout, first)}\n`);
  assert.equal(wide(["passed", join(folder, "passed")]).status, 0);
  assert.deepEqual(due(), others);
  assert.deepEqual(due({ TRILANE_WIDE: "1" }), all);
  assert.match(wide(["due", "slow"]).stdout, /^test\/cli\/.*\.slow\.test\.ts\n/);
});

test("passed is a file of which every test passed: none failed, none was skipped", () => {
  const files = {
    "passing.test.mjs": `import { test } from "node:test"; test("passes", () => {});`,
    "skipped.test.mjs": `import { test } from "node:test"; test("passes", () => {}); test("skipped", { skip: "not here" }, () => {});`,
    "failing.test.mjs": `import { test } from "node:test"; test("fails", () => { throw new Error("as it should"); });`,
    "killed.test.mjs": `import { test } from "node:test"; test("killed", () => process.kill(process.pid, "SIGKILL"));`,
  };
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const reporter = `--test-reporter=${join(import.meta.dirname, "passed_files.ts")}`;
  const { stdout } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--test", reporter, ...paths],
    { env, encoding: "utf8" },
  );
  assert.equal(stdout, `${join(folder, "passing.test.mjs")}\n`);
});
