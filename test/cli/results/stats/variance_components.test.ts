// Variance components against a textbook's data, the analysis of variance of balanced data, and simulations whose truth is known.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { normalDraw } from "../../../../cli/results/stats/normal_tail.ts";
import { type Factor, varianceComponents } from "../../../../cli/results/stats/variance_components.ts";

const close = (found: number | undefined, expected: number, within = 1e-9): void =>
  assert.ok(
    found !== undefined && Math.abs(found - expected) <= within * Math.max(1, Math.abs(expected)),
    `${found}, expected ${expected}`,
  );

/** Yields of dyestuff from six batches (Davies 1947, as in Box and Tiao 1973 and lme4). */
const dyestuff = [
  [1545, 1440, 1440, 1520, 1580],
  [1540, 1555, 1490, 1560, 1495],
  [1595, 1550, 1605, 1510, 1560],
  [1445, 1440, 1595, 1465, 1545],
  [1595, 1630, 1515, 1635, 1625],
  [1520, 1455, 1450, 1480, 1445],
];

test("dyestuff: batches 1764.05 and residual 2451.25, as published", () => {
  const levels = dyestuff.flatMap((batch, index) => batch.map(() => index));
  const found = varianceComponents(dyestuff.flat(), [{ name: "batch", levels }]);
  assert.deepEqual(
    found?.factors.map(({ name, levels: of }) => [name, of]),
    [["batch", 6]],
  );
  close(found?.factors[0]?.variance, 1764.05);
  close(found?.residual, 2451.25);
});

test("one-way data of unequal sizes: the closed form", () => {
  const groups = [[3, 5, 4], [9, 8], [1, 2, 2, 3, 1], [7]];
  const values = groups.flat();
  const n = values.length;
  const mean = (of: readonly number[]): number => of.reduce((sum, value) => sum + value, 0) / of.length;
  const between = groups.reduce((sum, of) => sum + of.length * (mean(of) - mean(values)) ** 2, 0) / (groups.length - 1);
  const within =
    groups.reduce((sum, of) => sum + of.reduce((all, value) => all + (value - mean(of)) ** 2, 0), 0) /
    (n - groups.length);
  const size = (n - groups.reduce((sum, of) => sum + of.length ** 2, 0) / n) / (groups.length - 1);
  const found = varianceComponents(values, [{ name: "a", levels: groups.flatMap((of, index) => of.map(() => index)) }]);
  close(found?.factors[0]?.variance, (between - within) / size);
  close(found?.residual, within);
});

interface Drawn {
  readonly values: number[];
  readonly factors: Factor[];
}

const names = ["page", "link", "page on link", "occasion"] as const;

/** Values of `pages` x `links` x `occasions` with these standard deviations; `keeps` says which there are. */
function study(
  [pages, links, occasions]: readonly [number, number, number],
  sizes: readonly [number, number, number, number, number],
  seed: number,
  keeps: (page: number, link: number, occasion: number) => boolean = () => true,
): Drawn {
  const random = randomSource(seed, "variance components");
  const draws = (n: number, size: number): number[] => Array.from({ length: n }, () => size * normalDraw(random));
  const [ofPage, ofLink, ofBoth, ofOccasion] = [
    draws(pages, sizes[0]),
    draws(links, sizes[1]),
    draws(pages * links, sizes[2]),
    draws(occasions, sizes[3]),
  ];
  const values: number[] = [];
  const levels: number[][] = [[], [], [], []];
  for (let page = 0; page < pages; page++)
    for (let link = 0; link < links; link++)
      for (let occasion = 0; occasion < occasions; occasion++) {
        const own = sizes[4] * normalDraw(random);
        if (!keeps(page, link, occasion)) continue;
        const both = page * links + link;
        values.push(
          10 + (ofPage[page] ?? 0) + (ofLink[link] ?? 0) + (ofBoth[both] ?? 0) + (ofOccasion[occasion] ?? 0) + own,
        );
        for (const [index, level] of [page, link, both, occasion].entries()) levels[index]?.push(level);
      }
  return { values, factors: names.map((name, index) => ({ name, levels: levels[index] ?? [] })) };
}

test("balanced crossed data: the analysis of variance", () => {
  const [pages, links, runs] = [6, 5, 4];
  const { values, factors } = study([pages, links, runs], [3, 2, 1.5, 0, 1], 4);
  const at = (page: number, link: number, run: number): number => values[(page * links + link) * runs + run] as number;
  const range = (n: number): number[] => Array.from({ length: n }, (_, index) => index);
  const mean = (of: readonly number[]): number => of.reduce((sum, value) => sum + value, 0) / of.length;
  const cell = (page: number, link: number): number => mean(range(runs).map((run) => at(page, link, run)));
  const row = (page: number): number => mean(range(links).map((link) => cell(page, link)));
  const column = (link: number): number => mean(range(pages).map((page) => cell(page, link)));
  const all = mean(values);
  const squares = (of: readonly number[]): number => of.reduce((sum, value) => sum + value ** 2, 0);
  const ofPages = (links * runs * squares(range(pages).map((page) => row(page) - all))) / (pages - 1);
  const ofLinks = (pages * runs * squares(range(links).map((link) => column(link) - all))) / (links - 1);
  const cells = range(pages).flatMap((page) =>
    range(links).map((link) => cell(page, link) - row(page) - column(link) + all),
  );
  const ofBoth = (runs * squares(cells)) / ((pages - 1) * (links - 1));
  const own = range(pages).flatMap((page) =>
    range(links).flatMap((link) => range(runs).map((run) => at(page, link, run) - cell(page, link))),
  );
  const residual = squares(own) / (pages * links * (runs - 1));
  const found = varianceComponents(values, factors.slice(0, 3));
  const expected = [
    (ofPages - ofBoth) / (links * runs),
    (ofLinks - ofBoth) / (pages * runs),
    (ofBoth - residual) / runs,
  ];
  assert.ok(expected.every((variance) => variance > 0));
  for (const [index, variance] of expected.entries()) close(found?.factors[index]?.variance, variance, 1e-6);
  close(found?.residual, residual, 1e-6);
});

test("unbalanced crossed data: on average the true variances", () => {
  const sizes = [2, 1.5, 1, 1, 1.2] as const;
  const studies = 200;
  const sums = [0, 0, 0, 0, 0];
  for (let seed = 1; seed <= studies; seed++) {
    // Later pages have fewer links and runs, some runs are missing.
    const { values, factors } = study(
      [10, 6, 6],
      sizes,
      seed,
      (page, link, occasion) =>
        link < 6 - (page % 3) && (page + 2 * link + 5 * occasion) % 7 !== 0 && occasion < 3 + (page % 4),
    );
    const found = varianceComponents(values, factors);
    assert.ok(found);
    [...found.factors.map(({ variance }) => variance), found.residual].forEach((variance, index) => {
      sums[index] = (sums[index] ?? 0) + variance;
    });
  }
  sizes.forEach((size, index) => {
    const average = (sums[index] ?? 0) / studies;
    assert.ok(Math.abs(average - size ** 2) < 0.15 * size ** 2, `${index}: ${average}, true ${size ** 2}`);
  });
});

test("a variance below chance is 0, and the others are estimated without it; factors that are the same cannot be told apart", () => {
  const values = [1, 9, 2, 8, 1.5, 8.5];
  const levels = [0, 0, 1, 1, 2, 2];
  const found = varianceComponents(values, [{ name: "a", levels }]);
  assert.equal(found?.factors[0]?.variance, 0);
  close(found?.residual, values.reduce((sum, value) => sum + (value - 5) ** 2, 0) / 5);
  assert.equal(
    varianceComponents(
      [1, 2, 3, 4],
      [
        { name: "a", levels: [0, 0, 1, 1] },
        { name: "b", levels: [5, 5, 3, 3] },
      ],
    ),
    null,
  );
  assert.equal(varianceComponents([1, 2, 3], [{ name: "each", levels: [0, 1, 2] }]), null);
  assert.equal(varianceComponents([1, 2, 3], [{ name: "one", levels: [4, 4, 4] }]), null);
});
