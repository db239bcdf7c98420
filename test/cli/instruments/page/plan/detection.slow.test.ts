// `trilane plan --detect`: how loads vary is known from a sweep, a pilot or as given; what it answers is by its schema, within 80 columns,
// and the same each time, and its computing does not grow with the links.

// Wide: cli/instruments/page/plan/detection.ts, cli/sweep/plans.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { describePlan, planLines } from "../../../../../cli/instruments/page/plan/describe.ts";
import { detectionWords } from "../../../../../cli/instruments/page/plan/detection_words.ts";
import { pages as source } from "../../../../../cli/pages/source.ts";
import {
  type DetectionQuestion,
  noQuestion,
  questionOf,
  refuseUnanswerable,
} from "../../../../../cli/sweep/plan/detect_option.ts";
import type { SweepPlanned } from "../../../../../schemas/generated/sweep_event.ts";
import { growth } from "../../../../growth.ts";
import { schemaErrors } from "../../../../schemas/schema_errors.ts";
import { type Fixture, storeFixture, withHome } from "../../../report/fixture.ts";
import { fastPlan } from "../run/fast_runner.ts";

const sizes = new Map(["a", "b"].map((page) => [page, { exchanges: 1, body_bytes: 10 }]));

async function planned(
  home: string,
  question: Partial<DetectionQuestion>,
  change: object = {},
): Promise<{ readonly event: SweepPlanned; readonly lines: string }> {
  const plan = fastPlan({ lanes: ["h2", "h3"], repetitions: 9, ...change });
  const event = await describePlan(home, plan, source, sizes, { ...noQuestion, ...question });
  assert.equal(schemaErrors("sweep-event", event), null);
  const lines = planLines(plan, event);
  assert.ok(
    lines.every((line) => line.length <= 80),
    lines.join("\n"),
  );
  return { event, lines: lines.join("\n") };
}

test("without loads the spread is assumed; a given one is taken; less of it takes fewer runs", async () => {
  await withHome(async (home) => {
    const assumed = await planned(home, {});
    assert.equal(assumed.event.detection?.basis, "assumed");
    assert.match(
      assumed.lines,
      /vary by 3 % .*assumed: trilane\s+plan with\s+--from SWEEP\s+or\s+--spread PERCENT\s+says better/,
    );
    assert.match(assumed.lines, /differences that 9 runs would show in 80 \/ 95 of 100 sweeps:/);
    assert.deepEqual(assumed.event.detection?.needed, []);
    const runsAt = async (spread_percent: number): Promise<number[]> => {
      const { event } = await planned(home, { percent: 3, spread_percent });
      assert.equal(event.detection?.basis, "given");
      return event.detection?.needed.map(({ runs }) => runs ?? 999) ?? [];
    };
    const [narrow, wide] = [await runsAt(1), await runsAt(3)];
    assert.equal(narrow.length, 4);
    for (const [index, runs] of narrow.entries()) assert.ok(runs < (wide[index] ?? 0), `${narrow} ${wide}`);
  });
});

test("time is that of so many runs, and of more for more power", async () => {
  await withHome(async (home) => {
    const { event, lines } = await planned(home, { percent: 3, spread_percent: 2 });
    const ofCell = event.detection?.needed.filter(({ scope }) => scope === "cell") ?? [];
    assert.deepEqual(
      ofCell.map(({ power }) => power),
      [0.8, 0.95],
    );
    const [likely, sure] = ofCell;
    assert.ok(likely?.runs && sure?.runs && likely.runs < sure.runs);
    assert.ok(likely.expected_s && sure.expected_s && likely.expected_s < sure.expected_s);
    assert.ok(likely.shown && likely.shown >= 0.8 && sure.shown && sure.shown >= 0.95);
    const perRun = event.expected_s / 9;
    assert.ok(Math.abs(likely.expected_s / likely.runs / perRun - 1) < 0.5);
    assert.match(lines, /page on a link +\d+ runs, .* \/ \d+ runs, /);
  });
});

const pilot: Fixture = {
  name: "pilot",
  pages: ["a", "b"],
  links: ["1mbit/20ms", "5mbit/20ms"],
  lanes: ["h2", "h3"],
  repetitions: 3,
};

test("a pilot of three runs is found by itself, and by its number; what it has not loaded is as its typical page", async () => {
  await withHome(async (home) => {
    const sweep = storeFixture(home, pilot);
    const change = { links: [...pilot.links] };
    const found = await planned(home, { percent: 3 }, change);
    assert.deepEqual([found.event.detection?.basis, found.event.detection?.sweep], ["sweep", sweep]);
    assert.equal(found.event.detection?.pilot_runs, 3);
    assert.match(found.lines, new RegExp(`by sweep ${sweep}, of only 3\\n? *runs`));
    const { spread_percent = 0, planned_with_percent = 0 } = found.event.detection ?? {};
    // The fixture's loads vary by 2 to 4 %.
    assert.ok(spread_percent > 1 && spread_percent < 6 && planned_with_percent > spread_percent, `${spread_percent}`);
    const amid = { ...change, cross_traffic: { flows: ["tcp:cubic"], page_start_s: 5 } };
    const alone = await planned(home, { percent: 3 }, amid);
    assert.equal(alone.event.detection?.basis, "assumed", "loads that had the link for themselves say nothing of it");
    assert.match(alone.lines, /^traffic +tcp:cubic, from 5 s before each page/m);
    const others = { pages: ["a", "b"], links: ["20mbit/70ms"] };
    assert.equal((await planned(home, {}, others)).event.detection?.basis, "assumed");
    const named = (await planned(home, { from: String(sweep) }, others)).event.detection;
    assert.deepEqual([named?.basis, named?.spread_percent], ["sweep", spread_percent]);
    assert.deepEqual((await planned(home, { percent: 3 }, change)).event, found.event);
    await assert.rejects(
      planned(home, { from: String(sweep) }, { lanes: ["h1", "h2"] }),
      /has no page with two valid loads of two of the lanes h1, h2/,
    );
  });
});

test("one lane, or loads until it is enough: nothing to say, and --detect is refused", async () => {
  await withHome(async (home) => {
    assert.equal((await planned(home, {}, { lanes: ["h2"] })).event.detection, undefined);
    assert.equal((await planned(home, {}, { until: { decided_percent: 3 } })).event.detection, undefined);
  });
  const asked = { ...noQuestion, percent: 3 };
  assert.throws(() => refuseUnanswerable(fastPlan({ lanes: ["h2"] }), asked), /only h2/);
  assert.throws(
    () => refuseUnanswerable(fastPlan({ repetitions: 9, until: { decided_percent: 3 } }), asked),
    /give one of them/,
  );
  refuseUnanswerable(fastPlan({ lanes: ["h2"] }), noQuestion);
});

test("per cent with its sign or without; other words are refused", () => {
  const of = (detect: string) => questionOf({ detect, spread: undefined, from: undefined }).percent;
  assert.deepEqual(["3", "3%", "0.5 %", "50"].map(of), [3, 3, 0.5, 50]);
  for (const word of ["", "0", "-1", "51", "3%%", "three", "%"])
    assert.throws(() => of(word), /--detect: must be a number above 0, up to 50 \(per cent\) \(got /);
});

test("a study of pages on eight times as many links takes no more computing: some of them are simulated for all", async () => {
  await withHome(async (home) => {
    const pages = Array.from({ length: 4 }, (_, index) => `page-${index}`);
    for (const page of pages) sizes.set(page, { exchanges: 1, body_bytes: 10 });
    const study = async (count: number): Promise<void> => {
      const links = Array.from({ length: count }, (_, index) => `${index + 1}mbit/20ms`);
      const { event } = await planned(home, { percent: 2, spread_percent: 3 }, { pages, links });
      assert.equal(event.detection?.needed.length, 4);
    };
    const grown = await growth(
      () => study(3),
      () => study(24),
      1,
    );
    assert.ok(grown < 4, `${grown} times as much`);
  });
});

test("of a lane of two kinds the numbers are the least, and the plan says why", () => {
  const { detection } = JSON.parse(
    readFileSync("schemas/examples/sweep-event/sweep-planned.json", "utf8"),
  ) as SweepPlanned;
  assert.ok(detection);
  assert.equal(
    detectionWords(detection).caution,
    "Loads of h3 are of two kinds, 3 of 9 much slower: the nearer that is to half, the more runs it takes, and a pilot hardly tells; take these as the least.",
  );
  const { two_kinds, ...others } = detection;
  assert.ok(two_kinds);
  assert.equal(detectionWords(others).caution, null);
});
