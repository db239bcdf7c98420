// cli/sweep/order.ts: every cell once a block, lanes of a group next to each other, seeded, and really shuffled.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lossSeed, orderLoads } from "../../../cli/sweep/order.ts";

const lanes = ["h1", "h2", "h3"];
const cells = ["a", "b", "c", "d"].flatMap((group) => lanes.map((lane) => ({ group, lane })));
const groupOf = (cell: { group: string }) => cell.group;

describe("order", () => {
  test("every cell stands once in every block, and positions count up", () => {
    const order = orderLoads(cells, groupOf, 5, 1);
    assert.deepEqual(
      order.map((load) => load.position),
      order.map((_, index) => index),
    );
    for (let block = 0; block < 5; block++) {
      const inBlock = order.slice(block * cells.length, (block + 1) * cells.length);
      assert.ok(inBlock.every((load) => load.block === block));
      assert.equal(new Set(inBlock.map((load) => load.cell)).size, cells.length);
    }
  });

  test("the lanes of a group run directly after one another", () => {
    const order = orderLoads(cells, groupOf, 5, 1);
    for (let at = 0; at < order.length; at += lanes.length) {
      const groups = order.slice(at, at + lanes.length).map((load) => cells[load.cell]?.group);
      assert.equal(new Set(groups).size, 1);
    }
  });

  test("the same seed gives the same order, another seed another, more repetitions the same beginning", () => {
    const order = orderLoads(cells, groupOf, 3, 1);
    assert.deepEqual(orderLoads(cells, groupOf, 3, 1), order);
    assert.notDeepEqual(orderLoads(cells, groupOf, 3, 2), order);
    assert.deepEqual(orderLoads(cells, groupOf, 9, 1).slice(0, order.length), order);
  });

  test("each lane and each group comes first about as often as the others", () => {
    const blocks = 3000;
    const firstLanes = new Map<string, number>();
    const firstGroups = new Map<string, number>();
    const order = orderLoads(cells, groupOf, blocks, 3);
    for (let block = 0; block < blocks; block++) {
      const first = cells[order[block * cells.length]?.cell ?? -1];
      assert.ok(first);
      firstLanes.set(first.lane, (firstLanes.get(first.lane) ?? 0) + 1);
      firstGroups.set(first.group, (firstGroups.get(first.group) ?? 0) + 1);
    }
    // Six standard deviations of a fair draw.
    const near = (count: number, share: number): boolean =>
      Math.abs(count - blocks * share) < 6 * Math.sqrt(blocks * share * (1 - share));
    for (const lane of lanes) assert.ok(near(firstLanes.get(lane) ?? 0, 1 / 3), `${lane}: ${firstLanes.get(lane)}`);
    for (const group of ["a", "b", "c", "d"]) assert.ok(near(firstGroups.get(group) ?? 0, 1 / 4), group);
  });

  test("losses differ by block and by seed, and not by lane", () => {
    const seeds = [lossSeed(1, 1, 0), lossSeed(1, 1, 1), lossSeed(2, 1, 0), lossSeed(1, 2, 0)];
    assert.equal(new Set(seeds).size, seeds.length);
    assert.equal(lossSeed(1, 1, 0), seeds[0]);
    for (const seed of seeds) assert.ok(Number.isInteger(seed) && seed >= 0 && seed <= 4294967295);
  });
});
