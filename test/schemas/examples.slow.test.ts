// Every schema is a valid schema, takes its examples, and refuses each of their mutations for the one reason that its line
// names. The C tests read the same examples and mutations of messages.
// Wide: schemas.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { examplesOf, inlined, mutated, mutationsOf, onlyErrors, schemas } from "./mutations.ts";

const names = readdirSync(schemas)
  .filter((file) => file.endsWith(".schema.json"))
  .map((file) => file.replace(".schema.json", ""));

const ajv = new Ajv({
  strict: true,
  allErrors: true,
  allowUnionTypes: true,
  code: { optimize: false },
  keywords: ["setting", "metric", "tsType"],
});
addFormats.default(ajv);
// A schema may refer to another by its file name.
for (const name of names)
  ajv.addSchema(JSON.parse(readFileSync(join(schemas, `${name}.schema.json`), "utf8")), `${name}.schema.json`);
for (const file of readdirSync(join(schemas, "generated")).filter((each) => each.endsWith(".schema.json")))
  ajv.addSchema(JSON.parse(readFileSync(join(schemas, "generated", file), "utf8")), `generated/${file}`);

const errorsOf = (validate: ValidateFunction, document: unknown) => (validate(document) ? [] : (validate.errors ?? []));
const compiled = (name: string) => {
  const validate = ajv.getSchema(`${name}.schema.json`);
  assert.ok(validate, `${name}.schema.json compiles`);
  return validate as ValidateFunction;
};

for (const name of names) {
  test(`schemas/${name}: examples and mutations`, () => {
    const examples = examplesOf(name);
    const [first] = examples.values();
    assert.notEqual(first, undefined, `schemas/examples/${name} has an example`);
    const asWritten = compiled(name);
    for (const [example, document] of examples)
      assert.deepEqual(errorsOf(asWritten, document), [], `schemas/examples/${name}/${example}.json`);

    const whole = ajv.compile(inlined(`${name}.schema.json`));
    const mutations = mutationsOf(name);
    assert.ok(
      mutations.some(({ keyword }) => keyword),
      `schemas/examples/${name}/mutations.jsonl has an error`,
    );
    for (const mutation of mutations) {
      const line = `schemas/examples/${name}/mutations.jsonl: ${JSON.stringify(mutation)}`;
      const example = mutation.of === undefined && examples.size === 1 ? first : examples.get(mutation.of ?? "");
      assert.notEqual(example, undefined, `${line}: of which example?`);
      const document = mutated(example ?? null, mutation);
      assert.equal(asWritten(document), mutation.keyword === undefined, line);
      const errors = errorsOf(whole, document);
      if (mutation.keyword === undefined) assert.deepEqual(errors, [], line);
      else
        assert.ok(
          onlyErrors(errors).some((only) => only.keyword === mutation.keyword && only.instancePath === mutation.path),
          `${line}: ${ajv.errorsText(errors)}`,
        );
    }
  });
}

test("a document that breaks two rules has no only error, whatever alternative is taken", () => {
  const number = { oneOf: [{ type: "integer", minimum: 0 }, { type: "null" }] };
  const validate = ajv.compile({ type: "object", properties: { a: number, b: number }, additionalProperties: false });
  const only = (document: unknown) => onlyErrors(errorsOf(validate, document)).map((each) => each.keyword);
  assert.deepEqual(only({ a: 0, b: null }), []);
  assert.deepEqual(only({ a: -1, b: null }), ["minimum", "type"]);
  assert.deepEqual(only({ a: -1, b: -1 }), []);
  assert.deepEqual(only({ a: -1, c: 0 }), []);
});
