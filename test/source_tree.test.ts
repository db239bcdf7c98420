// The source read as a graph: what a file reaches, types and dynamic imports included, and which files are a paragraph of another.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { checkout } from "../cli/base/programs.ts";
import { importsOf, linesOf, paragraphs, reachOf, sourceFiles, typescriptImport } from "./source_tree.ts";
import { tempFolder } from "./temp_folder.ts";

const tree = {
  "cli/commands/race.ts": 'import { run } from "../sweep/run.ts";\nawait import("../late.ts");\n',
  "cli/sweep/run.ts": 'import type { Link } from "../link.ts";\nexport const run = 1;\n',
  "cli/link.ts": 'import { run } from "./sweep/run.ts";\nexport interface Link {}\n',
  "cli/late.ts": `${"//\n".repeat(30)}`,
  "cli/alone.ts": 'import "./late.ts";\n',
  "cli/generated/types.ts": "export {};\n",
  "cli/plan.json": "{}\n",
};

test("reach follows types, dynamic imports and cycles; lines leave out data and generated files; a paragraph has one importer", () => {
  const root = tempFolder("trilane-test-");
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const imports = importsOf(root, "cli/**/*.ts", typescriptImport, (file) => [dirname(file)]);
  assert.deepEqual([...reachOf("cli/commands/race.ts", imports)].toSorted(), [
    "cli/commands/race.ts",
    "cli/late.ts",
    "cli/link.ts",
    "cli/sweep/run.ts",
  ]);
  const files = sourceFiles(root, ["cli"]);
  assert.equal(linesOf(files), 37);
  assert.equal(files.length, 5);
  assert.deepEqual(paragraphs(files, imports, 30), [{ path: "cli/link.ts", lines: 2, importer: "cli/sweep/run.ts" }]);
});

test("files that the source names are there", () => {
  const named = /\b(?:cli|extension|native-host|schemas|shaper|test)\/[\w./-]+\.(?:ts|c|h|sh|py|json|sql|css)\b/g;
  const files = sourceFiles(checkout, ["cli", "extension", "native-host", "shaper"]);
  const missing = files.flatMap(({ path }) =>
    [...readFileSync(join(checkout, path), "utf8").matchAll(named)]
      .map(([name]) => name)
      .filter((name) => !name.includes("NAME") && !existsSync(join(checkout, name)))
      .map((name) => `${path} names ${name}`),
  );
  assert.deepEqual(missing, []);
});
