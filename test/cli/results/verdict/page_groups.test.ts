// The quarters of pages at both ends, and what differs between them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { contrast, pageGroups } from "../../../../cli/results/verdict/page_groups.ts";
import type { PairedCell } from "../../../../cli/results/verdict/paired_cells.ts";

const cellsOf = (pages: number): PairedCell[] =>
  Array.from({ length: pages }, (_, page) => [1, 2].map((link) => [page, link] as const))
    .flat()
    .map(([page, link]) => ({
      page: `page ${String(page).padStart(2, "0")}`,
      link: `link ${link}`,
      // Page 0 takes 50 % of the time, each further page 5 points more, on any link.
      lane: Float64Array.of(1000 * link * (0.5 + 0.05 * page), Number.NaN),
      over: Float64Array.of(1000 * link, 1000 * link),
    }));

test("the quarter at each end, in order; ten at most; none of few pages, nor of such without loads of both lanes", () => {
  const groups = pageGroups(cellsOf(13));
  assert.deepEqual(
    groups?.helped.map(({ page, percent }) => [page, Math.round(percent)]),
    [
      ["page 00", 50],
      ["page 01", 45],
      ["page 02", 40],
    ],
  );
  assert.deepEqual(
    groups?.hurt.map(({ page, percent }) => [page, Math.round(percent)]),
    [
      ["page 10", 0],
      ["page 11", -5],
      ["page 12", -10],
    ],
  );
  assert.equal(groups?.pages, 13);
  assert.equal(pageGroups(cellsOf(60))?.hurt.length, 10);
  assert.equal(pageGroups(cellsOf(7)), null);
  const without = cellsOf(8).map((cell) =>
    cell.page === "page 03" ? { ...cell, lane: Float64Array.of(Number.NaN) } : cell,
  );
  assert.equal(pageGroups(without), null);
});

test("a contrast is of means, with an interval from five pages on; a ratio to nothing is none", () => {
  assert.deepEqual(contrast([10, 20], [60, 30], "ratio", 1), { helped: 15, hurt: 45, change: 1 / 3, interval: null });
  assert.deepEqual(contrast([0.5], [0.2], "difference", 1)?.change, 0.3);
  assert.equal(contrast([1], [0], "ratio", 1)?.change, null);
  assert.equal(contrast([], [1], "ratio", 1), null);
});

test("a contrast's interval holds the truth in about 95 of 100 studies of ten pages each", () => {
  const random = randomSource(5, "contrasts");
  const draw = (middle: number): number[] => Array.from({ length: 10 }, () => middle * (0.5 + random()));
  let held = 0;
  const studies = 400;
  for (let study = 0; study < studies; study++) {
    const interval = contrast(draw(30), draw(60), "ratio", study + 1)?.interval;
    if (interval && interval.low <= 0.5 && interval.high >= 0.5) held++;
  }
  // The percentile bootstrap of ten is a little short of what it says.
  assert.ok(held / studies > 0.88 && held / studies < 0.99, `${held} of ${studies}`);
});
