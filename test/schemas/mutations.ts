// The schemas' examples (schemas/examples/NAME/*.json, all valid) and their mutations (mutations.jsonl beside them): each
// line changes an example in one place, and names the keyword and path of the only error, if this is one.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ErrorObject } from "ajv";

export const schemas = join(import.meta.dirname, "..", "..", "schemas");

export interface Mutation {
  /** The example that is changed, where a schema has several. */
  readonly of?: string;
  /** "" is the whole example, and the index after an array's last appends. */
  readonly set?: string;
  readonly value?: unknown;
  readonly remove?: string;
  /** The only error: the schema's keyword, and where in the document. A change without stays valid. */
  readonly keyword?: string;
  readonly path?: string;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const parse = (path: string): Json => JSON.parse(readFileSync(path, "utf8")) as Json;

/** A schema's valid examples, by name. */
export function examplesOf(schema: string): Map<string, Json> {
  const folder = join(schemas, "examples", schema);
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".json")) : [];
  return new Map(files.map((file) => [basename(file, ".json"), parse(join(folder, file))]));
}

export function mutationsOf(schema: string): Mutation[] {
  const path = join(schemas, "examples", schema, "mutations.jsonl");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Mutation);
}

/** A changed copy of the example. Throws if nothing is there to remove, or nothing to hold what is set. */
export function mutated(example: Json, { set, remove, value }: Mutation): Json {
  const pointer = set ?? remove ?? "";
  if (pointer === "") return value as Json;
  const keys = pointer.split("/").slice(1);
  const last = keys.pop() as string;
  const copy = structuredClone(example);
  let at = copy as Record<string, Json>;
  for (const key of keys) at = at[key] as Record<string, Json>;
  if (set !== undefined) at[last] = value as Json;
  else if (!(last in at)) throw new Error(`there is no ${remove}`);
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return copy;
}

/** A schema with what its $refs name in their place, so that an error's schemaPath tells which of several uses it was. */
export function inlined(file: string, pointer = ""): object {
  const root = parse(join(schemas, file));
  const inline = (schema: Json): Json => {
    if (Array.isArray(schema)) return schema.map(inline);
    if (schema === null || typeof schema !== "object") return schema;
    const { $ref, $id, definitions, ...rest } = schema;
    const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, inline(value)]));
    if (typeof $ref !== "string") return own;
    const [other, inside] = $ref.split("#");
    return { ...inlined(other || file, inside), ...own } as Json;
  };
  const keys = pointer.split("/").slice(1);
  return inline(keys.reduce((at, key) => (at as Record<string, Json>)[key] as Json, root)) as object;
}

const within = (inner: ErrorObject, outer: ErrorObject): boolean =>
  inner.schemaPath.startsWith(`${outer.schemaPath}/`) && `${inner.instancePath}/`.startsWith(`${outer.instancePath}/`);

/**
 * Each error that is the only one if of each oneOf and anyOf the right alternative is taken. None where the document
 * breaks several rules, whatever it was meant to be.
 */
export function onlyErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  // Beside what fails in then or else there is an error of the if.
  const broken = errors.filter((error) => error.keyword !== "if");
  const outer = broken.filter((error) => !broken.some((other) => within(error, other)));
  const [only] = outer;
  if (!only || outer.length > 1) return [];
  const inner = broken.filter((error) => within(error, only));
  if (inner.length === 0 || only.params.passingSchemas) return [only];
  const alternative = (error: ErrorObject) => error.schemaPath.slice(only.schemaPath.length + 1).split("/")[0];
  return [...Map.groupBy(inner, alternative).values()].flatMap((each) => onlyErrors(each));
}
