// Documents against their schemas; what a schema has against one is a line that names the place and what to do.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ErrorObject, Options, ValidateFunction } from "ajv";
import { checkout } from "./programs.ts";

// Loaded where a document is checked: most commands check none, and it is a good part of their start.
const require = createRequire(import.meta.url);
const compiled = new Map<string, ValidateFunction>();

/** The texts of schemas/NAME.schema.json and of those that it refers to, by their files' names; the first is its own. */
export function schemaTexts(name: string): Map<string, string> {
  const texts = new Map<string, string>();
  const add = (file: string): void => {
    if (texts.has(file)) return;
    const text = readFileSync(join(checkout, "schemas", file), "utf8");
    texts.set(file, text);
    for (const [, other = ""] of text.matchAll(/"\$ref": "([^#"]+)/g)) add(other);
  };
  add(`${name}.schema.json`);
  return texts;
}

/** Of schemas/NAME.schema.json and those that it refers to; compiled once. */
export function schemaValidator<T>(name: string, options: Options = {}): ValidateFunction<T> {
  const key = JSON.stringify([name, options]);
  const validate = compiled.get(key) ?? compile(name, options);
  compiled.set(key, validate);
  return validate as ValidateFunction<T>;
}

function compile(name: string, options: Options): ValidateFunction {
  const { Ajv } = require("ajv") as typeof import("ajv");
  const addFormats = require("ajv-formats") as typeof import("ajv-formats");
  const ajv = addFormats.default(
    new Ajv({ allErrors: true, verbose: true, keywords: ["setting", "metric", "tsType"], ...options }),
  );
  for (const [file, text] of schemaTexts(name)) ajv.addSchema(JSON.parse(text) as object, file);
  return ajv.getSchema(`${name}.schema.json`) as ValidateFunction;
}

/** `/lanes/1` as people write it: `lanes[1]`. */
function placeOf(error: ErrorObject): string {
  return error.instancePath
    .slice(1)
    .replaceAll(/\/(\d+)/g, "[$1]")
    .replaceAll("/", ".");
}

/** Of a value in a message: enough to find it by, and still one line. */
const mostShown = 120;

function shortened(data: string): string {
  return data.length <= mostShown ? data : `${data.slice(0, mostShown)}... of ${data.length} characters`;
}

/** The errors of a validation with `verbose` and `allErrors`; `schema`: the path of the schema, where one is to look. */
export function explainSchemaErrors(errors: readonly ErrorObject[], schema: string): string {
  // Of the branches of a oneOf the one that came furthest is the one that was meant.
  const depth = (error: ErrorObject): number =>
    error.instancePath.length + (error.keyword === "oneOf" || error.keyword === "type" ? 0 : 0.5);
  const [error] = [...errors].sort((a, b) => depth(b) - depth(a));
  if (!error) return `does not follow ${schema}`;
  const place = placeOf(error);
  const at = place === "" ? "" : `${place}: `;
  // JSON has neither NaN nor Infinity, which `--runs abc` and `--retry-for Infinity` come as.
  const data = typeof error.data === "number" ? String(error.data) : JSON.stringify(error.data);
  const got = error.data === undefined || typeof error.data === "object" ? "" : ` (got ${shortened(data)})`;
  switch (error.keyword) {
    case "enum":
      return `${at}must be one of ${(error.params.allowedValues as string[]).join(", ")}${got}`;
    case "additionalProperties":
      return `${at}${JSON.stringify(error.params.additionalProperty)} is not known: take it out`;
    case "required":
      return `${at}${JSON.stringify(error.params.missingProperty)} is missing: add it`;
    case "uniqueItems":
      return `${at}${JSON.stringify((error.data as unknown[])[Number(error.params.i)])} stands there twice: name it once`;
    case "oneOf":
      return `${at}takes another form${got}: see ${schema}`;
    default:
      return `${at}${error.message}${got}`;
  }
}
