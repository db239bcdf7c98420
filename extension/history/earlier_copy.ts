// A copy of the history's database from before an upgrade, in a database of its own beside it, until the history is cleared. Where the
// browser has no room for it there is none.
import { answerOf } from "./requests.ts";

const copyName = (name: string, version: number): string => `${name}-v${version}-backup`;

/** Null: there is no such database. */
async function versionOf(name: string): Promise<number | null> {
  return (await indexedDB.databases()).find((database) => database.name === name)?.version ?? null;
}

async function removeDatabase(name: string): Promise<void> {
  await answerOf(indexedDB.deleteDatabase(name));
}

/** At once what memory bears: a document may have megabytes. */
const batch = 20;

async function copyStore(from: IDBDatabase, to: IDBDatabase, store: string): Promise<void> {
  for (let after: IDBKeyRange | null = null; ; ) {
    const source = from.transaction(store).objectStore(store);
    const [keys, values] = await Promise.all([
      answerOf(source.getAllKeys(after, batch)),
      answerOf(source.getAll(after, batch)),
    ]);
    if (keys.length === 0) return;
    const transaction = to.transaction(store, "readwrite");
    const ended = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("the browser's database gave up"));
    });
    for (const [index, key] of keys.entries()) transaction.objectStore(store).put(values[index], key);
    await ended;
    after = IDBKeyRange.lowerBound(keys.at(-1), true);
  }
}

async function copy(name: string, version: number): Promise<void> {
  const kept = copyName(name, version);
  // Of an upgrade that did not come to its end.
  await removeDatabase(kept);
  const from = await answerOf(indexedDB.open(name));
  let to: IDBDatabase | null = null;
  try {
    const stores = [...from.objectStoreNames];
    const making = indexedDB.open(kept, version);
    making.onupgradeneeded = () => {
      for (const store of stores) making.result.createObjectStore(store);
    };
    to = await answerOf(making);
    for (const store of stores) await copyStore(from, to, store);
  } finally {
    from.close();
    to?.close();
  }
}

/** Keeps a copy of a database of an earlier version, where there is one. One page or worker at a time. */
export async function keepEarlier(name: string, present: number): Promise<void> {
  const version = await versionOf(name);
  if (version === null || version >= present) return;
  await navigator.locks.request(`${name}-upgrade`, async () => {
    if ((await versionOf(name)) !== version) return;
    try {
      await copy(name, version);
    } catch {
      await removeDatabase(copyName(name, version));
    }
  });
}

export async function removeEarlier(name: string, present: number): Promise<void> {
  for (let version = 1; version < present; version++) await removeDatabase(copyName(name, version));
}
