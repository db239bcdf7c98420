// Pages that are helped and hurt: found where they are, and named wrongly no more often than said, also where lanes scatter unlike.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageEffects, pageTests } from "../../../../cli/results/verdict/page_effects.ts";
import { pairedCells } from "../../../../cli/results/verdict/paired_cells.ts";
import { type Lanes, lanesOf, normalNoise, ofTwoKinds, pair } from "./simulated_lanes.ts";

const effectsOf = (lanes: Lanes, seed: number) => pageEffects(pairedCells(lanesOf(lanes, seed), pair), pair, seed);

const alike = { pages: 12, links: 1, runs: 12, gain_percent: () => 0, h2: normalNoise(0.02), h3: normalNoise(0.02) };

test("helped, hurt and unchanged pages, the most hurt first, with the share of pages that far", () => {
  const found = effectsOf({ ...alike, gain_percent: (page) => (page < 4 ? 15 : page < 6 ? -12 : 0) }, 3);
  assert.ok(found);
  assert.deepEqual([found.helped, found.hurt, found.pages.length], [4, 2, 12]);
  const hurt = found.pages.filter(({ named }) => named === "hurt").map(({ page }) => page);
  assert.deepEqual(hurt.toSorted(), ["page 04", "page 05"]);
  assert.deepEqual(
    found.pages.slice(0, 2).map(({ named }) => named),
    ["hurt", "hurt"],
  );
  const percents = found.pages.map(({ effect }) => effect.percent);
  assert.deepEqual(
    percents,
    percents.toSorted((a, b) => a - b),
  );
  for (const [index, { effect, share, probability, holm, benjaminiHochberg }] of found.pages.entries()) {
    assert.ok(effect.interval && effect.interval.low <= effect.percent && effect.percent <= effect.interval.high);
    assert.ok(share.low < (index + 1) / 12 && share.high >= (index + 1) / 12);
    assert.ok(probability <= benjaminiHochberg && benjaminiHochberg <= holm);
  }
});

test("of equal lanes of unlike shapes a page is named in at most 5 % of studies", () => {
  for (const [name, lanes] of [
    ["spread 1 to 8", { ...alike, h3: normalNoise(0.16) }],
    ["one of two kinds", { ...alike, h3: ofTwoKinds }],
    ["two links", { ...alike, links: 2, runs: 9, h3: ofTwoKinds }],
  ] as const) {
    const studies = 250;
    let wrong = 0;
    for (let seed = 1; seed <= studies; seed++) {
      const tests = pageTests(pairedCells(lanesOf(lanes, seed), pair));
      assert.equal(tests.length, 12);
      if (tests.some(({ named }) => named !== null)) wrong++;
    }
    assert.ok(wrong / studies <= 0.06, `${name}: ${wrong} of ${studies}`);
  }
});

test("links add up: what a page shows on none of three links it shows over them", () => {
  const lanes = { ...alike, runs: 7, gain_percent: (page: number) => (page === 0 ? 8 : 0), h2: normalNoise(0.03) };
  assert.equal(effectsOf({ ...lanes, links: 1 }, 5)?.helped, 0);
  assert.equal(effectsOf({ ...lanes, links: 3 }, 5)?.pages.at(-1)?.named, "helped");
});

test("of fewer than five pages there is no distribution", () => {
  assert.equal(effectsOf({ ...alike, pages: 4 }, 1), null);
});
