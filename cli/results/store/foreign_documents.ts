// The gate for databases that may be a stranger's, third part: what their JSON columns say. Each document is bounded while it is scanned,
// follows its schema, and has no number that sums could not hold. Page loads, which are large, are held to theirs as they are read.
import type { DatabaseSync } from "node:sqlite";
import { boundedJson } from "../../base/bounded_json.ts";
import { UserError } from "../../base/errors.ts";
import { explainSchemaErrors, schemaValidator } from "../../base/schema_error.ts";
import { isUserTiming } from "../../base/user_timing_name.ts";
import { columnsOf } from "./foreign_schema.ts";
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

const planSchemas: Readonly<Record<string, string>> = {
  flows: "flow-plan",
  fetches: "fetch-plan",
  commands: "command-plan",
};
const plan: Check = (value, { kind }) => follows(planSchemas[String(kind)] ?? "sweep-plan")(value, {});

type Columns = Readonly<Record<string, Readonly<Record<string, Check>>>>;

export const jsonColumns: Columns = {
  sweep: { plan, command: texts, environment: scalars },
  cell: { link_profile: follows("link-profile") },
  load: { reasons: texts },
  load_metric: { user_timings: userTimings },
  link_test: { test: follows("selftest#/definitions/link") },
  film: { reasons: texts },
  filmed_load: { reasons: texts },
  host: { facts: hostFacts, flags: texts },
  recording_trial: { outside: texts },
  flow_cell: { link_profile: follows("link-profile") },
  flow_run: { reasons: texts, result: follows("flow-result") },
  fetch_cell: { link_profile: follows("link-profile") },
  fetch: { reasons: texts, record: follows("fetch-record"), cost: follows("fetch-cost") },
  measured_cell: { link_profile: follows("link-profile") },
  measured_run: { reasons: texts, record: follows("command-record") },
};

/** Texts of few words, as they stand. */
const wordColumns: Columns = {
  cell: { lane: follows("lane-label") },
  flow_cell: { lane: follows("lane") },
  fetch_cell: { lane: follows("fetch-record#/definitions/lane") },
};

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

/** Calls `look` with each row's values that are there. Each value is looked at once: rows repeat most. */
function eachValue(
  database: DatabaseSync,
  table: string,
  columns: readonly string[],
  look: (column: string, value: string, row: Row) => void,
): void {
  const there = columnsOf(database, table);
  const wanted = columns.filter((column) => there.has(column));
  if (wanted.length === 0) return;
  const more = there.has("kind") ? ["kind"] : [];
  const seen = new Map(wanted.map((column) => [column, new Set<string>()]));
  const query = `SELECT ${[...wanted, ...more].map((column) => `"${column}"`).join(", ")} FROM "${table}"`;
  for (const row of database.prepare(query).iterate() as Iterable<Row>)
    for (const column of wanted) {
      const value = row[column];
      if (typeof value !== "string") continue;
      const known = seen.get(column);
      const key = value.length < 10_000 ? `${row.kind ?? ""} ${value}` : null;
      if (key !== null && known?.has(key)) continue;
      look(column, value, row);
      if (key !== null && (known?.size ?? 0) < 1000) known?.add(key);
    }
}

/** @throws UserError, naming file, table and column, for a document that does not follow its schema. */
export function refuseForeignDocuments(database: DatabaseSync, path: string, elsewhere: string): void {
  const refuse = (table: string, column: string, problem: string | null): void => {
    if (problem !== null) throw new UserError(`${path}: damaged: ${table}.${column}: ${problem}: ${elsewhere}`);
  };
  for (const [table, checks] of Object.entries(jsonColumns))
    eachValue(database, table, Object.keys(checks), (column, value, row) =>
      refuse(table, column, wrongJson(Buffer.from(value), checks[column] as Check, row)),
    );
  for (const [table, checks] of Object.entries(wordColumns))
    eachValue(database, table, Object.keys(checks), (column, value, row) =>
      refuse(table, column, (checks[column] as Check)(value, row)),
    );
}

/** What is wrong with the text of a stranger's page load; null: nothing. */
export const wrongPageLoad = (text: Buffer): string | null => wrongJson(text, follows("page-load"), {});
