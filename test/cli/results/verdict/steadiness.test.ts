// Steadiness of many cells: what drifts is named, chance is not; variation and far loads as stability.ts and quantile.ts have them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";
import { drifts, steadinessOf } from "../../../../cli/results/verdict/steadiness.ts";

const cell = (page: string, plts_ms: readonly number[]): Sample[] =>
  plts_ms.map((plt_ms, block) => ({
    page,
    link: "3mbit/50ms",
    lane: "h2",
    block,
    status: "valid",
    reasons: [],
    plt_ms,
  }));

test("a cell that drifts is named among many that do not", () => {
  const random = randomSource(3, "steady");
  const still = Array.from({ length: 60 }, (_, page) =>
    cell(
      `page ${page}`,
      Array.from({ length: 15 }, () => 1000 + 20 * random()),
    ),
  ).flat();
  const rising = cell(
    "rising",
    Array.from({ length: 15 }, (_, index) => 1000 + 10 * index),
  );
  const found = steadinessOf([...still, ...rising]).filter(drifts);
  assert.deepEqual(
    found.map(({ page }) => page),
    ["rising"],
  );
  assert.ok(Math.abs((found[0]?.drift?.percent ?? 0) - (140 / 1070) * 100) < 1e-9);
});

test("variation, loads far away, and cells of few loads", () => {
  const [odd, few, one] = steadinessOf([
    ...cell("odd", [800, 803, 799, 801, 805, 798, 802, 1900]),
    ...cell("few", [100, 110]),
    ...cell("one", [100]),
  ]);
  assert.deepEqual(
    odd?.farAway.map(({ plt_ms }) => plt_ms),
    [1900],
  );
  assert.deepEqual([few?.drift, few?.farAway.length], [null, 0]);
  assert.ok(few?.variation && Math.abs(few.variation - Math.sqrt(50) / 105) < 1e-12);
  assert.equal(one?.variation, null);
});
