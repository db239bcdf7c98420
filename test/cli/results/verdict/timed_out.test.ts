// Loads that timed out count as slower than all others, and not as missing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, direction, limitOf } from "../../../../cli/results/verdict/comparison.ts";
import { isSettled, logPairs, pairDecisions } from "../../../../cli/results/verdict/load_stopping_rule.ts";
import { counted, type Sample } from "../../../../cli/results/verdict/sample.ts";
import { summarize, summarizeCompared } from "../../../../cli/results/verdict/summary.ts";
import { sweepVerdict } from "../../../../cli/results/verdict/sweep_verdict.ts";
import { excludedLine, laneTable, loneLaneSentence } from "../../../../cli/results/verdict/verdict.ts";

const timeOut = "the load event did not come within 60000 ms";

/** Loads of a lane, block by block; null: it timed out. */
function loadsOf(lane: string, times_ms: readonly (number | null)[]): Sample[] {
  return times_ms.map((plt_ms, block) => ({
    ...{ page: "page", link: "1mbit/50ms", lane, block, plt_ms },
    ...(plt_ms === null ? { status: "failed", reasons: [timeOut] } : { status: "valid", reasons: [] }),
  }));
}

const of = (lane: string, times_ms: readonly (number | null)[]) => {
  const [summary] = summarize(loadsOf(lane, times_ms));
  assert.ok(summary);
  return summary;
};

test("one of five moves the median to a slower load, and the interval's end to where the time was over", () => {
  const without = of("h1", [1000, 1100, 1200, 1300]);
  const with_ = of("h1", [1000, 1100, 1200, 1300, null]);
  assert.deepEqual([without.median_ms, with_.median_ms], [1150, 1200]);
  assert.deepEqual([with_.valid, with_.failed, with_.timed_out, with_.isAtLeast], [4, 1, 1, false]);
  assert.ok((with_.interval_ms?.high ?? 0) > 10_000, JSON.stringify(with_.interval_ms));
});

test("where most timed out the median is at least that long, in words", () => {
  const slow = of("h1", [1000, null, null]);
  assert.deepEqual([slow.median_ms, slow.isAtLeast], [60_000, true]);
  const loads = [
    ...loadsOf("h1", [1000, ...Array<null>(8).fill(null)]),
    ...loadsOf("h2", [900, 910, 950, 960, 970, 1000, 1010, 1020, 1030]),
  ];
  const table = laneTable(summarizeCompared(loads));
  assert.ok(
    table.some((row) => row[1] === "over 60 s" || row[1]?.startsWith("over ")),
    JSON.stringify(table),
  );
  assert.equal(excludedLine(loads), "8 loads timed out and count as slower than all others.");
});

test("a lane that times out is slower than one that does not, however fast its other loads were", () => {
  const all = [...loadsOf("h1", [2000, 2000, 2000, 2000, 2000]), ...loadsOf("h3", [500, 500, null, null, null])];
  const { percent } = compare(all, { lane: "h3", over: "h1" }, 1);
  assert.ok((percent ?? 0) < 0, `${percent} %`);
});

test("of an even number whose upper middle one timed out the median is a lower bound", () => {
  const half = of("h1", [1000, 1000, null, null]);
  assert.deepEqual([half.median_ms, half.isAtLeast], [30_500, true]);
});

test("a difference to a lane that timed out is at least so large", () => {
  const [slow, quick] = [
    [1000, ...Array<null>(8).fill(null)],
    [900, 910, 950, 960, 970, 1000, 1010, 1020, 1030],
  ];
  const said = (h1: typeof slow, h2: typeof slow): string =>
    sweepVerdict([...loadsOf("h1", h1), ...loadsOf("h2", h2)], new Map(), 1)
      .pairs.map(({ sentence }) => sentence)
      .join(" ");
  assert.match(said(slow, quick), /^h2 is at least 98(\.\d+)? % faster than h1 \(95 %: \S+ or more\)\.$/);
  assert.match(said(quick, slow), /^h2 is at least \d+ % slower than h1 \(95 %: \S+ or more\)\.$/);
});

const three = (lane: string, plt_ms: number | null, page: string, link = "1mbit/50ms"): Sample[] => {
  const times_ms = plt_ms === null ? [null, null, null] : [plt_ms * 0.99, plt_ms, plt_ms * 1.01];
  return loadsOf(lane, times_ms).map((load) => ({ ...load, page, link }));
};

test("a lane that gains on 99 pages and times out on one is not called faster: it gains at most what was found", () => {
  const ordinary = Array.from({ length: 99 }, (_, page) => [
    ...three("h2", 1000, `page ${page}`),
    ...three("h3", 880, `page ${page}`),
  ]).flat();
  const odd = [...three("h2", 20_000, "odd"), ...three("h3", null, "odd")];
  const pair = { lane: "h3", over: "h2" };
  const without = compare(ordinary, pair, 1);
  assert.equal(direction(without), "faster");
  const result = compare([...ordinary, ...odd], pair, 1);
  assert.deepEqual([result.pages, result.bounds, limitOf(result)], [100, { lane: 1, over: 0 }, "at most"]);
  assert.ok(result.percent !== null && result.percent > 10, `${result.percent} %`);
  assert.equal(result.interval?.low, Number.NEGATIVE_INFINITY);
  assert.equal(direction(result), "unclear");
  // The other way round the same.
  const turned = compare([...ordinary, ...odd], { lane: "h2", over: "h3" }, 1);
  assert.equal(turned.interval?.high, Number.POSITIVE_INFINITY);
  assert.deepEqual([direction(turned), limitOf(turned)], ["unclear", "at most"]);
  // A page on which the slower lane timed out takes nothing away.
  const slower = compare([...ordinary, ...three("h2", null, "odd"), ...three("h3", 20_000, "odd")], pair, 1);
  assert.deepEqual([direction(slower), limitOf(slower)], ["faster", "at least"]);
});

test("lanes that each timed out somewhere are not compared", () => {
  const all = [
    ...three("h2", 1000, "a"),
    ...three("h3", null, "a"),
    ...three("h2", null, "b"),
    ...three("h3", 1000, "b"),
    ...three("h2", 1000, "c"),
    ...three("h3", 900, "c"),
  ];
  const { percent, interval, reason } = compare(all, { lane: "h3", over: "h2" }, 1);
  assert.deepEqual([percent, interval], [null, null]);
  assert.match(reason ?? "", /^each timed out in at least half of its loads somewhere/);
});

test("pages on links where both lanes timed out are counted, and said to be in no comparison", () => {
  const links = ["1mbit/50ms", "2mbit/50ms", "3mbit/50ms"];
  const all = Array.from({ length: 12 }, (_, page) =>
    links.flatMap((link, index) => {
      const isOut = index === 0 && page < 3;
      const of = (lane: string, plt_ms: number) => three(lane, isOut ? null : plt_ms, `page ${page}`, link);
      return [...of("h2", 1000), ...of("h3", 880)];
    }),
  ).flat();
  const { pairs, notes } = sweepVerdict(all, new Map(), 1);
  assert.deepEqual(
    pairs.map(({ overall }) => [overall.pages, overall.links, overall.bothOut]),
    [[12, 3, 3]],
  );
  assert.deepEqual(notes, [
    "3 pages on links are not in the comparison of h3 with h2: at least half of the loads of both timed out there, and nothing says which lane is slower.",
  ]);
});

test("one lane alone, of which most loads timed out: over that time, by all loads", () => {
  const said = (times_ms: readonly (number | null)[]) => loneLaneSentence(loadsOf("h3", times_ms));
  assert.equal(
    said([5000, 5000, null, null, null]),
    "h3 loads the page in over 60.0 s (median of 5 loads, 3 of which timed out).",
  );
  assert.equal(
    said([5000, 5000, 5000, null]),
    "h3 loads the page in 5000 ms (median of 4 loads, 1 of which timed out).",
  );
});

test("two lanes that mostly timed out are not called alike", () => {
  const times_ms = [1000, null, null, null, null, null, null, null, null];
  const all = [...loadsOf("h1", times_ms), ...loadsOf("h3", times_ms)];
  const { percent, interval, reason } = compare(all, { lane: "h3", over: "h1" }, 1);
  assert.deepEqual([percent, interval, reason], [null, null, "at least half of the loads of both timed out"]);
  const [pair] = sweepVerdict(all, new Map(), 1).pairs;
  assert.equal(pair?.sentence, "h3 against h1: not known, at least half of the loads of both timed out.");
  // A race that goes on until it is decided would stop, and say "equivalent".
  const [decision] = pairDecisions(all, ["h1", "h3"], 3);
  assert.deepEqual([decision?.decision, decision?.blocks], ["undecided", 1]);
});

test("a lane whose loads all timed out is in the verdict, also of a sweep", () => {
  const all = [...loadsOf("h1", [null, null, null, null, null]), ...loadsOf("h2", [900, 950, 1000, 1010, 1020])];
  const { pairs, notes } = sweepVerdict(all, new Map(), 1);
  assert.deepEqual(notes, []);
  assert.match(pairs.map(({ sentence }) => sentence).join(), /^h2 is at least 98(\.\d+)? % faster than h1/);
});

test("a median is not precise because the loads that did not time out are alike", () => {
  const fast = Array.from({ length: 10 }, (_, index) => 1000 + index);
  const until = { interval_percent: 2 };
  assert.ok(isSettled(loadsOf("h1", fast), ["h1"], until));
  const half = fast.flatMap((plt_ms) => [plt_ms, null]);
  assert.equal(isSettled(loadsOf("h1", half), ["h1"], until), false);
  assert.equal(
    isSettled(
      loadsOf(
        "h1",
        Array.from({ length: 20 }, () => null),
      ),
      ["h1"],
      until,
    ),
    false,
  );
});

test("in dilated time a load may take longer than it was given and did not time out", () => {
  const long = loadsOf("h1", [61_000, 62_000, 63_000, 64_000, 65_000]);
  const out = loadsOf("h3", [1000, null, null, null, null]);
  const [h1, h3] = summarize([...long, ...out]);
  assert.deepEqual([h1?.timed_out, h1?.isAtLeast, h1?.median_ms], [0, false, 63_000]);
  assert.deepEqual([h3?.isAtLeast, h3?.median_ms], [true, 65_000], "slower than all others");
  const longer = compare([...long, ...out], { lane: "h3", over: "h1" }, 1);
  assert.ok((longer.percent ?? 0) < 0, `${longer.percent} %`);
  assert.equal(limitOf(longer), "at least");
  // By their times both lanes would be unknown.
  const [decision] = pairDecisions([...long, ...out], ["h1", "h3"], 3);
  assert.equal(decision?.blocks, 5);
  const pairs = logPairs([...long, ...out], { lane: "h3", over: "h1" });
  assert.ok(pairs.slice(1).every(({ lane, over }) => lane >= over));
});

test("what was disturbed, or was the first visit of two, says nothing of the load", () => {
  const [load] = loadsOf("h1", [null]);
  assert.ok(load && counted(load)?.plt_ms === 60_000);
  const disturbed = { ...load, reasons: [timeOut, "the machine disturbed the load: by up to 900.0 ms"] };
  assert.equal(counted(disturbed), null);
  const faulty = "the link's self-test is out of tolerance: rate down 0.9 Mbit/s of 1";
  assert.equal(counted({ ...load, reasons: [timeOut, faulty] }), null);
  assert.equal(counted({ ...load, reasons: [timeOut.replace("event", "event of the first visit")] }), null);
  assert.equal(counted({ ...load, reasons: ["the page's process ended"] }), null);
  assert.match(excludedLine([disturbed]) ?? "", /^1 of 1 load does not count: /);
});
