// The gate for databases that may be a stranger's, first part: what stands in their schema. A view over an endless query, a trigger, a
// virtual table or a column that is computed would run when we read, so every row of sqlite_schema has to be one that our schema makes.
// Knows no table by name.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../base/errors.ts";
import { checkout } from "../../base/programs.ts";
import { commonTables, versionOf } from "./migrations.ts";
import { openSqlite } from "./sqlite.ts";

export const schemaText = (): string => readFileSync(join(checkout, "schemas", "results.sql"), "utf8");

/** Of the last format before the common tables; all earlier ones have parts of it. */
const earlierSchemaText = (): string => readFileSync(join(checkout, "schemas", "migrations", "results_10.sql"), "utf8");

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  /** Null: SQLite's own index of a constraint. */
  readonly sql: string | null;
}

/** Longer than any of ours, and more than all of ours. */
const [longest, most] = [20_000, 1000];

const rowsQuery = `SELECT type, name, tbl_name AS "table", CASE WHEN rootpage > 0 THEN substr(sql, 1, ${longest}) ELSE 'no page' END AS sql
  FROM sqlite_schema LIMIT ${most}`;

/** The words and marks of a statement, without comments and quotes of names. */
const tokenPattern = /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"[^"]*"|\w+|[\s\S]/gu;

function tokensOf(sql: string): string[] {
  const tokens = sql.match(tokenPattern) ?? [];
  return tokens
    .filter((token) => !/^(?:\s|--|\/\*)/.test(token))
    .map((token) => (/^"\w+"$/.test(token) ? token.slice(1, -1) : token));
}

/** What stands before the outermost parentheses, in them, by comma, and behind them. */
interface Statement {
  readonly head: string;
  readonly parts: readonly string[];
  readonly tail: string;
}

function statementOf(sql: string): Statement {
  const tokens = tokensOf(sql);
  const start = tokens.indexOf("(");
  const parts: string[][] = [[]];
  let depth = 0;
  let at = start;
  for (; start >= 0 && at < tokens.length; at++) {
    const token = tokens[at] as string;
    if (token === ")" && --depth === 0) break;
    if (token === "," && depth === 1) parts.push([]);
    else if (depth > 0) parts.at(-1)?.push(token);
    if (token === "(") depth++;
  }
  const text = (words: readonly string[]): string => words.join(" ");
  const head = tokens.slice(0, start < 0 ? undefined : start);
  return { head: text(head), parts: parts.map(text), tail: text(tokens.slice(at + 1)) };
}

/** What earlier formats made that this one does not; migrations bring it to this one's. */
const earlierParts: Readonly<Record<string, readonly string[]>> = { sweep: ["id INTEGER PRIMARY KEY"] };

interface KnownTable {
  readonly name: string;
  /** By column, its declared type. */
  readonly columns: ReadonlyMap<string, string>;
  readonly parts: ReadonlySet<string>;
  /** Behind the parentheses. */
  readonly tail: string;
}

interface KnownSchema {
  readonly tables: ReadonlyMap<string, KnownTable>;
  /** By name, their statements. */
  readonly indexes: ReadonlyMap<string, string>;
}

let [newest, earlier]: (KnownSchema | null)[] = [null, null];

/** Of the newest format. */
export function knownSchema(): KnownSchema {
  newest ??= readKnownSchema(schemaText());
  return newest;
}

function earlierSchema(): KnownSchema {
  earlier ??= readKnownSchema(earlierSchemaText());
  return earlier;
}

function readKnownSchema(text: string): KnownSchema {
  const database = openSqlite(":memory:");
  try {
    database.exec(text);
    const rows = database.prepare(rowsQuery).all() as unknown as SchemaRow[];
    const tables = rows
      .filter(({ type, sql }) => type === "table" && sql !== null)
      .map((row) => [row.name, tableOf(row)]);
    const indexes = rows.filter(({ type, sql }) => type === "index" && sql !== null);
    return {
      tables: new Map(tables as [string, KnownTable][]),
      indexes: new Map(indexes.map(({ name, sql }) => [name, tokensOf(sql as string).join(" ")])),
    };
  } finally {
    database.close();
  }
}

function tableOf({ name, sql }: SchemaRow): KnownTable {
  const { parts, tail } = statementOf(sql as string);
  const columns = parts
    .map((part) => part.split(" "))
    .filter(([, type = ""]) => /^(?:TEXT|INTEGER|REAL|BLOB)$/.test(type));
  return {
    name,
    columns: new Map(columns.map(([column = "", type = ""]) => [column, type])),
    parts: new Set([...parts, ...(earlierParts[name] ?? [])]),
    tail,
  };
}

/** Earlier formats got a column for each metric, whenever it came. */
const isMetricColumn = (table: string, part: string): boolean =>
  ["load_metric", "filmed_load"].includes(table) &&
  (/^[a-z][a-z0-9_]* REAL$/.test(part) || part === "user_timings TEXT");

function isOurTable({ name, table, sql }: SchemaRow, { tables }: KnownSchema): boolean {
  const ours = tables.get(name);
  if (!ours || table !== name || sql === null) return false;
  const { head, parts, tail } = statementOf(sql);
  const isKnown = (part: string): boolean => ours.parts.has(part) || isMetricColumn(name, part);
  return head === `CREATE TABLE ${name}` && tail === ours.tail && parts.every(isKnown);
}

function isOurIndex({ name, table, sql }: SchemaRow, { tables, indexes }: KnownSchema): boolean {
  if (sql === null) return tables.has(table) && new RegExp(`^sqlite_autoindex_${table}_\\d+$`).test(name);
  return indexes.get(name) === tokensOf(sql).join(" ");
}

const articles: Readonly<Record<string, string>> = { index: "an", trigger: "a", view: "a", table: "a" };

/** @throws UserError, naming the file, for a row of its schema that no file of ours has. */
export function refuseForeignSchema(database: DatabaseSync, path: string, elsewhere: string): void {
  const rows = database.prepare(rowsQuery).all() as unknown as SchemaRow[];
  const ours = versionOf(database) < commonTables ? earlierSchema() : knownSchema();
  const strange = rows.find(
    (row) => !(row.type === "table" ? isOurTable(row, ours) : row.type === "index" && isOurIndex(row, ours)),
  );
  if (!strange && rows.length < most) return;
  const { type, name } = strange ?? { type: "table", name: "one too many" };
  const called = JSON.stringify(String(name).slice(0, 60));
  throw new UserError(
    `${path}: has ${articles[type] ?? "a"} ${type} ${called} that no results of Trilane have: ${elsewhere}`,
  );
}
