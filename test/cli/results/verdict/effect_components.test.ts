// Where effects vary: true standard deviations are found on average, and what cannot be told apart is left out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { normalDraw } from "../../../../cli/results/stats/normal_tail.ts";
import { effectComponents } from "../../../../cli/results/verdict/effect_components.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";
import { lanesOf, normalNoise, pair } from "./simulated_lanes.ts";

const steady = { pages: 8, links: 4, runs: 5, h2: normalNoise(0.02), h3: normalNoise(0.02) };
const gainOf = (logGain: number): number => (1 - Math.exp(-logGain)) * 100;
const namesOf = (samples: readonly Sample[]) => effectComponents(samples, pair)?.components.map(({ name }) => name);

test("on average the true variances of pages, links, pages on links, occasions and runs", () => {
  const sizes = { page: 0.06, link: 0.04, "page on link": 0.03, occasion: 0.02, residual: 0.02 * Math.SQRT2 };
  const sums = new Map<string, number>();
  const studies = 150;
  for (let seed = 1; seed <= studies; seed++) {
    const random = randomSource(seed, "effects");
    const draws = (n: number, size: number): number[] => Array.from({ length: n }, () => size * normalDraw(random));
    const [pages, links, both, occasions] = [
      draws(8, sizes.page),
      draws(4, sizes.link),
      draws(32, sizes["page on link"]),
      draws(5, sizes.occasion),
    ];
    const gain_percent = (page: number, link: number): number =>
      gainOf(0.1 + (pages[page] ?? 0) + (links[link] ?? 0) + (both[page * 4 + link] ?? 0));
    const samples = lanesOf({ ...steady, gain_percent }, seed)
      .map((load) =>
        load.lane === "h3" ? { ...load, plt_ms: (load.plt_ms ?? 0) * Math.exp(occasions[load.block] ?? 0) } : load,
      )
      // Some loads are missing.
      .filter((_, index) => index % 11 !== 3);
    const found = effectComponents(samples, pair);
    assert.ok(found);
    const all = found.components.reduce((sum, { share }) => sum + share, 0);
    assert.ok(Math.abs(all - 1) < 1e-9);
    for (const { name, sd_percent } of found.components)
      sums.set(name, (sums.get(name) ?? 0) + (sd_percent / 100) ** 2 / studies);
  }
  for (const [name, size] of Object.entries(sizes)) {
    const average = sums.get(name) ?? 0;
    assert.ok(Math.abs(average - size ** 2) < 0.2 * size ** 2, `${name}: ${average}, true ${size ** 2}`);
  }
});

test("what cannot be told apart is no component; one page on one link, and few blocks, have none", () => {
  const alike = { ...steady, gain_percent: () => 5 };
  assert.deepEqual(namesOf(lanesOf({ ...alike, links: 1 }, 1)), ["page", "occasion", "residual"]);
  assert.deepEqual(namesOf(lanesOf({ ...alike, pages: 1 }, 1)), ["link", "occasion", "residual"]);
  assert.deepEqual(namesOf(lanesOf({ ...alike, runs: 1 }, 1)), ["page", "link", "residual"]);
  assert.equal(namesOf(lanesOf({ ...alike, pages: 1, links: 1, runs: 30 }, 1)), undefined);
  assert.equal(namesOf(lanesOf({ ...alike, pages: 2, links: 1, runs: 5 }, 1)), undefined);
});

test("loads that timed out are no values", () => {
  const samples = lanesOf({ ...steady, gain_percent: () => 0 }, 4).map(
    (load): Sample =>
      load.lane === "h3" && load.block === 0
        ? { ...load, status: "failed", reasons: ["the load event did not come within 60000 ms"], plt_ms: null }
        : load,
  );
  const residual = effectComponents(samples, pair)?.components.at(-1);
  assert.equal(residual?.levels, 8 * 4 * 4);
  assert.ok((residual?.sd_percent ?? 99) < 4, `${residual?.sd_percent}`);
});
