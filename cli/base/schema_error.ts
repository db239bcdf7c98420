// Documents against their schemas; what a schema has against one is a line that names the place and what to do.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ErrorObject, Options, SchemaValidateFunction, ValidateFunction } from "ajv";
import { isRecord } from "./json_fields.ts";
import { nearest } from "./nearest.ts";
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

/** Of schemas/NAME.schema.json, or a part of it as `NAME#/definitions/part`, and those that it refers to; compiled once. */
export function schemaValidator<T>(name: string, options: Options = {}): ValidateFunction<T> {
  const key = JSON.stringify([name, options]);
  const validate = compiled.get(key) ?? compile(name, options);
  compiled.set(key, validate);
  return validate as ValidateFunction<T>;
}

/** `uniqueItems` in a time that grows with the list: Ajv's own compares each with each, which takes a minute for a list of 100 000. */
const uniqueItems: SchemaValidateFunction = (wanted: boolean, items: unknown[]) => {
  const first = new Map<string, number>();
  if (!wanted) return true;
  for (const [at, item] of items.entries()) {
    const text = JSON.stringify(item, (_, value: unknown) =>
      isRecord(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
    );
    const before = first.get(text);
    if (before !== undefined) {
      uniqueItems.errors = [{ keyword: "uniqueItems", message: "must be unique", params: { i: at, j: before } }];
      return false;
    }
    first.set(text, at);
  }
  return true;
};

function compile(name: string, options: Options): ValidateFunction {
  const { Ajv } = require("ajv") as typeof import("ajv");
  const addFormats = require("ajv-formats") as typeof import("ajv-formats");
  const ajv = addFormats.default(
    new Ajv({ allErrors: true, verbose: true, keywords: ["setting", "metric", "tsType"], ...options }),
  );
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({ keyword: "uniqueItems", type: "array", schemaType: "boolean", validate: uniqueItems });
  const [root = "", part = ""] = name.split("#");
  for (const [file, text] of schemaTexts(root)) ajv.addSchema(JSON.parse(text) as object, file);
  return ajv.getSchema(`${root}.schema.json${part && `#${part}`}`) as ValidateFunction;
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

/** The members that the schema of an unknown one's object knows. */
const membersOf = (error: ErrorObject): string[] =>
  Object.keys((error.parentSchema as { properties?: Readonly<Record<string, unknown>> } | undefined)?.properties ?? {});

/** The form of a oneOf or anyOf that an error is of; null: of none. */
const formOf = ({ schemaPath }: ErrorObject): string | null =>
  /^.*\/(?:oneOf|anyOf)\/\d+(?=\/)/.exec(schemaPath)?.[0] ?? null;

/** The first error of each form that a value may have, of those like this one. */
function ofEachForm(error: ErrorObject, all: readonly ErrorObject[]): ErrorObject[] {
  if (formOf(error) === null) return [error];
  const alike = all.filter(
    (other) => other.keyword === error.keyword && other.instancePath === error.instancePath && formOf(other) !== null,
  );
  return [...Map.groupBy(alike, formOf).values()].flatMap(([first]) => first ?? []);
}

const either = (words: readonly string[]): string => [...new Set(words)].join(" or ");

/** What an enum or a constant allows; of several forms, all that any of them does. */
const allowedBy = (error: ErrorObject, all: readonly ErrorObject[]): unknown[] =>
  all
    .filter(({ keyword, instancePath }) => /^(enum|const)$/.test(keyword) && instancePath === error.instancePath)
    .flatMap(({ params }) => (params.allowedValues as unknown[] | undefined) ?? [params.allowedValue as unknown]);

/** `"run" is not known: did you mean repetitions?` */
function unknownMember(error: ErrorObject, all: readonly ErrorObject[]): string {
  const name = String(error.params.additionalProperty);
  // Of several forms that an object may have, all that any of them knows.
  const known = all
    .filter((other) => other.keyword === "additionalProperties" && other.instancePath === error.instancePath)
    .flatMap(membersOf);
  // Each is of one form, and an object has one.
  if (known.includes(name)) {
    const names = all
      .filter((other) => other.keyword === "additionalProperties" && other.instancePath === error.instancePath)
      .map(({ params }) => JSON.stringify(params.additionalProperty));
    return `${[...new Set(names)].sort().join(" and ")} exclude each other: give one of them`;
  }
  const meant = nearest(name, known) ?? known.find((each) => each === synonyms[name]) ?? null;
  const may = meant === null && known.length <= 3 ? known : meant === null ? [] : [meant];
  // A page or a link may be its name alone.
  const alone = all.some(
    (other) => other.keyword === "type" && other.params.type === "string" && other.instancePath === error.instancePath,
  );
  const what = `${JSON.stringify(name)} is not known:`;
  if (may.length === 0) return `${what} take it out`;
  return `${what} did you mean ${may.map((each) => JSON.stringify(each)).join(" or ")}${alone ? ", or a name alone" : ""}?`;
}

/** What people call members of plans, by other commands and tools. */
const synonyms: Readonly<Record<string, string>> = { run: "repetitions", runs: "repetitions", timeout: "timeout_s" };

/** The errors of a validation with `verbose` and `allErrors`; `schema`: the path of the schema, where one is to look. */
export function explainSchemaErrors(errors: readonly ErrorObject[], schema: string): string {
  // Of the branches of a oneOf the one that came furthest is the one that was meant.
  const depth = (error: ErrorObject): number =>
    error.instancePath.length + (error.keyword === "oneOf" || error.keyword === "type" ? 0 : 0.5);
  const [deepest] = [...errors].sort((a, b) => depth(b) - depth(a));
  // A member that is not known says more than the one that it should have been.
  const unknown = errors.find(
    ({ keyword, instancePath }) => keyword === "additionalProperties" && instancePath === deepest?.instancePath,
  );
  const error = deepest?.keyword === "required" && unknown ? unknown : deepest;
  if (!error) return `does not follow ${schema}`;
  const place = placeOf(error);
  const at = place === "" ? "" : `${place}: `;
  // JSON has neither NaN nor Infinity, which `--runs abc` and `--retry-for Infinity` come as.
  const data = typeof error.data === "number" ? String(error.data) : JSON.stringify(error.data);
  const got = error.data === undefined || typeof error.data === "object" ? "" : ` (got ${shortened(data)})`;
  switch (error.keyword) {
    case "enum":
    case "const": {
      const allowed = allowedBy(error, errors);
      return `${at}must be ${allowed.length > 1 ? "one of " : ""}${allowed.join(", ")}${got}`;
    }
    case "additionalProperties":
      return `${at}${unknownMember(error, errors)}`;
    case "required":
      return `${at}${either(ofEachForm(error, errors).map(({ params }) => JSON.stringify(params.missingProperty)))} is missing: add it`;
    case "uniqueItems":
      return `${at}${JSON.stringify((error.data as unknown[])[Number(error.params.i)])} stands there twice: name it once`;
    case "type":
      return `${at}must be ${either(ofEachForm(error, errors).flatMap(({ params }) => params.type as string))}${got}`;
    case "oneOf":
      return `${at}takes another form${got}: see ${schema}`;
    default:
      return `${at}${error.message}${got}`;
  }
}
