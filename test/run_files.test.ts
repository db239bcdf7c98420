// Test files run in the order given, each reporter writes its file, and the exit status says if one failed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "trilane-run-files-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function run(names: readonly string[]) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const at = (name: string): string => join(import.meta.dirname, name);
  const reporters = ["passed", "failed"].map((name) => `${at(`${name}_files.ts`)}=${join(folder, name)}`);
  const files = names.map((name) => join(folder, `${name}.test.mjs`));
  const words = [
    "--disable-warning=ExperimentalWarning",
    at("run_files.ts"),
    "1",
    "60000",
    ...reporters,
    "--",
    ...files,
  ];
  const { status, stdout } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
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
  };
}

test("files run in their order; a failed one, and one that is killed, end with status 1", () => {
  for (const name of ["a", "b", "c"])
    writeFileSync(join(folder, `${name}.test.mjs`), `import { test } from "node:test"; test("${name}", () => {});`);
  writeFileSync(
    join(folder, "killed.test.mjs"),
    `import { test } from "node:test"; test("killed", () => process.kill(process.pid, "SIGKILL"));`,
  );
  assert.deepEqual(run(["c", "a", "b"]), { status: 0, order: ["c", "a", "b"], passed: ["c", "a", "b"], failed: [] });
  const { status, passed, failed } = run(["b", "killed", "a"]);
  assert.deepEqual([status, passed, failed], [1, ["b", "a"], ["killed"]]);
});
