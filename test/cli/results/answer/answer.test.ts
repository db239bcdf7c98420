// The answer and what is said beside it: each pair of lanes once, in the same words, with milliseconds and an interval.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type RandomSource, randomSource } from "../../../../cli/base/random.ts";
import { answerOf, furtherSentence, soundAnswer } from "../../../../cli/results/answer/answer.ts";
import { whyUnknown } from "../../../../cli/results/answer/why.ts";
import type { Load } from "../../../../cli/results/store/sweep_rows.ts";
import { sweepVerdict } from "../../../../cli/results/verdict/sweep_verdict.ts";
import { normal } from "../stats/simulated_study.ts";

const link = "10mbit/50ms";
const medians_ms = { h1: 1200, h2: 1000, h3: 800 } as const;
type Lane = keyof typeof medians_ms;

function loadsOf(places: readonly (readonly [page: string, lanes: readonly Lane[]])[]): Load[] {
  return places.flatMap(([page, lanes]) =>
    lanes.flatMap((lane) =>
      Array.from({ length: 9 }, (_, block) => {
        const sample = { page, link, lane, block, status: "valid", reasons: [] };
        return { ...sample, plt_ms: medians_ms[lane] * (1 + 0.01 * (block - 4)) } as unknown as Load;
      }),
    ),
  );
}

function answered(loads: readonly Load[], plan: Parameters<typeof answerOf>[0]["plan"] = {}) {
  const cells = [...new Map(loads.map((load) => [`${load.page} ${load.lane}`, load])).values()];
  const environment = {} as Parameters<typeof answerOf>[0]["environment"];
  return answerOf({ cells, loads, seed: 1, plan, environment, evidence: () => [] });
}

function saidOf(loads: readonly Load[]) {
  const answer = answered(loads);
  const { pairs } = sweepVerdict(loads, new Map(), 1);
  return { answer: answer.sentence, further: pairs.map((pair) => furtherSentence(pair, answer)) };
}

test("each pair is told once, in the answer's words, with milliseconds and an interval", () => {
  const { answer, further } = saidOf(loadsOf([["shop", ["h1", "h2", "h3"]]]));
  assert.match(
    answer,
    /^HTTP\/3 saves 200 ms \(20(?:\.\d)? %, 95 % CI \S+ to \S+ %\) over HTTP\/2 on shop \(10mbit\/50ms\)\.$/,
  );
  assert.equal(further[0], null);
  assert.match(further[1] ?? "", /^HTTP\/3 saves 400 ms \(33(?:\.\d)? %, 95 % CI \S+ to \S+ %\) over HTTP\/1\.1\.$/);
  assert.match(further[2] ?? "", /^HTTP\/2 saves 200 ms \(1[67](?:\.\d)? %, 95 % CI \S+ to \S+ %\) over HTTP\/1\.1\.$/);
});

test("a pair that has loads on fewer pages says where", () => {
  const all = ["h1", "h2", "h3"] as const;
  const { answer, further } = saidOf(
    loadsOf([
      ["shop", all],
      ["news", ["h2", "h3"]],
    ]),
  );
  assert.match(answer, / over HTTP\/2 on 2 pages \(10mbit\/50ms\)\.$/);
  assert.match(further[1] ?? "", / over HTTP\/1\.1 on 1 of 2 pages \(10mbit\/50ms\)\.$/);
});

test("a sweep that ended before most pages had loads enough answers for those that have", () => {
  const all = ["h1", "h2", "h3"] as const;
  const loads = loadsOf(["shop", "news", "wiki", "blog"].map((page) => [page, all] as const)).filter(
    ({ page, block }) => page === "shop" || block < 1,
  );
  const cells = [...new Map(loads.map((load) => [`${load.page} ${load.lane}`, load])).values()];
  const environment = {} as Parameters<typeof answerOf>[0]["environment"];
  const all4 = { cells, loads, seed: 1, plan: {}, environment, evidence: () => [] };
  assert.equal(answerOf(all4).hasInterval, false);
  const { sentence, hasInterval } = soundAnswer(all4);
  assert.equal(hasInterval, true);
  assert.match(sentence, /^HTTP\/3 saves 200 ms \(20.* over HTTP\/2 on shop \(10mbit\/50ms\)\.$/);
  // Nothing is picked where all say something, or none does.
  assert.deepEqual(soundAnswer({ ...all4, loads: loads.filter(({ block }) => block < 2) }).hasInterval, false);
});

type Time_ms = number | "timed out" | "lost";

/** Loads of h2 and h3, block by block. */
function paired(h2: readonly Time_ms[], h3: readonly Time_ms[], page = "shop"): Load[] {
  const statusOf = (time: Time_ms) =>
    typeof time === "number"
      ? { plt_ms: time, status: "valid", reasons: [] }
      : time === "lost"
        ? { plt_ms: null, status: "invalid", reasons: ["the link was late"] }
        : { plt_ms: null, status: "failed", reasons: ["the load event did not come within 60000 ms"] };
  return h2.flatMap((_, block) =>
    (
      [
        ["h2", h2],
        ["h3", h3],
      ] as const
    ).map(([lane, times]) => ({ page, link, lane, block, ...statusOf(times[block] as Time_ms) }) as unknown as Load),
  );
}

/** Around a median, as far as `spread` to both sides; no two blocks alike, and the lanes' not in step. */
function around(median_ms: number, spread_ms: number, blocks: number, step = 2): number[] {
  return Array.from({ length: blocks }, (_, block) => {
    const place = ((block * step) % blocks) / (blocks - 1);
    return median_ms + spread_ms * (2 * place - 1);
  });
}

function normally(random: RandomSource, median_ms: number, spread_ms: number, blocks: number): number[] {
  return Array.from({ length: blocks }, () => median_ms + spread_ms * normal(random));
}

const until = { decided_percent: 3 };

test("lanes that --decide found equal are not called different by a test that counts one look", () => {
  const random = randomSource(7, "loads");
  const loads = paired(normally(random, 1000, 8, 12), normally(random, 985, 8, 12));
  assert.match(answered(loads).sentence, /^HTTP\/3 saves 13 ms /);
  const { sentence, sure, why } = answered(loads, { until });
  assert.match(
    sentence,
    /^HTTP\/3 and HTTP\/2 are equal within 3 % on shop \(10mbit\/50ms\): HTTP\/3 saves 11 ms \(\S+ %, 95 % CI \S+ to \S+ %\)\.$/,
  );
  assert.match(
    sure ?? "",
    /^Confidence: 12 valid runs per lane\. Decided after 10 blocks; such decisions are wrong in/,
  );
  assert.doesNotMatch(`${sure} ${why}`, /--decide|--runs|leans/);
});

test("what --decide shows is told with the interval of its look, and that it leans away from 0", () => {
  const loads = paired(around(1000, 3, 7), around(900, 3, 7, 3));
  const ends = (text: string): number[] => [...(/CI (\S+) to (\S+) %\)/.exec(text) ?? [])].slice(1).map(Number);
  const [fixed, decided] = [answered(loads), answered(loads, { until })];
  assert.match(decided.sentence, /^HTTP\/3 saves 100 ms \(10(?:\.\d)? %, /);
  const [[low = 0, high = 0], [lowest = 0, highest = 0]] = [ends(fixed.sentence), ends(decided.sentence)] as const;
  assert.ok(highest - lowest > high - low, `${lowest} to ${highest} counts the looks, ${low} to ${high} does not`);
  assert.match(decided.sure ?? "", /\. The figure leans away from 0, because loads stopped when it was shown\. /);
  assert.equal(decided.why, whyUnknown);
});

test("a pair that stays undecided is not said to differ, and no --decide is advised after one", () => {
  // Overlapping lanes, p between 0.0125 and 0.05 after 30 blocks.
  const h3 = around(1000, 60, 30, 7).map((time_ms) => time_ms - 35);
  const loads = paired(around(1000, 60, 30, 11), h3);
  assert.match(answered(loads).sentence, /^HTTP\/3 saves /, "by one look");
  const { sentence, sure, why } = answered(loads, { until });
  assert.match(sentence, /^HTTP\/3 against HTTP\/2 is undecided on shop /);
  assert.match(
    sure ?? "",
    /\. Undecided after 30 blocks, the most that are looked at\. |\. Given up after \d+ blocks, /,
  );
  assert.doesNotMatch(sure ?? "", /--decide/);
  assert.equal(why, null);
  const fewer = loads.filter(({ block }) => block < 7);
  assert.match(answered(fewer, { until }).sure ?? "", /\. Undecided after 7 blocks, of 30 that may decide it\. /);
});

test("several places that were decided are counted, and what is pooled is said to be of loads that stopped", () => {
  const equal = paired(around(1000, 3, 7), around(985, 3, 7, 3), "news");
  const faster = paired(around(1000, 3, 7), around(900, 3, 7, 3), "shop");
  const { sentence, sure } = answered([...equal, ...faster], { until });
  assert.match(
    sentence,
    /^HTTP\/3 is faster than HTTP\/2 in 1 of 2 comparisons on 2 pages \(10mbit\/50ms\), equal within 3 % in 1\. Over all of them .*, by loads that stopped because of what they showed\.$/,
  );
  assert.match(sure ?? "", /\. Each decision is wrong in at most 5 %, all looks counted\. .*, and counts no looks\. /);
});

test("a gain over pages of which one timed out is at most so large, and not narrowed by more runs", () => {
  const pages = Array.from({ length: 11 }, (_, page) =>
    paired(around(1000, 5, 5), around(880, 5, 5, 3), `page ${page}`),
  );
  const out = paired(around(20_000, 5, 5), [900, 910, "timed out", "timed out", "timed out"], "odd");
  const { sentence, sure } = answered([...pages.flat(), ...out]);
  assert.match(
    sentence,
    /^No difference shown between HTTP\/3 and HTTP\/2 on 12 pages \(10mbit\/50ms\): HTTP\/3 saves at most 120 ms \(\S+ %, 95 % CI up to \S+ %\), because HTTP\/3 timed out in at least half of its loads on 1 page on a link\.$/,
  );
  assert.match(sure ?? "", /\. A longer --timeout may show how slow the loads are that timed out\.$/);
});

test("what to do for a narrower interval is what makes it wide", () => {
  const random = randomSource(1, "pages");
  const pages = (effects: readonly number[], spread_ms: number, blocks = 9) =>
    effects.flatMap((effect, page) =>
      paired(
        normally(random, 1000, spread_ms, blocks),
        normally(random, 1000 * effect, spread_ms, blocks),
        `page ${page}`,
      ),
    );
  const apart = answered(pages([0.8, 0.85, 0.9, 1, 1.1, 1.15, 1.2, 0.95], 1));
  assert.match(apart.sentence, /^No difference shown /);
  assert.match(apart.sure ?? "", /\. More pages narrow the interval, because pages differ more than runs do\. /);
  const noisy = answered(pages([0.98, 1, 0.99, 1.01, 1, 1.02, 0.99, 1], 100));
  assert.match(noisy.sure ?? "", /\. More runs narrow the interval\. /);
  const two = answered(pages([0.8, 1.25], 100));
  assert.match(two.sure ?? "", /\. More runs narrow the interval\. /, "--decide settles places, not their mean");
  const one = answered(pages([0.99], 100));
  assert.match(one.sure ?? "", /\. More runs narrow the interval \(--decide 3 runs until it is settled\)\. /);
});

test("more runs are advised unless as many were asked for and lost", () => {
  const few = paired([1000, 1010, 1020], [900, 910, 920]);
  assert.match(
    answered(few, { repetitions: 3 }).sure ?? "",
    /^Confidence: none yet, 3 valid runs per lane\. Run at least 5 per lane for an interval: --runs 9\.$/,
  );
  const lost = paired(
    [1000, 1010, 1020, ...Array<Time_ms>(6).fill("lost")],
    [900, 910, 920, ...Array<Time_ms>(6).fill("lost")],
  );
  assert.match(
    answered(lost, { repetitions: 9 }).sure ?? "",
    /none yet, 3 valid runs per lane\. Of 9 runs too many were lost; the reasons are below\.$/,
  );
  assert.match(answered(few, { repetitions: 9 }).sure ?? "", /Not all of its 9 runs were done\.$/);
});

test("loads that ended do not explain those that timed out", () => {
  const h2: readonly Time_ms[] = [950, 960, 955, 965, ...Array<Time_ms>(5).fill("timed out")];
  const { sentence, why } = answered(paired(h2, around(900, 5, 9)));
  assert.match(sentence, /^HTTP\/3 saves at least 59\.\d s /);
  assert.equal(why, "Why: 5 of HTTP/2’s 9 loads timed out; those that ended do not show what held these up.");
});
