// Which flows share a colour: none up to eight, then the parts of the mix, then kinds; every flow is in one group.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawnGroups, type MixPart, mostColours } from "../../../../../cli/instruments/flows/report/drawn_groups.ts";
import { flowColours } from "../../../../../extension/figures/colours.ts";
import type { RunFlow } from "../../../../../schemas/generated/flow_run.ts";

const flow = (congestion: string, direction: "down" | "up" = "down"): RunFlow => ({
  ...{ transport: "tcp", congestion, direction, start_ms: 0, duration_ms: null, size_bytes: null },
});

/** Parts of so many flows each, in the run's order. */
function partsOf(...counted: (readonly [words: string, count: number])[]): MixPart[] {
  let next = 0;
  return counted.map(([words, count]) => ({ words, members: Array.from({ length: count }, () => next++) }));
}

test("up to eight flows each have a colour, those of one --flow numbered", () => {
  const groups = drawnGroups(Array(5).fill(flow("cubic")), partsOf(["quic:cubic", 1], ["4*tcp:cubic,up", 4]));
  assert.deepEqual(
    groups.map(({ number, name }) => `${number} ${name}`),
    ["1 quic:cubic", "2 tcp:cubic,up #1", "3 tcp:cubic,up #2", "4 tcp:cubic,up #3", "5 tcp:cubic,up #4"],
  );
});

test("more are drawn by their part of the mix; of more parts by their kind; of more kinds the last are one", () => {
  const byPart = drawnGroups(Array(100).fill(flow("cubic")), partsOf(["50*quic:cubic", 50], ["50*tcp:cubic", 50]));
  assert.deepEqual(
    byPart.map(({ name, members }) => `${name} ${members.length}`),
    ["50*quic:cubic 50", "50*tcp:cubic 50"],
  );
  const many = Array.from({ length: 12 }, (_, index) => [`tcp:cubic@${index}s`, 1] as const);
  const kinds = drawnGroups([...Array(6).fill(flow("cubic")), ...Array(6).fill(flow("reno", "up"))], partsOf(...many));
  assert.deepEqual(
    kinds.map(({ name }) => name),
    ["6*tcp:cubic", "6*tcp:reno,up"],
  );
  const odd = drawnGroups(
    Array.from({ length: 12 }, (_, index) => flow(`c${index}`)),
    partsOf(...many),
  );
  assert.equal(odd.length, mostColours);
  assert.equal(odd.at(-1)?.name, "5 others");
  assert.deepEqual(
    odd.flatMap(({ members }) => members).sort((a, b) => a - b),
    Array.from({ length: 12 }, (_, index) => index),
  );
});

test("there are as many colours as groups", () => {
  assert.equal(flowColours.light.length, mostColours);
  assert.equal(flowColours.dark.length, mostColours);
});
