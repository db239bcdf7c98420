// What brings the history's database from each version to the next. To add one: append a function that turns a database of the
// version before (its number is its place, from 1) into the next, by the transaction that it is given, in which all of it happens or
// nothing; tests open a database of each earlier version (test/e2e/extension_history.test.ts). Opens nothing.
import { withoutUrlPasswords } from "../har/redact.ts";

export type Upgrade = (database: IDBDatabase, transaction: IDBTransaction) => void;

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
