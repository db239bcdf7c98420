// cli/results/answer/contrast: one against another by pairs, corrected over what is shown together; and what flows say by it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { type ContrastedCell, flowContrasts } from "../../../../cli/instruments/flows/answer/contrasts.ts";
import { flowResult } from "../../../../cli/instruments/flows/metrics/flow_result.ts";
import { contrast, isProbable, shown, surenessNote } from "../../../../cli/results/answer/contrast.ts";
import { correctedTogether } from "../../../../cli/results/stats/multiplicity.ts";
import { madeRecords, steadily } from "../../instruments/flows/metrics/made_records.ts";

/** One value a unit. */
const units = (...ratios: readonly number[]) => ratios.map((ratio) => [{ one: 100 * ratio, other: 100 }]);

test("the ratio is the median unit's, whatever the units' own sizes, and turned it is its inverse", () => {
  const pairs = [1, 10, 100, 1000, 10_000, 100_000].map((size, place) => ({
    one: size * (2 + place / 100),
    other: size,
  }));
  const found = contrast(pairs.map((pair) => [pair]));
  const turned = contrast(pairs.map(({ one, other }) => [{ one: other, other: one }]));
  assert.ok(found?.interval && turned?.interval);
  assert.ok(Math.abs(found.ratio - 2.025) < 1e-3);
  assert.ok(Math.abs(found.ratio * turned.ratio - 1) < 1e-9);
  assert.ok(Math.abs(found.interval.low * turned.interval.high - 1) < 1e-9);
  assert.equal(found.probability, turned.probability);
  assert.equal(shown(found), "more");
  assert.equal(shown(turned), "less");
});

test("a unit counts once with its median; what is 0 is no ratio; fewer than five have no interval", () => {
  const found = contrast([
    ...units(2, 2, 2),
    [
      { one: 2, other: 1 },
      { one: 8, other: 1 },
      { one: 2, other: 1 },
    ],
    [{ one: 0, other: 1 }],
  ]);
  assert.deepEqual([found?.n, found?.interval, found?.probability], [4, null, null]);
  assert.ok(Math.abs((found?.ratio ?? 0) - 2) < 1e-12);
  assert.equal(found && shown(found), "unknown");
  assert.equal(contrast([]), null);
  assert.equal(contrast([[{ one: 0, other: 0 }]]), null);
});

test("Holm's correction is over those that test something", () => {
  const six = contrast(units(2, 2.01, 2.02, 2.03, 2.04, 2.05));
  const few = contrast(units(3, 3));
  assert.ok(six && few);
  const alone = correctedTogether([six, few]);
  assert.deepEqual([alone[0]?.comparisons, alone[0]?.probability, alone[1]?.probability], [1, six.probability, null]);
  assert.equal(shown(alone[0] as typeof six), "more");
  const seven = correctedTogether(Array.from({ length: 7 }, () => six));
  assert.equal(shown(seven[0] as typeof six), "none");
  assert.equal(isProbable(seven[0] as typeof six), true);
  assert.equal(
    surenessNote(seven, "runs"),
    "7 comparisons were made, so more runs are needed to be sure of what is probable.",
  );
  assert.equal(surenessNote(alone, "runs"), null);
});

test("pairs without a difference are called different in at most 5 % of studies", () => {
  const random = randomSource(7, "contrast");
  const shapes = [
    () => random() - 0.5,
    () => (random() < 0.2 ? 3 : 0) * (random() < 0.5 ? -1 : 1) + random() - 0.5,
    () => (random() < 0.5 ? -1 : 1) * random() ** 4,
  ];
  for (const [shape, noise] of shapes.entries())
    for (const n of [5, 6, 9, 15]) {
      const studies = 1500;
      let wrong = 0;
      for (let study = 0; study < studies; study++) {
        const found = contrast(units(...Array.from({ length: n }, () => Math.exp(noise()))));
        if (found && shown(found) !== "none") wrong++;
      }
      assert.ok(wrong / studies < 0.05 + 2.5 * Math.sqrt((0.05 * 0.95) / studies), `shape ${shape}, ${n}: ${wrong}`);
    }
});

const run = (block: number, ...rates: readonly number[]) => ({
  block,
  result: flowResult(
    madeRecords({ flows: rates.map((rate) => ({ rates_bps: steadily(rate, 10) })) }),
    rates.map((_, group) => group),
  ),
});
type Run = ReturnType<typeof run>;
let cells = 0;
const cell = (mix: string, parts: readonly string[], runs: readonly Run[], link = "5mbit/50ms") => ({
  ...{ id: ++cells, mix, link, lane: null as string | null, parts, runs },
});
const contrasts = (of: readonly (ContrastedCell & { readonly runs: readonly Run[] })[]) =>
  flowContrasts(
    of,
    of.flatMap(({ id, runs }) => runs.map((each) => ({ ...each, cell: id, status: "valid" as const }))),
  );
const blocks = [0, 1, 2, 3, 4, 5, 6, 7, 8];

test("flows of one run are compared by run, though the more one gets the less the other does", () => {
  const shared = cell(
    "both",
    ["quic:cubic", "tcp:cubic"],
    blocks.map((block) => run(block, (3 + block / 20) * 1e6, (2 - block / 20) * 1e6)),
  );
  assert.deepEqual(contrasts([shared]).length, 1);
  assert.match(
    contrasts([shared])[0] ?? "",
    /^quic:cubic got 1\.\d+ times as much as tcp:cubic \(95 %: 1\.\d+ to [12]\.\d+; n = 9 runs\)\.$/,
  );
  const few = cell("both", shared.parts, shared.runs.slice(0, 3));
  assert.match(contrasts([few])[0] ?? "", /^quic:cubic got 1\.\d+ times .* \(n = 3 runs, an interval needs 5\)\.$/);
});

test("flows that get as much show no difference, mixes of one part are compared by block, links are counted", () => {
  const alike = cell(
    "both",
    ["quic:cubic", "tcp:cubic"],
    blocks.map((block) => (block % 2 ? run(block, 2.1e6, 1.9e6) : run(block, 1.9e6, 2.1e6))),
  );
  assert.match(
    contrasts([alike])[0] ?? "",
    /^quic:cubic against tcp:cubic: no difference shown \(95 %: 0\.9\d* to 1\.1\d* times/,
  );
  const alone = (mix: string, rate: number, link?: string) =>
    cell(
      mix,
      [mix],
      blocks.map((block) => run(block, rate * (1 + block / 1000))),
      link,
    );
  assert.deepEqual(contrasts([alone("quic", 4e6), alone("tcp", 2e6)]), [
    "quic got 2 times as much as tcp (95 %: 2 to 2; n = 9 runs).",
  ]);
  const links = [alone("quic", 4e6), alone("tcp", 2e6), alone("quic", 2e6, "slow"), alone("tcp", 2e6, "slow")];
  assert.deepEqual(contrasts(links), [
    "quic got more than tcp on 1 of 2 links; between quic and tcp no difference is shown on 1 of 2 links (paired runs, corrected for 2 comparisons).",
  ]);
  assert.deepEqual(contrasts([alone("quic", 4e6)]), []);
});

test("lanes of the page and repeated parts are no links; too few runs on each are corrected for nothing", () => {
  const parts = ["quic:cubic", "tcp:cubic"];
  const shared = cell(
    "both",
    parts,
    blocks.map((block) => run(block, (3 + block / 20) * 1e6, (2 - block / 20) * 1e6)),
  );
  const lanes = ["h2", "h3"].map((lane) => ({ ...shared, id: ++cells, lane }));
  assert.deepEqual(contrasts(lanes), [
    "quic:cubic got more than tcp:cubic in 2 of 2 comparisons (paired runs, corrected for 2 comparisons).",
  ]);
  const few = ["fast", "slow"].map((link) => cell("both", parts, shared.runs.slice(0, 3), link));
  assert.deepEqual(contrasts(few), ["On 2 of 2 links there are too few runs to compare quic:cubic with tcp:cubic."]);
});
