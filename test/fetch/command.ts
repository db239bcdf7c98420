// `trilane fetch` as a child: its events, held to their schema, and its rows. Judges nothing else.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fetchesOf, type StoredFetch } from "../../cli/instruments/fetch/store/fetch_runs.ts";
import { openResults } from "../../cli/results/store/results.ts";
import type { FetchesFinished, FetchFinished, SweepEvent } from "../../schemas/generated/sweep_event.ts";
import { schemaErrors } from "../schemas/schema_errors.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");

export interface RunningFetch {
  readonly child: ChildProcess;
  /** Those so far. */
  readonly events: readonly SweepEvent[];
  /** Resolves when so many fetches have ended. */
  fetched(fetches: number): Promise<void>;
  /** Status or signal, with what it said. */
  readonly ended: Promise<{ readonly status: number | null; readonly signal: string | null; readonly said: string }>;
}

/** With --json. */
export function startFetch(home: string, words: readonly string[]): RunningFetch {
  const child = spawn(trilane, ["fetch", ...words, "--json", "--home", home], { stdio: ["ignore", "pipe", "pipe"] });
  const events: SweepEvent[] = [];
  const waiting: { fetches: number; resolve: () => void }[] = [];
  const fetches = (): number => events.filter(({ event }) => event === "fetch-finished").length;
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    const event = JSON.parse(line) as SweepEvent;
    const fault = schemaErrors("sweep-event", event);
    if (fault !== null) throw new Error(`an event that is none: ${fault}`);
    events.push(event);
    for (const each of waiting) if (fetches() >= each.fetches) each.resolve();
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "close").then(([status, signal]) => {
    for (const { resolve } of waiting) resolve();
    return { status: status as number | null, signal: signal as string | null, said };
  });
  return {
    child,
    events,
    ended,
    fetched: (count) =>
      new Promise((resolve) => {
        if (fetches() >= count) resolve();
        else waiting.push({ fetches: count, resolve });
      }),
  };
}

export interface FetchRun {
  readonly status: number | null;
  readonly said: string;
  readonly fetches: readonly FetchFinished[];
  /** null: it did not get there. */
  readonly finished: FetchesFinished | null;
}

export async function runFetch(home: string, words: readonly string[]): Promise<FetchRun> {
  const { events, ended } = startFetch(home, words);
  const { status, said } = await ended;
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
