// The table `load_disturbance` of the results: what the machine may have added to each load. Used by the results' owner alone.
import type { DatabaseSync } from "node:sqlite";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import { excess_ms } from "../../load/disturbance.ts";

/** Null: the load did not end, or was stored before it was told. */
export interface StoredDisturbance {
  /** Beyond a calm machine's, at most; the load counts up to tolerated_ms. */
  readonly disturbance_ms: number | null;
  /** Of it, at the link. */
  readonly disturbance_link_ms: number | null;
  /** Of it, without a CPU; null also where the system does not tell. */
  readonly disturbance_cpu_ms: number | null;
  readonly tolerated_ms: number | null;
}

export const disturbanceColumns = [
  "disturbance_ms",
  "disturbance_link_ms",
  "disturbance_cpu_ms",
  "tolerated_ms",
] as const satisfies readonly (keyof StoredDisturbance)[];

export function addLoadDisturbance(database: DatabaseSync, load: number, { log }: PageLoad): void {
  const { disturbance } = log._trilane;
  if (!disturbance) return;
  const { link_ms, cpu_ms, calm_ms, tolerated_ms } = disturbance;
  const values = [
    excess_ms(disturbance),
    link_ms,
    cpu_ms === null ? null : Math.max(0, cpu_ms - calm_ms),
    tolerated_ms,
  ];
  const places = disturbanceColumns.map(() => "?").join(", ");
  database
    .prepare(`INSERT INTO load_disturbance (load, ${disturbanceColumns.join(", ")}) VALUES (?, ${places})`)
    .run(load, ...values);
}
