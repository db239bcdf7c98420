import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import {
  decisionWords,
  stoppingSentence,
  stoppingSummary,
} from "../../../../cli/results/verdict/load_stopping_outcome.ts";
import { isSettled, pairDecisions, settledLanes } from "../../../../cli/results/verdict/load_stopping_rule.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";

const lanes = ["h1", "h2", "h3"];

/** Loads of `blocks` blocks with medians by lane and a spread of some per mille that both share and do not share. */
function loadsOf(medians: Readonly<Record<string, number>>, blocks: number, seed = 1, page = "p"): Sample[] {
  const random = randomSource(seed, "settled");
  return Array.from({ length: blocks }, (_, block) => {
    const minute = 1 + 0.2 * random();
    return Object.entries(medians).map(
      ([lane, median]): Sample => ({
        page,
        link: "3mbit/50ms",
        lane,
        block,
        status: "valid",
        reasons: [],
        plt_ms: median * minute * (1 + 0.02 * (random() - 0.5)),
      }),
    );
  }).flat();
}

test("clear differences and clear equivalence are settled by eight blocks, in spite of slow minutes", () => {
  const loads = loadsOf({ h1: 1000, h2: 800, h3: 802 }, 8);
  const decisions = pairDecisions(loads, lanes, 3).map((each) => [each.pair.lane, each.pair.over, each.decision]);
  assert.deepEqual(decisions, [
    ["h2", "h1", "faster"],
    ["h3", "h1", "faster"],
    ["h3", "h2", "equivalent"],
  ]);
  assert.equal(isSettled(loads, lanes, { decided_percent: 3 }), true);
  assert.equal(isSettled(loadsOf({ h1: 1000, h2: 800, h3: 802 }, 4), lanes, { decided_percent: 3 }), false);
  const [first] = pairDecisions(loads, lanes, 3);
  assert.ok(first?.percent && Math.abs(first.percent - 20) < 1, `${first?.percent}`);
  assert.ok(first.interval && first.interval.low < 20 && first.interval.high > 20);
});

test("an equal pair's interval stays within the margin, though its look's would reach further", () => {
  const random = randomSource(5, "equal");
  const intervals = Array.from({ length: 60 }, () => {
    const loads = loadsOf({ h1: 1000, h2: 1000 }, 30, Math.floor(random() * 1e6)).map((load) => ({
      ...load,
      plt_ms: 1000 * (1 + 0.03 * (random() - 0.5)),
    }));
    const [found] = pairDecisions(loads, ["h1", "h2"], 3);
    return found?.decision === "equivalent" ? found.interval : null;
  }).filter((interval) => interval !== null);
  const margin = { low: -3, high: (1 - 1 / 1.03) * 100 };
  assert.ok(intervals.length > 10, `${intervals.length} are equal and have an interval`);
  for (const { low, high } of intervals)
    assert.ok(low >= margin.low - 1e-9 && high <= margin.high + 1e-9, `${low} to ${high}`);
  assert.ok(intervals.some(({ high }) => Math.abs(high - margin.high) < 1e-9));
});

test("a lane needs no more loads once each pair that it is in is decided", () => {
  const loads = loadsOf({ h1: 2000, h2: 800, h3: 800 }, 7).map((load) =>
    load.lane === "h3" ? { ...load, plt_ms: (load.plt_ms ?? 0) * (load.block < 1 ? 0.9 : 1.05) } : load,
  );
  assert.deepEqual(settledLanes(loads, lanes, { decided_percent: 3 }), ["h1"]);
});

test("blocks in which one lane has no valid load do not count, and a lane without any is never settled", () => {
  const loads = loadsOf({ h1: 1000, h2: 500 }, 6).map((load) =>
    load.lane === "h2" && load.block === 3 ? { ...load, status: "failed" as const, plt_ms: null } : load,
  );
  assert.equal(isSettled(loads, ["h1", "h2"], { decided_percent: 3 }), false);
  const seventh = loadsOf({ h1: 1000, h2: 500 }, 7).filter((load) => load.block === 6);
  assert.equal(isSettled([...loads, ...seventh], ["h1", "h2"], { decided_percent: 3 }), true);
  assert.equal(isSettled(loadsOf({ h1: 1000, h2: 800 }, 30), lanes, { decided_percent: 3 }), false);
});

test("medians are settled when all their intervals are narrow, and stay so", () => {
  const still = { interval_percent: 15 };
  const narrow = loadsOf({ h1: 1000, h2: 800 }, 30);
  const blocks = [10, 12, 15, 30].find((count) =>
    isSettled(
      narrow.filter((load) => load.block < count),
      ["h1", "h2"],
      still,
    ),
  );
  assert.ok(blocks !== undefined && blocks <= 15, `${blocks}`);
  assert.equal(isSettled(narrow, ["h1", "h2"], still), true);
  assert.equal(isSettled(narrow, ["h1", "h2"], { interval_percent: 0.01 }), false);
});

test("a deferred load that comes late unsettles nothing", () => {
  const loads = loadsOf({ h1: 1000, h2: 800 }, 9);
  const late = loads
    .filter((load) => load.lane === "h2" && load.block === 1)
    .map((load) => ({ ...load, plt_ms: 5000 }));
  const early = loads.filter((load) => load.lane !== "h2" || load.block !== 1);
  const [before] = pairDecisions(early, ["h1", "h2"], 3);
  assert.equal(before?.decision, "faster");
  assert.deepEqual(pairDecisions([...early, ...late], ["h1", "h2"], 3), [before]);
});

test("a lane that is compared with no other goes on as long as they do", () => {
  const all = ["h1-clear", "h2-0rtt", "h3-0rtt", "h3-discovered", "h3-altsvc"];
  assert.deepEqual(settledLanes([], all, { decided_percent: 3 }), []);
  const loads = loadsOf({ "h1-clear": 1000, "h2-0rtt": 1000, "h3-0rtt": 800, "h3-discovered": 1, "h3-altsvc": 1 }, 8);
  assert.deepEqual(settledLanes(loads, all, { decided_percent: 3 }), all);
});

test("what it took is told against repetitions fixed before", () => {
  const loads = loadsOf({ h1: 1000, h2: 800 }, 8);
  const cells = ["p", "q"].flatMap((page) => ["h1", "h2"].map((lane) => ({ page, link: "3mbit/50ms", lane })));
  const found = stoppingSummary(cells, loads, "plt", { decided_percent: 3 }, 30);
  assert.equal(
    stoppingSentence(found),
    "Page load time: 1 of 2 comparisons decided within 3 %, by 16 valid loads; all repetitions would have been 120.",
  );
  assert.match(
    found.decisions.map((each) => decisionWords(each, 3)).join("; "),
    /^h2 is faster than h1 \(\S+ %: .*\); h2 against h1 is undecided$/,
  );
  assert.match(
    stoppingSentence(stoppingSummary(cells, loads, "lcp", { interval_percent: 2 }, 30)),
    /^Largest contentful paint: all medians known within 2 % on \d of 2 pages and links, /,
  );
});
