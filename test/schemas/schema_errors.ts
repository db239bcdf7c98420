// Whether a document is what its schema says: for tests that make documents.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";

const schemas = join(import.meta.dirname, "..", "..", "schemas");
const ajv = new Ajv({ allErrors: true, strict: false, code: { optimize: false } });
addFormats.default(ajv);
for (const file of readdirSync(schemas).filter((each) => each.endsWith(".schema.json")))
  ajv.addSchema(JSON.parse(readFileSync(join(schemas, file), "utf8")) as object, file);
for (const file of readdirSync(join(schemas, "generated")).filter((each) => each.endsWith(".schema.json")))
  ajv.addSchema(JSON.parse(readFileSync(join(schemas, "generated", file), "utf8")) as object, `generated/${file}`);

/** Null where it is; else ajv's words. `name`: of schemas/NAME.schema.json; `part`: of its $defs. */
export function schemaErrors(name: string, document: unknown, part?: string): string | null {
  const inside = part === undefined ? "" : `#/$defs/${part}`;
  return ajv.validate(`${name}.schema.json${inside}`, document) ? null : ajv.errorsText();
}
