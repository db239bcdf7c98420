// The extension's own history in IndexedDB: profiles and races, newest first, within a limit. Used by service worker
// and views alike. When a new document does not fit, the oldest go, profiles and races alike, but never one that is
// under way nor the new one itself. Holds no bodies.
import { removeCopies, storeNames, transact } from "./database.ts";
import type { Profile, ProfileRow, RaceRecord, RaceResult, RaceRow, Usage } from "./records.ts";
import { answerOf } from "./requests.ts";

/** Of a profile or a race; `outcome` is a race's. */
interface Kept {
  readonly id: string;
  readonly started: string;
  readonly size_bytes: number;
  readonly outcome?: string;
}

/** By ISO 8601 beginnings in UTC, which sort as text. */
const newestFirst = <T extends { readonly started: string }>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (a.started < b.started ? 1 : a.started > b.started ? -1 : 0));

/** The oldest, until the rest is within the limit; never `spared`, nor a race that is under way. */
export function tooMany(rows: readonly Kept[], spared: string, limit_bytes: number): string[] {
  let bytes = rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const gone: string[] = [];
  for (const { id, size_bytes, outcome } of newestFirst(rows).toReversed()) {
    if (bytes <= limit_bytes) break;
    if (id === spared || outcome === "running") continue;
    gone.push(id);
    bytes -= size_bytes;
  }
  return gone;
}

export type { Profile, ProfileRow, RaceRecord, RaceResult, RaceRow, Usage };

const limit_bytes = 200_000_000;

/** Sent to every page of the extension when the history changed (BroadcastChannel; the message is empty). */
export const historyChannel = "trilane-history";

function tellChange(): void {
  const channel = new BroadcastChannel(historyChannel);
  channel.postMessage(null);
  channel.close();
}

const sizeOf = (document: object): number => new TextEncoder().encode(JSON.stringify(document)).length;

function rowOf(profile: Profile): ProfileRow {
  const { _trilane: facts, entries } = profile.log;
  return {
    id: facts.id,
    url: facts.url,
    title: facts.title,
    started: facts.started,
    kind: facts.kind,
    plt_ms: facts.metrics.plt_ms,
    requests: entries.length,
    size_bytes: sizeOf(profile),
  };
}

const profileRows = (): Promise<ProfileRow[]> =>
  transact(["profile-rows"], "readonly", (store) => answerOf<ProfileRow[]>(store("profile-rows").getAll()));

const raceRows = (): Promise<RaceRow[]> =>
  transact(["race-rows"], "readonly", (store) => answerOf<RaceRow[]>(store("race-rows").getAll()));

export async function listProfiles(): Promise<ProfileRow[]> {
  return newestFirst(await profileRows());
}

export async function getProfile(id: string): Promise<Profile | null> {
  const kept = await transact(["profiles"], "readonly", (store) =>
    answerOf<Profile | undefined>(store("profiles").get(id)),
  );
  return kept ?? null;
}

/** Keeps a profile, in the place of one of the same id. Returns the ids of what had to go for it. */
export async function putProfile(profile: Profile): Promise<string[]> {
  const row = rowOf(profile);
  const removed = await transact(storeNames, "readwrite", async (store) => {
    await answerOf(store("profiles").put(profile, row.id));
    await answerOf(store("profile-rows").put(row, row.id));
    return makeRoom(store, row.id);
  });
  tellChange();
  return removed;
}

export async function removeProfile(id: string): Promise<void> {
  await transact(["profiles", "profile-rows"], "readwrite", async (store) => {
    await answerOf(store("profiles").delete(id));
    await answerOf(store("profile-rows").delete(id));
  });
  tellChange();
}

export async function listRaces(): Promise<RaceRow[]> {
  return newestFirst(await raceRows());
}

export async function getRace(id: string): Promise<RaceRecord | null> {
  return transact(["race-rows", "race-results"], "readonly", async (store) => {
    const row = await answerOf<RaceRow | undefined>(store("race-rows").get(id));
    const result = await answerOf<RaceResult | undefined>(store("race-results").get(id));
    return row ? { ...row, result: result ?? null } : null;
  });
}

/** Keeps a race, in the place of one of the same id; a result that is kept already stays where none comes with it. */
export async function putRace(row: Omit<RaceRow, "size_bytes">, result: RaceResult | null = null): Promise<string[]> {
  const removed = await transact(storeNames, "readwrite", async (store) => {
    const before = await answerOf<RaceRow | undefined>(store("race-rows").get(row.id));
    const size_bytes = result ? sizeOf(result) : (before?.size_bytes ?? 0);
    await answerOf(store("race-rows").put({ ...row, size_bytes }, row.id));
    if (result) await answerOf(store("race-results").put(result, row.id));
    return makeRoom(store, row.id);
  });
  tellChange();
  return removed;
}

export async function removeRace(id: string): Promise<void> {
  await transact(["race-rows", "race-results"], "readwrite", async (store) => {
    await answerOf(store("race-rows").delete(id));
    await answerOf(store("race-results").delete(id));
  });
  tellChange();
}

export async function clearHistory(): Promise<void> {
  await transact(storeNames, "readwrite", async (store) => {
    for (const name of storeNames) await answerOf(store(name).clear());
  });
  await removeCopies();
  tellChange();
}

export async function usage(): Promise<Usage> {
  const rows = [...(await profileRows()), ...(await raceRows())];
  return { bytes: rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0), limit_bytes };
}

type Stores = Parameters<Parameters<typeof transact>[2]>[0];

async function makeRoom(store: Stores, kept: string): Promise<string[]> {
  const profiles = await answerOf<ProfileRow[]>(store("profile-rows").getAll());
  const races = await answerOf<RaceRow[]>(store("race-rows").getAll());
  const gone = tooMany([...profiles, ...races], kept, limit_bytes);
  for (const id of gone) for (const name of storeNames) await answerOf(store(name).delete(id));
  return gone;
}
