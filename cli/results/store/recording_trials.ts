// The table `recording_trial` of the results, what trial loads showed of recordings, and to which moment the clock of each cell's loads is set
// for it. Used by the results' owner alone.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { storedJson } from "./stored_json.ts";

/** What was decided of a page stays: the rest of a sweep's loads are as the first ones. */
export function addPinning(database: DatabaseSync, sweep: number, page: string, moment_ms: number | null): void {
  const moment = moment_ms === null ? null : new Date(moment_ms).toISOString();
  database
    .prepare("UPDATE cell SET pinned = ?, moment = ? WHERE sweep = ? AND subject = ? AND pinned IS NULL")
    .run(Number(moment !== null), moment, sweep, page);
}

export const pinningQuery = "SELECT subject, moment FROM cell WHERE sweep = ? AND pinned IS NOT NULL ORDER BY id";

/** By page; null: its clock is left as it is. */
export function pinningsOf(rows: readonly Readonly<Record<string, SQLOutputValue>>[]): Map<string, number | null> {
  return new Map(
    rows.map(({ subject, moment }) => [String(subject), moment === null ? null : Date.parse(String(moment))]),
  );
}

export interface RecordingTrial {
  /** To which the clock of the recording's loads is set; null: it is left as it is. */
  readonly moment_ms: number | null;
  /** Why such loads are not valid for what they ask for; empty: they are within the bounds. */
  readonly outside: readonly string[];
}

export function addRecordingTrial(
  database: DatabaseSync,
  digest: string,
  { moment_ms, outside }: RecordingTrial,
): void {
  const moment = moment_ms === null ? null : new Date(moment_ms).toISOString();
  database
    .prepare("INSERT OR REPLACE INTO recording_trial (recording_digest, moment, outside, tried_at) VALUES (?, ?, ?, ?)")
    .run(digest, moment, JSON.stringify(outside), new Date().toISOString());
}

export function recordingTrialOf(row: Readonly<Record<string, SQLOutputValue>> | undefined): RecordingTrial | null {
  if (row === undefined) return null;
  const moment_ms = row.moment === null ? null : Date.parse(String(row.moment));
  return { moment_ms, outside: storedJson(row.outside, "recording_trial.outside") as readonly string[] };
}
