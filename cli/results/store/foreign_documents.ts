// The gate for databases that may be a stranger's, third part: what their JSON columns say. Each document is bounded while it is scanned,
// follows its schema, and has no number that sums could not hold. Page loads, which are large, are held to theirs as they are read.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { boundedJson } from "../../base/bounded_json.ts";
import { UserError } from "../../base/errors.ts";
import { checkout } from "../../base/programs.ts";
import { explainSchemaErrors, schemaValidator } from "../../base/schema_error.ts";
import { isUserTiming } from "../../base/user_timing_name.ts";
import { userTimingsName } from "./load_observations.ts";
import type { Row } from "./sweep_rows.ts";

/** Nanoseconds of a clock and bytes are below it, and sums of millions of such are finite. */
const greatestNumber = 2 ** 63;

/** What is wrong with a value; null: nothing. */
type Check = (value: unknown, row: Row) => string | null;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string");
const texts: Check = (value) => (isTexts(value) ? null : "must be a list of texts");

const isScalar = (value: unknown): boolean => value === null || ["string", "number", "boolean"].includes(typeof value);
const scalars: Check = (value) =>
  isRecord(value) && Object.values(value).every(isScalar) ? null : "must be an object of texts and numbers";

const userTimings: Check = (value) =>
  isRecord(value) &&
  Object.entries(value).every(([name, time_ms]) => isUserTiming(name) && typeof time_ms === "number" && time_ms >= 0)
    ? null
    : "must be an object of marks and measures with their times";

/** As hostFacts() of cli/sweep/cluster/this_host.ts. */
const hostFacts: Check = (value) => {
  if (!isRecord(value) || !isRecord(value.versions)) return "must be an object with versions";
  const { kernel, architecture, cpu, cpus, memory_bytes, machine_id = "", versions } = value;
  const areTexts = [kernel, architecture, cpu, machine_id].every((each) => typeof each === "string");
  const areNumbers = [cpus, memory_bytes].every((each) => typeof each === "number");
  return areTexts && areNumbers && Object.values(versions).every(isTexts) ? null : "must be a machine's facts";
};

/** `name`: as schemaValidator's. */
const follows =
  (name: string): Check =>
  (value) => {
    const validate = schemaValidator(name, { allErrors: false, strict: false });
    if (validate(value)) return null;
    return explainSchemaErrors(validate.errors ?? [], `schemas/${name.split("#")[0]}.schema.json`);
  };

/** The columns that a kind of sweep must have, and the schemas that others follow. */
interface KindSchema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, { readonly $ref?: string }>>;
}

/** schemas/stored-sweep.schema.json: each kind, and the JSON documents of attempts. */
const { documents: ofAttempts, ...kindSchemas } = (
  JSON.parse(readFileSync(join(checkout, "schemas", "stored-sweep.schema.json"), "utf8")) as {
    readonly definitions: Readonly<Record<string, KindSchema>>;
  }
).definitions;

export const storedKinds: readonly string[] = Object.keys(kindSchemas);

/** Kinds whose cells must have a value in the column. */
export const kindsWith = (column: string): readonly string[] =>
  storedKinds.filter((kind) => kindSchemas[kind]?.required.includes(column));

/** As the schema refers to it; null: to none. */
function checkOf(schema: KindSchema | undefined, property: string): Check | null {
  const ref = schema?.properties[property]?.$ref;
  return ref === undefined ? null : follows(ref.replace(".schema.json", ""));
}

/** Of a row whose sweep's kind is beside it. `others`: of kinds that say nothing of the column. */
const byKind =
  (column: string, others: Check = () => null): Check =>
  (value, row) =>
    (checkOf(kindSchemas[String(row.kind)], column) ?? others)(value, row);

const difference = ["body", "port", "query", "path", null];

const unmatched: Check = (value) =>
  Array.isArray(value) &&
  value.every((each) => isRecord(each) && scalars(each, {}) === null && isUnmatched(each as Row))
    ? null
    : "must be a list of requests";

const isUnmatched = ({ method, url, outcome, recorded_url, difference: how, likeness }: Row): boolean =>
  [method, url].every((text) => typeof text === "string") &&
  ["fuzzy", "missed"].includes(String(outcome)) &&
  (recorded_url === null || typeof recorded_url === "string") &&
  difference.includes(how as string | null) &&
  (likeness === null || (Number(likeness) >= 0 && Number(likeness) <= 1));

/** By their name. Others are bytes, and looked at as they are read. */
export const documentChecks: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(
    Object.keys(ofAttempts?.properties ?? {}).map((name) => [name, checkOf(ofAttempts, name) ?? scalars]),
  ),
  unmatched,
};

const content: Check = (value, { name }) => documentChecks[String(name)]?.(value, {}) ?? null;

const observed: Check = (value, { metric }) => (metric === userTimingsName ? userTimings(value, {}) : null);

interface CheckedColumn {
  readonly table: string;
  readonly column: string;
  readonly check: Check;
  /** Columns that the check looks at, as SQL. */
  readonly beside?: string;
  /** Which rows, as SQL. */
  readonly rows?: string;
  /** It is no JSON: a text of few words. */
  readonly isWord?: boolean;
}

const kindOfCell = "(SELECT kind FROM sweep WHERE sweep.id = cell.sweep) AS kind";

export const checkedColumns: readonly CheckedColumn[] = [
  { table: "sweep", column: "plan", check: byKind("plan"), beside: "kind" },
  { table: "sweep", column: "command", check: texts },
  { table: "sweep", column: "environment", check: scalars },
  { table: "link_test", column: "test", check: follows("selftest#/definitions/link") },
  { table: "host", column: "facts", check: hostFacts },
  { table: "host", column: "flags", check: texts },
  { table: "cell", column: "link_profile", check: follows("link-profile") },
  { table: "cell", column: "factors", check: byKind("factors", scalars), beside: kindOfCell },
  {
    ...{ table: "cell", column: "lane", beside: kindOfCell, isWord: true },
    check: byKind("lane"),
  },
  { table: "attempt", column: "reasons", check: texts },
  { table: "observation", column: "text", check: observed, beside: "metric", rows: `metric = '${userTimingsName}'` },
  {
    ...{ table: "document", column: "content", check: content, beside: "name" },
    rows: `name IN (${Object.keys(documentChecks).map((name) => `'${name}'`)})`,
  },
  { table: "recording_trial", column: "outside", check: texts },
];

/** Of a document whose depth is bounded. */
function hasHugeNumber(value: unknown): boolean {
  if (typeof value === "number") return !(Math.abs(value) <= greatestNumber);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasHugeNumber);
}

function wrongJson(text: Buffer, check: Check, row: Row): string | null {
  let value: unknown;
  try {
    value = boundedJson(text);
  } catch (error) {
    return `is no JSON of ours (${error instanceof Error ? error.message : ""})`;
  }
  return hasHugeNumber(value) ? "has a number beyond all bounds" : check(value, row);
}

/** Each value is looked at once: rows repeat most. */
function wrongIn(database: DatabaseSync, { table, column, check, beside, rows, isWord }: CheckedColumn): string | null {
  const seen = new Set<string>();
  const columns = [`"${column}" AS value`, ...(beside === undefined ? [] : [beside])];
  const query = `SELECT ${columns.join(", ")} FROM ${table} WHERE "${column}" IS NOT NULL ${rows === undefined ? "" : `AND ${rows}`}`;
  for (const row of database.prepare(query).iterate() as Iterable<Row>) {
    const { value, ...others } = row;
    if (typeof value !== "string") return "is no text";
    const key = value.length < 10_000 ? [...Object.values(others), value].join(" ") : null;
    if (key !== null && seen.has(key)) continue;
    const problem = isWord ? check(value, row) : wrongJson(Buffer.from(value), check, row);
    if (problem !== null) return problem;
    if (key !== null && seen.size < 1000) seen.add(key);
  }
  return null;
}

/** @throws UserError, naming file, table and column, for a document that does not follow its schema. */
export function refuseForeignDocuments(database: DatabaseSync, path: string, elsewhere: string): void {
  for (const checked of checkedColumns) {
    const problem = wrongIn(database, checked);
    if (problem !== null)
      throw new UserError(`${path}: damaged: ${checked.table}.${checked.column}: ${problem}: ${elsewhere}`);
  }
}

/** What is wrong with the text of a stranger's page load; null: nothing. */
export const wrongPageLoad = (text: Buffer): string | null => wrongJson(text, follows("page-load"), {});
