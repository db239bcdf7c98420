// Results as earlier versions wrote them (test/fixtures/databases/results_NX.sql: format N, variant X), made into files.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const folder = join(import.meta.dirname, "..", "..", "..", "fixtures", "databases");

export interface ResultsFixture {
  readonly name: string;
  readonly format: number;
  readonly sql: string;
}

export const resultsFixtures: readonly ResultsFixture[] = readdirSync(folder)
  .toSorted(new Intl.Collator("en", { numeric: true }).compare)
  .flatMap((file) => {
    const [, name, format] = /^results_((\d+)[a-z]?)\.sql$/.exec(file) ?? [];
    return name ? [{ name, format: Number(format), sql: readFileSync(join(folder, file), "utf8") }] : [];
  });

/** With the journal that Trilane makes results in a home with; `more` is run in it. */
export function writeFixture(path: string, { sql }: ResultsFixture, more = ""): void {
  mkdirSync(dirname(path), { recursive: true });
  using database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(`BEGIN; ${sql}; COMMIT`);
  database.exec(more);
}
