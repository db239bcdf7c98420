// What the results have of a load beside its row, in a table each: which browser it ran with, how much of its recording it asked for and what
// beyond, and what the machine may have added to it. Used by the results' owner alone; metrics are load_metrics.ts's.
import type { DatabaseSync } from "node:sqlite";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import { keptBrowser } from "../../base/browser_words.ts";
import { excess_ms } from "../../load/disturbance.ts";

/** Null: the browser did not start, or the load was stored before this was noted. */
interface LoadBrowser {
  readonly browser_version: string | null;
  /** Of the program's file, in hexadecimal. */
  readonly browser_sha256: string | null;
}

/** Null: the load failed, or was stored before this was noted. */
interface StoredCoverage {
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

/** Null: the load did not end, or was stored before this was noted. */
interface StoredDisturbance {
  /** Beyond a calm machine's, at most; the load counts up to tolerated_ms. */
  readonly disturbance_ms: number | null;
  /** Of it, at the link. */
  readonly disturbance_link_ms: number | null;
  /** Of it, without a CPU; null also if the system does not say. */
  readonly disturbance_cpu_ms: number | null;
  readonly tolerated_ms: number | null;
}

export type SideFacts = LoadBrowser & StoredCoverage & StoredDisturbance;

interface SideTable {
  readonly table: string;
  readonly columns: readonly (keyof SideFacts)[];
  /** In the columns' order; null: the load has no row there. */
  readonly valuesOf: (log: PageLoad["log"]) => readonly (string | number | null)[] | null;
}

const sideTables: readonly SideTable[] = [
  {
    table: "load_browser",
    columns: ["browser_version", "browser_sha256"],
    valuesOf: ({ browser: { name, version }, _trilane }) =>
      version === "" ? null : [keptBrowser(name, version), _trilane.environment.browser_sha256 ?? null],
  },
  {
    table: "load_coverage",
    columns: [
      ...(["coverage_requests", "coverage_bytes", "recorded_requests", "recorded_bytes"] as const),
      ...(["beyond_reports", "beyond_other", "beyond_failed"] as const),
    ],
    valuesOf: ({ _trilane: { coverage } }) => {
      if (!coverage) return null;
      const { requests, bytes, recorded, beyond } = coverage;
      return [requests, bytes, recorded.requests, recorded.bytes, beyond.reports, beyond.other, beyond.failed];
    },
  },
  {
    table: "load_disturbance",
    columns: ["disturbance_ms", "disturbance_link_ms", "disturbance_cpu_ms", "tolerated_ms"],
    valuesOf: ({ _trilane: { disturbance } }) => {
      if (!disturbance) return null;
      const { link_ms, cpu_ms, calm_ms, tolerated_ms } = disturbance;
      const withoutCpu_ms = cpu_ms === null ? null : Math.max(0, cpu_ms - calm_ms);
      return [excess_ms(disturbance), link_ms, withoutCpu_ms, tolerated_ms];
    },
  },
];

export const sideColumns = sideTables.flatMap(({ columns }) => columns);

/** For a query of `load`. */
export const sideJoins = sideTables.map(({ table }) => `LEFT JOIN ${table} ON ${table}.load = load.id`).join(" ");

export function addSideRows(database: DatabaseSync, load: number, { log }: PageLoad): void {
  for (const { table, columns, valuesOf } of sideTables) {
    const values = valuesOf(log);
    if (values === null) continue;
    const places = columns.map(() => "?").join(", ");
    database.prepare(`INSERT INTO ${table} (load, ${columns.join(", ")}) VALUES (?, ${places})`).run(load, ...values);
  }
}
