// What a 95 % interval promises, tried on loads whose truth is known: simulated again and again, the interval must hold
// the truth in about 95 % of them. The seeds are fixed, so the outcome is; the bounds leave room for another machine's log().
// Wide: cli/results/stats, cli/results/verdict.
import assert from "node:assert/strict";
import { test } from "node:test";
import { median } from "../../../../cli/base/quantile.ts";
import { type RandomSource, randomSource } from "../../../../cli/base/random.ts";
import { compare, direction } from "../../../../cli/results/verdict/comparison.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";
import { coverage, falseVerdicts, normal, shapes, sizes, toldOfEqual } from "../stats/simulated_study.ts";

/** PLTs have a floor and a tail: log-normal around a median. */
function plt_ms(random: RandomSource, median_ms: number, spread: number): number {
  return median_ms * Math.exp(spread * normal(random));
}

function shareOf(trials: number, holds: (trial: number) => boolean): number {
  let held = 0;
  for (let trial = 0; trial < trials; trial++) if (holds(trial)) held++;
  return held / trials;
}

function assertBetween(value: number, low: number, high: number, what: string): void {
  assert.ok(value >= low && value <= high, `${what}: covers in ${(value * 100).toFixed(1)} %`);
}

test("95 % intervals hold the truth in 94 to 96 % of studies, whatever the loads' distribution", () => {
  for (const noise of ["normal", "skewed", "heavy-tailed"] as const)
    for (const loads of sizes)
      assertBetween(coverage("median of a lane", noise, loads, 6000), 0.94, 0.96, `${loads}, ${noise}`);
  for (const loads of [8, 10, 20])
    assertBetween(coverage("shift between two sweeps", "normal", loads, 2000), 0.94, 0.965, `shift of ${loads}`);
  for (const loads of [5, 8, 20])
    assertBetween(coverage("improvement on a page", "normal", loads, 1000), 0.935, 0.97, `improvement by ${loads}`);
  for (const noise of ["normal", "skewed", "of two kinds"] as const)
    for (const loads of [5, 8, 20])
      assertBetween(
        coverage("improvement over three pages", noise, loads, 1500),
        0.925,
        1,
        `improvement over three pages by ${loads}, ${noise}`,
      );
});

test("the verdict calls equal lanes different in about 5 %, also when the machine drifts or disturbs loads", () => {
  for (const [disturbance, loads] of [
    ["a drift of 10 %", 5],
    ["every tenth load half as long again", 8],
  ] as const) {
    const found = falseVerdicts(disturbance, loads, 500);
    assert.ok(found <= 0.07, `${loads} loads, ${disturbance}: ${(found * 100).toFixed(1)} %`);
  }
});

test("lanes of equal medians and unequal noise: called different in at most 6 %, whatever is pooled; intervals hold 0", () => {
  for (const [links, loads, studies] of [
    [1, 5, 150],
    [1, 9, 150],
    [12, 3, 100],
    [4, 5, 200],
    [4, 9, 200],
    [12, 7, 100],
    [100, 3, 20],
  ] as const)
    for (const shape of Object.keys(shapes)) {
      const told = toldOfEqual(shape, { pages: 1, links, loads }, studies);
      const what = `${links} links, ${loads} loads, ${shape}`;
      // A share of 6 %, and twice what so few studies err by.
      assert.ok(told.wrong <= 0.06 + 2 * Math.sqrt((0.06 * 0.94) / studies), `${what}: ${told.wrong * 100} % wrong`);
      assert.ok(
        told.covered >= 0.93 - 2 * Math.sqrt((0.07 * 0.93) / studies),
        `${what}: covers in ${told.covered * 100} %`,
      );
      assert.equal(told.tooFew, 0, what);
    }
});

test("few cells of loads of two kinds: called different in at most 5 % or little more", () => {
  for (const [pages, links, loads] of [
    [1, 4, 5],
    [1, 4, 9],
    [1, 12, 9],
    [12, 1, 9],
  ] as const) {
    const { wrong } = toldOfEqual("45 % slower", { pages, links, loads }, 2000);
    assert.ok(wrong <= 0.055, `${pages} pages, ${links} links, ${loads} loads: ${wrong * 100} % wrong`);
  }
});

test("what medians of few loads may lean by does not widen intervals by more than such loads call for", () => {
  const random = randomSource(12, "width");
  const race = { blocks: 9, pages: 1, links: 12, own: 0.05, shared: 0, pageRatio: 0 };
  const widths = Array.from({ length: 100 }, (_, trial) => {
    const { interval } = compare(simulate(race, 1, random), lanes, trial);
    return (interval?.high ?? Number.NaN) - (interval?.low ?? Number.NaN);
  });
  // Without it they are some 3.4 % wide; by all that medians lie off the middle of where they may be, also by chance, 5.8 %; by a fixed
  // share of medians' errors that holds as often where loads are of two kinds, 8.3 % or more.
  const width_percent = median(widths);
  assert.ok(width_percent > 3.6 && width_percent < 5, `${width_percent} % wide`);
});

const lanes = { lane: "h3", over: "h2" };

test("5 % over 12 pages, 5 runs, noise of 3 %: shown in 95 % or more", () => {
  const random = randomSource(17, "power");
  const race = { blocks: 5, pages: 12, links: 1, own: 0.03, shared: 0, pageRatio: 0 };
  const found = shareOf(300, (trial) => direction(compare(simulate(race, 0.95, random), lanes, trial)) === "faster");
  assertBetween(found, 0.95, 1, "shown");
});

interface Race {
  readonly blocks: number;
  readonly pages: number;
  readonly links: number;
  /** Spread between loads, shared by a block's loads, and between pages' own ratios. */
  readonly own: number;
  readonly shared: number;
  readonly pageRatio: number;
  /** What slows a block's load of one lane quickens the other's. */
  readonly isApart?: boolean;
}

/** Loads of h2 with the medians of pages, and of h3 with `ratio` times that. */
function simulate(race: Race, ratio: number, random: RandomSource): Sample[] {
  const loads: Sample[] = [];
  for (let page = 0; page < race.pages; page++) {
    const pageFactor = Math.exp(race.pageRatio * normal(random));
    for (let link = 0; link < race.links; link++) {
      for (let block = 0; block < race.blocks; block++) {
        const minute = race.shared * normal(random);
        for (const [lane, factor] of [
          ["h2", 1],
          ["h3", ratio * pageFactor],
        ] as const) {
          loads.push({
            page: `page ${page}`,
            link: `link ${link}`,
            lane,
            block,
            status: "valid",
            reasons: [],
            plt_ms:
              plt_ms(random, 500 * (1 + page) * factor, race.own) *
              Math.exp(race.isApart && lane === "h3" ? -minute : minute),
          });
        }
      }
    }
  }
  return loads;
}

for (const [name, race, low, high] of [
  ["one page, 5 blocks", { blocks: 5, pages: 1, links: 1, own: 0.05, shared: 0.05, pageRatio: 0 }, 0.91, 0.995],
  ["one page, 20 blocks", { blocks: 20, pages: 1, links: 1, own: 0.05, shared: 0.1, pageRatio: 0 }, 0.93, 0.99],
  [
    "one page, 9 blocks whose lanes move apart",
    { blocks: 9, pages: 1, links: 1, own: 0.01, shared: 0.05, pageRatio: 0, isApart: true },
    0.9,
    0.99,
  ],
  [
    "one page, 20 blocks whose lanes move apart",
    { blocks: 20, pages: 1, links: 1, own: 0.01, shared: 0.05, pageRatio: 0, isApart: true },
    0.92,
    0.99,
  ],
  ["3 pages on 2 links, 8 blocks", { blocks: 8, pages: 3, links: 2, own: 0.08, shared: 0.02, pageRatio: 0 }, 0.92, 1],
  ["3 pages, 3 blocks", { blocks: 3, pages: 3, links: 1, own: 0.08, shared: 0.02, pageRatio: 0 }, 0.91, 1],
  ["5 pages on 4 links, 4 blocks", { blocks: 4, pages: 5, links: 4, own: 0.08, shared: 0, pageRatio: 0 }, 0.92, 1],
  [
    "4 pages, 5 blocks that share much",
    { blocks: 5, pages: 4, links: 1, own: 0.02, shared: 0.08, pageRatio: 0 },
    0.92,
    1,
  ],
] as const) {
  test(`interval of an improvement covers in about 95 %: ${name}`, () => {
    const random = randomSource(23, name);
    const found = shareOf(500, (trial) => {
      const { interval } = compare(simulate(race, 0.86, random), lanes, trial);
      return interval !== null && interval.low <= 14 && 14 <= interval.high;
    });
    assertBetween(found, low, high, name);
  });
}

test("interval over pages covers the improvement of all pages they were drawn from, in about 95 %", () => {
  // Every page has its own ratio around 0.86: that spread, not the loads' own, is what a sample of pages must own up to.
  const random = randomSource(31, "pages");
  const held = shareOf(400, (trial) => {
    const loads: Sample[] = [];
    for (let page = 0; page < 15; page++) {
      const size = Math.exp(0.3 * normal(random));
      const own = Math.exp(0.1 * normal(random));
      for (let block = 0; block < 3; block++) {
        for (const [lane, factor] of [
          ["h2", 1],
          ["h3", 0.86 * own],
        ] as const) {
          const load = { page: `page ${page}`, link: "link", lane, block, status: "valid" as const, reasons: [] };
          loads.push({ ...load, plt_ms: plt_ms(random, 1000 * size * factor, 0.03) });
        }
      }
    }
    const result = compare(loads, lanes, trial);
    assert.equal(result.units, "pages");
    return result.interval !== null && result.interval.low <= 14 && 14 <= result.interval.high;
  });
  assertBetween(held, 0.92, 0.999, "15 pages");
});

test("cells of two loads that vary more than the others widen the interval over all", () => {
  const random = randomSource(61, "noisy cells");
  const held = shareOf(500, (trial) => {
    const loads = [0, 1, 2, 3, 4].flatMap((link) => {
      const isNoisy = link > 3;
      return Array.from({ length: isNoisy ? 2 : 8 }, (_, block) =>
        [1, 0.86].map((ratio, lane) => ({
          page: "page",
          link: `link ${link}`,
          lane: lane === 0 ? "h2" : "h3",
          block,
          status: "valid" as const,
          reasons: [],
          plt_ms: plt_ms(random, 500 * ratio, isNoisy ? 0.1 : 0.02),
        })),
      ).flat();
    });
    const { interval } = compare(loads, lanes, trial);
    return interval !== null && interval.low <= 14 && 14 <= interval.high;
  });
  assertBetween(held, 0.94, 1, "noisy cells");
});

test("pairing blocks narrows the interval where a block's loads share their minute", () => {
  const race = { blocks: 20, pages: 1, links: 1, own: 0.02, shared: 0.2, pageRatio: 0 };
  const random = randomSource(41, "pairing");
  let narrower = 0;
  for (let trial = 0; trial < 40; trial++) {
    const loads = simulate(race, 0.86, random);
    const paired = compare(loads, lanes, trial).interval;
    // The same loads with h3's blocks moved on by half: nothing is shared any more.
    const unpaired = loads.map((load) => (load.lane === "h3" ? { ...load, block: (load.block + 10) % 20 } : load));
    const apart = compare(unpaired, lanes, trial).interval;
    assert.ok(paired && apart);
    if (paired.high - paired.low < apart.high - apart.low) narrower++;
  }
  assert.ok(narrower >= 34, `${narrower} of 40 narrower`);
});
