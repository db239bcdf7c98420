// What a sweep of fetches compares, and every attempt at a fetch, in the results. Decides nothing about which fetch comes next, nor what
// records mean.
import type { FetchCost } from "../../../../schemas/generated/fetch_cost.ts";
import type { FetchLabel } from "../../../../schemas/generated/fetch_plan.ts";
import type { FetchIp, FetchRecord, FetchTls } from "../../../../schemas/generated/fetch_record.ts";
import { type NewAttempt, readAttempts, readCells, recordAttempt } from "../../../results/store/attempt_rows.ts";
import type { CellLink, NewSweepFacts } from "../../../results/store/results.ts";
import type { AddedSweep, SweepStore } from "../../../results/store/sweep_store.ts";
import type { FetchSweep, StoredFetchPlan } from "./stored_plan.ts";

/** Over what an object is fetched. */
export interface FetchVariant {
  readonly lane: FetchLabel;
  readonly tls: FetchTls;
  readonly ip: FetchIp;
}

export interface NewFetchCell extends FetchVariant, Omit<CellLink, "id"> {
  /** Its URL. */
  readonly object: string;
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
export const addedFetches = ({ fetchCells, ...added }: NewFetchSweep): AddedSweep<FetchSweep> => ({
  ...added,
  kind: "fetches",
  addedCells: fetchCells.map(({ object, tls, ip, ...cell }) => ({ subject: object, factors: { tls, ip }, ...cell })),
});

/** Stores one attempt at a fetch, whole or not at all; returns its number. */
export const recordFetch = (store: SweepStore, fetch: NewFetch): number =>
  recordAttempt(store, fetch, { "fetch-record": fetch.record, "fetch-cost": fetch.cost });

const variantColumns = ["subject AS object", "lane", "factors ->> 'tls' AS tls", "factors ->> 'ip' AS ip", "link"];

/** In the plan's order. */
export const storedFetchCellsOf = (store: SweepStore, sweep: number): FetchCell[] =>
  readCells(store, ["id", "sweep", ...variantColumns, "link_profile"], sweep);

/** Every attempt in the order in which they ended. */
export const fetchesOf = (store: SweepStore, sweep: number): StoredFetch[] =>
  readAttempts(store, variantColumns, { record: "fetch-record", cost: "fetch-cost" }, sweep);
