// HAR 1.2's published schema, as an oracle for what is exported.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";

export function publicHarSchema(): ValidateFunction {
  const require = createRequire(import.meta.url);
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json"));
  const folder = join(import.meta.dirname, "..", "..", "..", "..", "node_modules", "har-schema", "lib");
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json")))
    ajv.addSchema(JSON.parse(readFileSync(join(folder, file), "utf8")));
  const validate = ajv.getSchema("har.json");
  assert.ok(validate);
  return validate;
}
