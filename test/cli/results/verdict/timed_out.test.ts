// Loads that timed out count as slower than all others, and not as missing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compare } from "../../../../cli/results/verdict/comparison.ts";
import { counted, type Sample } from "../../../../cli/results/verdict/sample.ts";
import { isSettled, logPairs, pairDecisions } from "../../../../cli/results/verdict/stopping_decision.ts";
import { summarize } from "../../../../cli/results/verdict/summary.ts";
import { sweepVerdict } from "../../../../cli/results/verdict/sweep_verdict.ts";
import { excludedLine, raceVerdict } from "../../../../cli/results/verdict/verdict.ts";

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
  const { table, sentences, excluded } = raceVerdict([
    ...loadsOf("h1", [1000, ...Array<null>(8).fill(null)]),
    ...loadsOf("h2", [900, 910, 950, 960, 970, 1000, 1010, 1020, 1030]),
  ]);
  assert.ok(
    table.some((row) => row[1] === "over 60 s" || row[1]?.startsWith("over ")),
    JSON.stringify(table),
  );
  assert.ok(
    sentences.some((line) => /h2 .*faster than h1/.test(line)),
    sentences.join(" "),
  );
  assert.equal(excluded, "8 loads timed out and count as slower than all others.");
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
  const { sentences } = raceVerdict([...loadsOf("h1", slow), ...loadsOf("h2", quick)]);
  assert.match(sentences.join(" "), /^h2 is at least 98(\.\d+)? % faster than h1 \(95 %: \S+ or more\)\.$/);
  const turned = raceVerdict([...loadsOf("h1", quick), ...loadsOf("h2", slow)]);
  assert.match(turned.sentences.join(" "), /^h2 is at least \d+ % slower than h1 \(95 %: \S+ or more\)\.$/);
});

test("two lanes that mostly timed out are not called alike", () => {
  const times_ms = [1000, null, null, null, null, null, null, null, null];
  const all = [...loadsOf("h1", times_ms), ...loadsOf("h3", times_ms)];
  const { percent, interval, reason } = compare(all, { lane: "h3", over: "h1" }, 1);
  assert.deepEqual([percent, interval, reason], [null, null, "at least half of the loads of both timed out"]);
  assert.deepEqual(raceVerdict(all).sentences, [
    "h3 against h1: not known, at least half of the loads of both timed out.",
  ]);
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
  const { percent, isAtLeast } = compare([...long, ...out], { lane: "h3", over: "h1" }, 1);
  assert.ok((percent ?? 0) < 0 && isAtLeast, `${percent} %`);
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
  assert.match(excludedLine([disturbed]) ?? "", /^Left out: 1 of 1 load/);
});
