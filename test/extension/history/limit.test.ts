// What leaves the history when it is full.
import assert from "node:assert/strict";
import { test } from "node:test";
import { tooMany } from "../../../extension/history/history.ts";

const row = (id: string, minute: number, size_bytes: number, outcome?: string) => ({
  id,
  started: `2026-11-21T10:${String(minute).padStart(2, "0")}:00.000Z`,
  size_bytes,
  ...(outcome === undefined ? {} : { outcome }),
});

test("nothing goes while all fits", () => {
  assert.deepEqual(tooMany([], "new", 10), []);
  assert.deepEqual(tooMany([row("a", 1, 5), row("new", 2, 5)], "new", 10), []);
});

test("the oldest go, whatever their order, and no more of them than must", () => {
  const rows = [row("c", 3, 4), row("a", 1, 4), row("new", 4, 4), row("b", 2, 4)];
  assert.deepEqual(tooMany(rows, "new", 12), ["a"]);
  assert.deepEqual(tooMany(rows, "new", 11), ["a", "b"]);
});

test("never a race under way, nor the new one, however large", () => {
  const rows = [row("race", 1, 8, "running"), row("ended", 2, 8, "finished"), row("new", 0, 50)];
  assert.deepEqual(tooMany(rows, "new", 10), ["ended"]);
});
