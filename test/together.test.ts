// Files that share a process: each stands in one group, beside its neighbours, but for those that change their process.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { needsOwnProcess } from "./together.ts";

test("files that change or watch their process are run by themselves, all others in groups", () => {
  const folder = mkdtempSync(join(tmpdir(), "trilane-together-"));
  try {
    const texts = {
      a: `import { beforeEach, test } from "node:test"; beforeEach(() => console.log("a's hook")); test("a", () => {});`,
      b: 'process.env.HOME = "/";',
      c: "globalThis.x = 1;",
      d: 'import { test } from "node:test"; test("d", () => {});',
      e: "const x = 1;",
    };
    mkdirSync(join(folder, "files"));
    const paths = Object.entries(texts).map(([name, text]) => {
      const path = join(folder, "files", `${name}.test.ts`);
      writeFileSync(path, text);
      return path;
    });
    const [a, b, c, d, e] = paths;
    const made = join(folder, "made");
    const words = ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "together.ts"), made, "2"];
    const { stdout, stderr } = spawnSync(process.execPath, [...words, ...paths.toReversed()], { encoding: "utf8" });
    assert.equal(stderr, "");
    const groups = [join(made, "1.test.mjs"), join(made, "2.test.mjs")];
    assert.deepEqual(stdout.trimEnd().split("\n"), [...groups, c, b]);
    const imports = groups.map((path) =>
      [...readFileSync(path, "utf8").matchAll(/import\("(.*)"\)/g)].map(([, file]) => file),
    );
    assert.deepEqual(imports, [[a, d], [e]]);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const run = spawnSync(process.execPath, ["--test", "--test-reporter=spec", groups[0] ?? ""], {
      env,
      encoding: "utf8",
    });
    assert.match(run.stdout, /^a's hook\n(?!.*a's hook).*✔ a .*✔ d /s);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("what changes a process is known", () => {
  for (const text of [
    "process.chdir(x)",
    "process.env[name] = x",
    "delete process.env.X",
    "mock.method(a)",
    "}, mock.timers",
    'import { x } from "./growth.ts";',
  ])
    assert.ok(needsOwnProcess(text), text);
  for (const text of [
    "process.env.HOME ?? x",
    "if (process.env.A === b)",
    "beforeEach(x);",
    "context.mock.method(a)",
    "process.execPath",
  ])
    assert.ok(!needsOwnProcess(text), text);
});
