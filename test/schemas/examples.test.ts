// Every schema is a valid schema, takes all its valid examples and refuses all its invalid ones, each of which breaks
// one rule. The C tests read the same examples.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";

const schemas = join(import.meta.dirname, "..", "..", "schemas");
const parse = (path: string): object => JSON.parse(readFileSync(path, "utf8"));
const names = readdirSync(schemas)
  .filter((file) => file.endsWith(".schema.json"))
  .map((file) => file.replace(".schema.json", ""));

const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true });
addFormats.default(ajv);
// A schema may refer to another by its file name.
for (const name of names) ajv.addSchema(parse(join(schemas, `${name}.schema.json`)), `${name}.schema.json`);

for (const name of names) {
  const validate = () => {
    const compiled = ajv.getSchema(`${name}.schema.json`);
    assert.ok(compiled, `${name}.schema.json compiles`);
    return compiled;
  };
  for (const kind of ["valid", "invalid"] as const) {
    test(`schemas/${name}: ${kind} examples`, () => {
      const folder = join(schemas, "examples", name, kind);
      assert.ok(existsSync(folder), `${folder} exists`);
      const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
      assert.ok(files.length > 0, `${folder} has examples`);
      const takes = validate();
      for (const file of files) {
        const taken = takes(parse(join(folder, file)));
        assert.equal(taken, kind === "valid", `${name}/${kind}/${file}: ${ajv.errorsText(takes.errors)}`);
      }
    });
  }
}
