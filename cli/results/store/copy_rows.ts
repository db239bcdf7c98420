// Copies a sweep's rows from one file of results into another, whichever tables there are: what hangs on a row follows it
// by the schema's own foreign keys, so that a table which is added later is not forgotten. Decides nothing about what is
// copied. Used by merge_file.ts and copy_sweep.ts.
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

export type Row = Record<string, SQLOutputValue>;

interface CopyOptions {
  /** Tables whose rows do not follow by themselves. */
  readonly skipped?: readonly string[];
  /** Rows keep their numbers: nothing else is in the file, and what names them by their numbers still does. */
  readonly keepIds?: boolean;
  /** A row as it is to be in the copy. */
  readonly change?: (table: string, row: Row) => Row;
}

interface ForeignKey {
  readonly table: string;
  readonly column: string;
}

const quoted = (name: string): string => `"${name}"`;

function columnsOf(database: DatabaseSync, table: string): string[] {
  return database
    .prepare(`PRAGMA table_info(${quoted(table)})`)
    .all()
    .map((row) => String(row.name));
}

/** By table, the columns of others whose rows go with it. */
function referencesOf(database: DatabaseSync): Map<string, ForeignKey[]> {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const found = tables.flatMap(({ name }) =>
    database
      .prepare(`PRAGMA foreign_key_list(${quoted(String(name))})`)
      .all()
      .filter((key) => key.on_delete === "CASCADE")
      .map((key) => ({ parent: String(key.table), table: String(name), column: String(key.from) })),
  );
  return Map.groupBy(found, ({ parent }) => parent);
}

export class RowCopier {
  readonly #to: DatabaseSync;
  readonly #from: DatabaseSync;
  readonly #references: Map<string, ForeignKey[]>;
  readonly #columns = new Map<string, string[]>();
  readonly #skipped: ReadonlySet<string>;
  readonly #keepIds: boolean;
  readonly #change: (table: string, row: Row) => Row;

  constructor(from: DatabaseSync, to: DatabaseSync, options: CopyOptions = {}) {
    this.#from = from;
    this.#to = to;
    this.#references = referencesOf(to);
    this.#skipped = new Set(options.skipped);
    this.#keepIds = options.keepIds ?? false;
    this.#change = options.change ?? ((_, row) => row);
  }

  /** Adds a row, with some of its values replaced; returns its id, which is a new one unless ids are kept. */
  add(table: string, row: Row, replaced: Readonly<Record<string, SQLInputValue>>): number {
    const values: Record<string, SQLInputValue> = { ...this.#change(table, row), ...replaced };
    const isCopied = (column: string): boolean => values[column] !== undefined && (column !== "id" || this.#keepIds);
    const columns = this.#columnsOf(table).filter(isCopied);
    const places = columns.map(() => "?").join(", ");
    const statement = this.#to.prepare(
      `INSERT INTO ${quoted(table)} (${columns.map(quoted).join(", ")}) VALUES (${places})`,
    );
    return Number(statement.run(...columns.map((column) => values[column] as SQLInputValue)).lastInsertRowid);
  }

  /** Copies a row and all that hangs on it; returns its new id. */
  copy(table: string, id: number, replaced: Readonly<Record<string, SQLInputValue>>): number {
    const row = this.#from.prepare(`SELECT * FROM ${quoted(table)} WHERE id = ?`).get(id);
    if (!row) throw new Error(`no ${table} ${id} to copy`);
    const added = this.add(table, row, replaced);
    this.#follow(table, id, added);
    return added;
  }

  #follow(parent: string, id: number, newId: number): void {
    for (const { table, column } of this.#references.get(parent) ?? []) {
      if (this.#skipped.has(table)) continue;
      // In the order in which they were added, which some are read in; observations have none.
      const order = table === "observation" ? "metric" : "rowid";
      const rows = this.#from.prepare(`SELECT * FROM ${quoted(table)} WHERE ${quoted(column)} = ? ORDER BY ${order}`);
      for (const row of rows.iterate(id)) {
        const added = this.add(table, row, { [column]: newId });
        if (row.id !== undefined) this.#follow(table, Number(row.id), added);
      }
    }
  }

  #columnsOf(table: string): string[] {
    const known = this.#columns.get(table) ?? columnsOf(this.#to, table);
    this.#columns.set(table, known);
    return known;
  }
}
