// How long a sweep's loads took, whatever ran beside them and lay between them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TimeSpent } from "../../../cli/engine/time_spent.ts";

const at = (from_s: number, wall_s: number) => ({
  started_at: new Date(Date.UTC(2026, 0, 1) + from_s * 1000).toISOString(),
  wall_ms: wall_s * 1000,
});

test("earlier runs' loads side by side count once, in whatever order they ended, and gaps not at all", () => {
  const spent_s = (...loads: ReturnType<typeof at>[]) => new TimeSpent(loads, () => 0).spent_ms / 1000;
  assert.equal(spent_s(), 0);
  assert.equal(spent_s(at(0, 10), at(20, 10)), 20);
  assert.equal(spent_s(at(0, 10), at(0, 10), at(0, 10), at(5, 10)), 15);
  assert.equal(spent_s(at(5, 1), at(0, 10), at(100_000, 1)), 11);
});

test("this run's count alike, those in flight too, also one that throws", async () => {
  let now_ms = 1000;
  const spent = new TimeSpent([at(0, 10)], () => now_ms);
  const ends: (() => void)[] = [];
  const begin = () => spent.during(() => new Promise<void>((resolve) => ends.push(resolve)));
  now_ms += 500;
  assert.equal(spent.spent_ms, 10_000);
  const [first, second] = [begin(), begin()];
  now_ms += 300;
  ends.shift()?.();
  await first;
  assert.equal(spent.spent_ms, 10_300);
  now_ms += 200;
  ends.shift()?.();
  await second;
  now_ms += 5000;
  assert.equal(spent.spent_ms, 10_500);
  const failing = spent.during(async () => {
    now_ms += 50;
    throw new Error("no browser");
  });
  await assert.rejects(failing);
  now_ms += 5000;
  assert.equal(spent.spent_ms, 10_550);
});
