// cli/sweep/plan/load_order.ts: every cell once a block, lanes of a group next to each other, seeded, and really shuffled.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { leadFirst, linkSeed, orderLoads } from "../../../../cli/sweep/plan/load_order.ts";

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

  test("the first group may lead for some blocks; the rest keeps its order, and nothing runs twice", () => {
    const order = orderLoads(cells, groupOf, 4, 1);
    const led = leadFirst(order, cells, groupOf, 3);
    const named = led.map(({ cell, block }) => `${cells[cell]?.group}${block}`);
    assert.deepEqual(named.slice(0, 9), ["a0", "a0", "a0", "a1", "a1", "a1", "a2", "a2", "a2"]);
    assert.deepEqual(
      led.slice(9).map(({ cell, block }) => ({ cell, block })),
      order
        .filter(({ cell, block }) => cells[cell]?.group !== "a" || block === 3)
        .map(({ cell, block }) => ({ cell, block })),
    );
    assert.deepEqual(
      led.map(({ position }) => position),
      order.map(({ position }) => position),
    );
    assert.deepEqual(leadFirst(order, cells, groupOf, 0), order);
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

  test("the link's luck differs by block, page, link and seed, and not by lane", () => {
    const cell = { page: "a", link: "3mbit/50ms,loss=1%", lane: "h2", link_profile: { seed: 1 } };
    const others = [
      { ...cell, page: "b" },
      { ...cell, link: "3mbit/50ms,loss=2%" },
      { ...cell, link_profile: { seed: 2 } },
    ];
    const seeds = [cell, ...others].map((each) => linkSeed(1, each, 0));
    seeds.push(linkSeed(1, cell, 1), linkSeed(2, cell, 0));
    assert.equal(new Set(seeds).size, seeds.length);
    const otherLane = { ...cell, lane: "h3" };
    assert.equal(linkSeed(1, otherLane, 0), seeds[0]);
    for (const seed of seeds) assert.ok(Number.isInteger(seed) && seed >= 0 && seed <= 4294967295);
  });
});
