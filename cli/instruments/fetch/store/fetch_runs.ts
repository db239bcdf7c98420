// The tables `fetch_cell` and `fetch` of the results: what a sweep of fetches compares, and every attempt at a fetch. Decides
// nothing about which fetch comes next, nor what records mean.
import type { FetchCost } from "../../../../schemas/generated/fetch_cost.ts";
import type { FetchLabel } from "../../../../schemas/generated/fetch_plan.ts";
import type { FetchIp, FetchRecord, FetchTls } from "../../../../schemas/generated/fetch_record.ts";
import type { LinkProfile } from "../../../../schemas/generated/link_profile.ts";
import { attemptColumns, attemptValues, type NewAttempt } from "../../../results/store/attempt_rows.ts";
import type { FetchSweep, NewSweepFacts, StoredFetchPlan } from "../../../results/store/results.ts";
import { storedJson } from "../../../results/store/stored_json.ts";
import type { AddedSweep, SweepStore } from "../../../results/store/sweep_store.ts";

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

export interface NewFetchSweep extends NewSweepFacts {
  readonly plan: StoredFetchPlan;
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

/** For SweepStore's `begin`. */
export const addedFetches = ({ fetchCells, ...begun }: NewFetchSweep): AddedSweep<FetchSweep> => ({
  ...begun,
  kind: "fetches",
  addCells: (database, sweep) => {
    const insert = database.prepare(
      "INSERT INTO fetch_cell (sweep, object, lane, tls, ip, link, link_profile) VALUES (?, ?, ?, ?, ?, ?, ?)",
    );
    for (const { object, lane, tls, ip, link, link_profile } of fetchCells)
      insert.run(sweep, object, lane, tls, ip, link, link_profile && JSON.stringify(link_profile));
  },
});

/** Stores one attempt at a fetch, whole or not at all; returns its number. */
export function recordFetch(store: SweepStore, fetch: NewFetch): number {
  const { record, cost } = fetch;
  const documents = [record && JSON.stringify(record), cost && JSON.stringify(cost)] as const;
  const query = `INSERT INTO fetch (${attemptColumns}, record, cost) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
  return store.write((database) =>
    Number(database.prepare(query).run(...attemptValues(fetch), ...documents).lastInsertRowid),
  );
}

/** In the plan's order. */
export function storedFetchCellsOf({ read }: SweepStore, sweep: number): FetchCell[] {
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
export function fetchesOf({ read }: SweepStore, sweep: number): StoredFetch[] {
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
