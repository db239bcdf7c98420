// The table `load_browser` of the results: which browser each load ran with. Used by the results' owner alone.
import type { DatabaseSync } from "node:sqlite";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import { keptBrowser } from "../../base/browser_words.ts";

/** Null: the browser did not start, or the load was stored before it was told. */
export interface LoadBrowser {
  readonly browser_version: string | null;
  /** Of the program's file, in hexadecimal. */
  readonly browser_sha256: string | null;
}

export const loadBrowserColumns = [
  "browser_version",
  "browser_sha256",
] as const satisfies readonly (keyof LoadBrowser)[];

export function addLoadBrowser(database: DatabaseSync, load: number, { log }: PageLoad): void {
  if (log.browser.version === "") return;
  database
    .prepare(`INSERT INTO load_browser (load, ${loadBrowserColumns.join(", ")}) VALUES (?, ?, ?)`)
    .run(load, keptBrowser(log.browser.name, log.browser.version), log._trilane.environment.browser_sha256 ?? null);
}
