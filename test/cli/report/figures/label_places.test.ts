// Labels at the ends of lines: never on one another, in the lines' order, within their room.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { labelPlaces } from "../../../../cli/report/figures/label_places.ts";

test("labels with room around them stand where they want to", () => {
  assert.deepEqual(labelPlaces([80, 20, 50], 12, 0, 100), [80, 20, 50]);
  assert.deepEqual(labelPlaces([], 12, 0, 100), []);
});

test("any labels stand apart, in the order of what they name, within their room", () => {
  const random = randomSource(7, "labels");
  for (let round = 0; round < 500; round++) {
    const wanted = Array.from({ length: 1 + Math.floor(random() * 8) }, () => Math.round(random() * 140 - 20));
    const places = labelPlaces(wanted, 12, 0, 100);
    const order = wanted
      .map((_, index) => index)
      .sort((a, b) => (wanted[a] as number) - (wanted[b] as number) || a - b);
    const sorted = order.map((index) => places[index] as number);
    for (const [index, place] of sorted.slice(1).entries())
      assert.ok(place - (sorted[index] as number) >= 12 - 1e-9, `${wanted}`);
    assert.ok(
      sorted.every((place) => place >= -1e-9 && place <= 100 + 1e-9),
      `${wanted}: ${places}`,
    );
  }
});

test("too many for their room share it evenly", () => {
  assert.deepEqual(labelPlaces([50, 50, 50, 50, 50], 12, 0, 20), [0, 5, 10, 15, 20]);
});
