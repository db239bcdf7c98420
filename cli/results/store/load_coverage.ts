// The table `load_coverage` of the results: how much of its recording each load asked for, and what beyond. Used by the results'
// owner alone.
import type { DatabaseSync } from "node:sqlite";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";

/** Null: the load failed, or was stored before it was told. */
export interface StoredCoverage {
  /** Shares of the recorded requests and bytes that it asked for, from 0 to 1. */
  readonly coverage_requests: number | null;
  readonly coverage_bytes: number | null;
  /** What it was expected to ask for. */
  readonly recorded_requests: number | null;
  readonly recorded_bytes: number | null;
  /** Requests that the recording has no answer to. */
  readonly beyond_reports: number | null;
  readonly beyond_other: number | null;
  readonly beyond_failed: number | null;
}

export const coverageColumns = [
  "coverage_requests",
  "coverage_bytes",
  "recorded_requests",
  "recorded_bytes",
  "beyond_reports",
  "beyond_other",
  "beyond_failed",
] as const satisfies readonly (keyof StoredCoverage)[];

export function addLoadCoverage(database: DatabaseSync, load: number, { log }: PageLoad): void {
  const { coverage } = log._trilane;
  if (!coverage) return;
  const { requests, bytes, recorded, beyond } = coverage;
  const values = [requests, bytes, recorded.requests, recorded.bytes, beyond.reports, beyond.other, beyond.failed];
  const places = coverageColumns.map(() => "?").join(", ");
  database
    .prepare(`INSERT INTO load_coverage (load, ${coverageColumns.join(", ")}) VALUES (?, ${places})`)
    .run(load, ...values);
}
