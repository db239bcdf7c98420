// Types that several schemas share stand in one module each, and the others import them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { modulesOf } from "../../../cli/install/generated_modules.ts";

const size = "/**\n * In bytes.\n */\nexport interface Size {\n  bytes: number;\n}";
const load = "export interface Load {\n  size: Size;\n}";

test("a shared type is imported from the schema that defines it, over several references", () => {
  const modules = modulesOf([
    { name: "size", text: `// of size\n\n${size}\n`, refersTo: [] },
    { name: "load", text: `// of load\n\n${load}\n${size}\n`, refersTo: ["size"] },
    { name: "loads", text: `// of loads\n\nexport type Loads = Load[];\n${load}\n${size}\n`, refersTo: ["load"] },
  ]);
  assert.equal(modules.get("size"), `// of size\n\n${size}\n`);
  assert.equal(modules.get("load"), `// of load\nimport type { Size } from "./size.ts";\n\n${load}\n`);
  assert.equal(
    modules.get("loads"),
    `// of loads\nimport type { Load } from "./load.ts";\n\nexport type Loads = Load[];\n`,
  );
});

test("what only has the same name stays, and so does what is the same in a schema that is not referred to", () => {
  const other = size.replace("bytes: number", "bits: number");
  const modules = modulesOf([
    { name: "size", text: `// of size\n\n${size}\n`, refersTo: [] },
    { name: "load", text: `// of load\n\n${load}\n${other}\n`, refersTo: ["size"] },
    { name: "alone", text: `// of alone\n\n${load}\n${size}\n`, refersTo: [] },
  ]);
  assert.equal(modules.get("load"), `// of load\n\n${load}\n${other}\n`);
  assert.equal(modules.get("alone"), `// of alone\n\n${load}\n${size}\n`);
});
