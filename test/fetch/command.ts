// `trilane fetch` as a child: its events and its rows. Judges nothing else.

import { fetchesOf, type StoredFetch } from "../../cli/instruments/fetch/store/fetch_runs.ts";
import { openResults } from "../../cli/results/store/results.ts";
import type { FetchesFinished, FetchFinished } from "../../schemas/generated/sweep_event.ts";
import { type Started, start } from "../product.ts";

/** With --json. */
export const startFetch = (home: string, words: readonly string[]): Started =>
  start(home, ["fetch", ...words, "--json"]);

export interface FetchRun {
  readonly status: number | null;
  readonly said: string;
  readonly fetches: readonly FetchFinished[];
  /** null: it did not get there. */
  readonly finished: FetchesFinished | null;
}

export async function runFetch(home: string, words: readonly string[]): Promise<FetchRun> {
  const { events, ended } = startFetch(home, words);
  const { status, stderr: said } = await ended;
  return {
    status,
    said,
    fetches: events.filter((event): event is FetchFinished => event.event === "fetch-finished"),
    finished: events.find((event): event is FetchesFinished => event.event === "fetches-finished") ?? null,
  };
}

/** Of the newest sweep. */
export function storedFetches(home: string): StoredFetch[] {
  using results = openResults(home);
  const [sweep] = results.listAllSweeps();
  return sweep ? fetchesOf(results, sweep.id) : [];
}
