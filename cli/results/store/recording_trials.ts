// The table `recording_trial` of the results: what trial loads showed of recordings. Used by the results' owner alone.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";

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
  return { moment_ms, outside: JSON.parse(String(row.outside)) };
}
