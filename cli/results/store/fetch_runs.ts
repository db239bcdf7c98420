// The tables `fetch_cell` and `fetch` of the results: what a sweep of fetches compares, and every attempt at a fetch. Used by the
// results' owner alone; decides nothing about which fetch comes next, nor what records mean.
import type { DatabaseSync } from "node:sqlite";
import type { FetchCost } from "../../../schemas/generated/fetch_cost.ts";
import type { FetchLabel, FetchPlanDocument } from "../../../schemas/generated/fetch_plan.ts";
import type { FetchIp, FetchRecord, FetchTls } from "../../../schemas/generated/fetch_record.ts";
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import type { PlanLink } from "../../../schemas/generated/sweep_plan.ts";
import { attemptColumns, attemptValues, type NewAttempt, type Read } from "./attempt_rows.ts";
import { storedJson } from "./stored_json.ts";
import type { Environment } from "./sweep_rows.ts";

/** A plan of fetches as it is stored (cli/instruments/fetch/plan fills in its defaults). */
export interface StoredFetchPlan extends Omit<FetchPlanDocument, "objects" | "tls" | "ip" | "lanes" | "links"> {
  readonly objects: readonly string[];
  readonly lanes: readonly FetchLabel[];
  readonly tls: readonly FetchTls[];
  readonly ip: readonly FetchIp[];
  /** Absent: the network as it is. */
  readonly links?: readonly PlanLink[];
}

/** Over what an object is fetched. */
export interface FetchVariant {
  readonly lane: FetchLabel;
  readonly tls: FetchTls;
  readonly ip: FetchIp;
}

export interface NewFetchCell extends FetchVariant {
  /** Its URL. */
  readonly object: string;
  /** Short form, canonical; null: the network as it is. */
  readonly link: string | null;
  /** null as above. */
  readonly link_profile: LinkProfile | null;
}

export interface FetchCell extends NewFetchCell {
  readonly id: number;
  readonly sweep: number;
}

export interface NewFetchSweep {
  readonly name: string;
  readonly plan: StoredFetchPlan;
  readonly plan_digest: string;
  readonly seed: number;
  readonly command: readonly string[];
  readonly environment: Environment;
  readonly fetchCells: readonly NewFetchCell[];
}

/** valid: the object came; failed: it did not, and its record says where and why; invalid: the machine disturbed it. */
export interface NewFetch extends NewAttempt {
  /** null: the client left none. */
  readonly record: FetchRecord | null;
  /** What the record has not: the server's share, and system calls. null: neither was measured. */
  readonly cost: FetchCost | null;
}

/** An attempt at a fetch, with what it was of. */
export interface StoredFetch extends NewFetch, FetchVariant {
  readonly id: number;
  readonly object: string;
  readonly link: string | null;
}

export function addFetchCells(database: DatabaseSync, sweep: number, cells: readonly NewFetchCell[]): void {
  const insert = database.prepare(
    "INSERT INTO fetch_cell (sweep, object, lane, tls, ip, link, link_profile) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  for (const { object, lane, tls, ip, link, link_profile } of cells)
    insert.run(sweep, object, lane, tls, ip, link, link_profile && JSON.stringify(link_profile));
}

/** Its number. */
export function addFetch(database: DatabaseSync, fetch: NewFetch): number {
  const { record, cost } = fetch;
  const statement = database.prepare(
    `INSERT INTO fetch (${attemptColumns}, record, cost) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const documents = [record && JSON.stringify(record), cost && JSON.stringify(cost)] as const;
  return Number(statement.run(...attemptValues(fetch), ...documents).lastInsertRowid);
}

/** In the plan's order. */
export function readFetchCells(read: Read, sweep: number): FetchCell[] {
  return read("SELECT * FROM fetch_cell WHERE sweep = ? ORDER BY id", sweep).map(
    ({ link_profile, ...row }) =>
      ({
        ...row,
        link_profile:
          link_profile === null ? null : (storedJson(link_profile, "fetch_cell.link_profile") as LinkProfile),
      }) as unknown as FetchCell,
  );
}

/** Every attempt in the order in which they ended. */
export function readFetches(read: Read, sweep: number): StoredFetch[] {
  const query = `SELECT fetch.id, object, lane, tls, ip, link, ${attemptColumns}, record, cost FROM fetch JOIN fetch_cell ON fetch_cell.id = fetch.cell
    WHERE fetch_cell.sweep = ? ORDER BY fetch.id`;
  return read(query, sweep).map(
    ({ reasons, record, cost, ...row }) =>
      ({
        ...row,
        reasons: storedJson(reasons, "fetch.reasons") as string[],
        record: record === null ? null : (storedJson(record, "fetch.record") as FetchRecord),
        cost: cost === null ? null : (storedJson(cost, "fetch.cost") as FetchCost),
      }) as unknown as StoredFetch,
  );
}
