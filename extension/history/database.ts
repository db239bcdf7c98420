// The history's database: its stores, opened for each use, and the promises around IndexedDB's requests. Rows and
// documents are apart, so that a list need not read all that it lists. Knows no limit.

const name = "trilane";
const version = 1;

export type StoreName = "profile-rows" | "profiles" | "race-rows" | "race-results";
export const storeNames: readonly StoreName[] = ["profile-rows", "profiles", "race-rows", "race-results"];

/** A request's result. Rejects with its DOMException. */
export function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's database gave no reason"));
  });
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => {
    for (const store of storeNames)
      if (!request.result.objectStoreNames.contains(store)) request.result.createObjectStore(store);
  };
  return answerOf(request);
}

/** Runs `work` in one transaction and returns its value when that is on disk; nothing is kept where it throws. */
export async function transact<T>(
  stores: readonly StoreName[],
  mode: IDBTransactionMode,
  work: (store: (name: StoreName) => IDBObjectStore) => Promise<T> | T,
): Promise<T> {
  const database = await open();
  try {
    const transaction = database.transaction([...stores], mode, {
      durability: mode === "readonly" ? "default" : "strict",
    });
    const ended = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("the browser's database gave up"));
    });
    ended.catch(() => {});
    let value: T;
    try {
      value = await work((store) => transaction.objectStore(store));
    } catch (error) {
      try {
        transaction.abort();
      } catch {
        // it ended by itself
      }
      throw error;
    }
    await ended;
    return value;
  } finally {
    database.close();
  }
}
