// The table `pinned_page` of the results: of which recordings the loads have their clock set. Used by the results' owner alone.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";

/** `moment_ms`: to which the clock is set; null: it is left as it is. */
export interface PinDecision {
  readonly moment_ms: number | null;
}

export function addPinDecision(database: DatabaseSync, digest: string, { moment_ms }: PinDecision): void {
  const moment = moment_ms === null ? null : new Date(moment_ms).toISOString();
  database
    .prepare("INSERT OR REPLACE INTO pinned_page (recording_digest, moment, decided_at) VALUES (?, ?, ?)")
    .run(digest, moment, new Date().toISOString());
}

export function pinDecisionOf(row: Readonly<Record<string, SQLOutputValue>> | undefined): PinDecision | null {
  if (row === undefined) return null;
  return { moment_ms: row.moment === null ? null : Date.parse(String(row.moment)) };
}
