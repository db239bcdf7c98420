// The history's database: its stores, opened for each use, and upgraded if it is of an earlier version. Rows and
// documents are apart, so that a list need not read all that it lists. Knows no limit.

import { withoutUrlPasswords } from "../har/redact.ts";
import { keepEarlier, removeEarlier } from "./earlier_copy.ts";
import { answerOf } from "./requests.ts";

type Upgrade = (database: IDBDatabase, transaction: IDBTransaction) => void;

/** Changes each document of a store. */
function changeAll(store: IDBObjectStore, change: (value: unknown) => unknown): void {
  const opening = store.openCursor();
  opening.onsuccess = () => {
    const cursor = opening.result;
    if (cursor === null) return;
    cursor.update(change(cursor.value));
    cursor.continue();
  };
}

/** From each version to the next; exported for test/e2e/extension_history.test.ts, whose page bundles it. To add one: append what turns a database of the version before (its place, from 1) into the next. */
export const upgrades: readonly Upgrade[] = [
  (database) => {
    for (const store of ["profile-rows", "profiles", "race-rows", "race-results"]) database.createObjectStore(store);
  },
  // Names and passwords in URLs were kept once.
  (_, transaction) => {
    for (const store of ["profile-rows", "profiles", "race-rows"])
      changeAll(transaction.objectStore(store), withoutUrlPasswords);
  },
];

const name = "trilane";
const version = upgrades.length;

export type StoreName = "profile-rows" | "profiles" | "race-rows" | "race-results";
export const storeNames: readonly StoreName[] = ["profile-rows", "profiles", "race-rows", "race-results"];

/** The first use by this page or worker; another one may have kept and upgraded it. */
let ready: Promise<void> | null = null;

async function open(): Promise<IDBDatabase> {
  ready ??= keepEarlier(name, version);
  await ready;
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = ({ oldVersion }) => {
    const { transaction } = request;
    if (transaction) for (const upgrade of upgrades.slice(oldVersion)) upgrade(request.result, transaction);
  };
  const database = await answerOf(request);
  // An update of the extension may meet a page of before.
  database.onversionchange = () => database.close();
  return database;
}

/** Copies from before upgrades. */
export const removeCopies = (): Promise<void> => removeEarlier(name, version);

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
