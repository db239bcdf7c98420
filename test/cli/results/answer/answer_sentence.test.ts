// The sentence that answers, over made comparisons: whatever came of them, it says which lane, how much, how sure, and where.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerSentence, type Compared } from "../../../../cli/results/answer/answer_sentence.ts";
import type { Decision } from "../../../../cli/results/stats/sequential.ts";
import type { Improvement } from "../../../../cli/results/verdict/comparison.ts";

const improvement: Improvement = {
  pair: { lane: "h3", over: "h2" },
  percent: 12.1,
  interval: { low: 10.2, high: 16.8 },
  units: "blocks",
  n: { lane: 9, over: 9 },
  pages: 1,
  pagesWon: { faster: 1, slower: 0 },
  links: 1,
  ...{ unlike: 0, bothOut: 0, single: 0 },
  gap: null,
  bounds: { lane: 0, over: 0 },
  reason: null,
  probability: 0.001,
  comparisons: 3,
};

function said(result: Partial<Improvement>, of: Partial<Compared> = {}): string {
  const place = { where: "shop (10mbit/50ms)", open: null, modelled: 0, dilation: 1, byLink: null };
  return answerSentence({
    saved_ms: 111.4,
    ...place,
    decided: null,
    ...of,
    improvement: { ...improvement, ...result },
  });
}

/** Loads that stopped: so many decisions of each kind. */
function decided(times: Partial<Record<Decision, number>>, margin_percent = 3): Pick<Compared, "decided"> {
  const rest = { pair: improvement.pair, blocks: 9, givenUp: false, percent: null, interval: null, gap: null };
  const places = Object.entries(times).flatMap(([decision, number]) =>
    Array.from({ length: number }, () => ({ ...rest, decision: decision as Decision })),
  );
  return { decided: { margin_percent, places } };
}

const rows: Readonly<Record<string, readonly [Partial<Improvement>, Partial<Compared>, string]>> = {
  faster: [{}, {}, "HTTP/3 saves 111 ms (12 %, 95 % CI 10 to 17 %) over HTTP/2 on shop (10mbit/50ms)."],
  slower: [
    { percent: -12.1, interval: { low: -16.8, high: -10.2 } },
    { saved_ms: -111.4 },
    "HTTP/3 takes 111 ms (12 %, 95 % CI 10 to 17 %) longer than HTTP/2 on shop (10mbit/50ms).",
  ],
  "no difference shown": [
    { percent: 1, interval: { low: -4.2, high: 6.1 } },
    { saved_ms: 9 },
    "No difference shown between HTTP/3 and HTTP/2 on shop (10mbit/50ms): the 95 % CI is -4 to 6 %.",
  ],
  "no difference shown over links that differ": [
    { percent: 6, interval: { low: -15.2, high: 24.1 }, pages: 2, links: 5 },
    { where: "2 pages across 5 links", byLink: { faster: 3, slower: 1, all: 5 } },
    "HTTP/3 is faster than HTTP/2 on 3 of 5 links and slower on 1; over all of them no difference is shown, on 2 pages across 5 links: the 95 % CI is -15 to 24 %.",
  ],
  "no difference shown, on one link a loss": [
    { percent: 1, interval: { low: -4.2, high: 6.1 }, links: 3 },
    { where: "shop across 3 links", byLink: { faster: 0, slower: 1, all: 3 } },
    "HTTP/3 is slower than HTTP/2 on 1 of 3 links; over all of them no difference is shown, on shop across 3 links: the 95 % CI is -4 to 6 %.",
  ],
  "no difference shown, on no link either": [
    { percent: 1, interval: { low: -4.2, high: 6.1 }, links: 3 },
    { where: "shop across 3 links", byLink: { faster: 0, slower: 0, all: 3 } },
    "No difference shown between HTTP/3 and HTTP/2 on shop across 3 links: the 95 % CI is -4 to 6 %.",
  ],
  "probable, by too few runs for so many comparisons": [
    { percent: 23.2, interval: { low: 11, high: 31 }, probability: 0.09, n: { lane: 7, over: 7 } },
    { saved_ms: 212 },
    "HTTP/3 is probably faster than HTTP/2 on shop (10mbit/50ms): 212 ms (23 %, 95 % CI 11 to 31 %). Three comparisons were made, so 9 runs are needed to be sure.",
  ],
  "probable, slower, of one comparison, by runs enough": [
    { percent: -4, interval: { low: -7.1, high: -1.2 }, probability: 0.06, comparisons: 1 },
    { saved_ms: -31 },
    "HTTP/3 is probably slower than HTTP/2 on shop (10mbit/50ms): by 31 ms (4 %, 95 % CI 1 to 7 %). To be sure, more runs are needed.",
  ],
  "no difference that matters": [
    { percent: 0.2, interval: { low: -1.2, high: 1.4 } },
    { saved_ms: 2 },
    "HTTP/3 and HTTP/2 are equally fast on shop (10mbit/50ms): they differ by less than 3 % (95 % CI -1 to 1 %).",
  ],
  "too few runs": [
    { interval: null, n: { lane: 3, over: 3 }, reason: "an interval needs 5 valid loads of each lane" },
    {},
    "No verdict yet on shop (10mbit/50ms): 3 of at least 5 runs per lane. (So far HTTP/3 is 111 ms ahead of HTTP/2.)",
  ],
  "too few runs, of unequal numbers": [
    { percent: -12.1, interval: null, n: { lane: 4, over: 1 } },
    { saved_ms: -111.4 },
    "No verdict yet on shop (10mbit/50ms): 1 of at least 5 runs per lane. (So far HTTP/3 is 111 ms behind HTTP/2.)",
  ],
  "lanes not alike": [
    { percent: null, interval: null, gap: { what: "requests", lane: 1, over: 0.621 }, reason: "they differ" },
    { saved_ms: null },
    "HTTP/3 and HTTP/2 cannot be compared on shop (10mbit/50ms): they loaded different pages. HTTP/3 asked for 100 % of the recorded requests, HTTP/2 for 62.1 %.",
  ],
  "both timed out": [
    { percent: null, interval: null, reason: "at least half of the loads of both timed out" },
    { saved_ms: null },
    "HTTP/3 and HTTP/2 cannot be compared on shop (10mbit/50ms): at least half of the loads of both timed out.",
  ],
  "the slower one timed out": [
    { percent: 50, interval: { low: 41, high: Number.POSITIVE_INFINITY }, bounds: { lane: 0, over: 1 } },
    { saved_ms: 30_000 },
    "HTTP/3 saves at least 30.0 s (50 %, 95 % CI from 41 %) over HTTP/2 on shop (10mbit/50ms).",
  ],
  "the first lane timed out": [
    { percent: -100, interval: { low: Number.NEGATIVE_INFINITY, high: -80 }, bounds: { lane: 1, over: 0 } },
    { saved_ms: -30_000 },
    "HTTP/3 takes at least 30.0 s (100 %, 95 % CI from 80 %) longer than HTTP/2 on shop (10mbit/50ms).",
  ],
  "the faster one timed out on a page": [
    {
      ...{ percent: 11, interval: { low: Number.NEGATIVE_INFINITY, high: 13 }, probability: 1, pages: 100 },
      bounds: { lane: 1, over: 0 },
    },
    { where: "100 pages (3g)", saved_ms: 30 },
    "No difference shown between HTTP/3 and HTTP/2 on 100 pages (3g): HTTP/3 saves at most 30 ms (11 %, 95 % CI up to 13 %), because HTTP/3 timed out in at least half of its loads on 1 page on a link.",
  ],
  "the first lane is slower, and the other one timed out on links": [
    {
      ...{ percent: -11, interval: { low: -13, high: Number.POSITIVE_INFINITY }, probability: 1, links: 9 },
      bounds: { lane: 0, over: 2 },
    },
    { where: "shop across 9 links", saved_ms: -30, byLink: { faster: 0, slower: 3, all: 9 } },
    "HTTP/3 is slower than HTTP/2 on 3 of 9 links; over all of them no difference is shown, on shop across 9 links: HTTP/3 takes at most 30 ms (11 %, 95 % CI up to 13 %) longer, because HTTP/2 timed out in at least half of its loads on 2 pages on links.",
  ],
  dilated: [
    {},
    { dilation: 5 },
    "HTTP/3 saves 111 ms (12 %, 95 % CI 10 to 17 %) over HTTP/2 on shop (10mbit/50ms), time dilated 5 times.",
  ],
  "a modelled page": [
    {},
    { modelled: 1 },
    "HTTP/3 saves 111 ms (12 %, 95 % CI 10 to 17 %) over HTTP/2 on the modelled page shop (10mbit/50ms).",
  ],
  "several pages, some modelled": [
    { pages: 12, links: 20 },
    { where: "12 pages across 20 links", modelled: 3 },
    "HTTP/3 saves 111 ms (12 %, 95 % CI 10 to 17 %) over HTTP/2 on 12 pages across 20 links (3 modelled).",
  ],
  "pages whose milliseconds point the other way": [
    { pages: 12, links: 1 },
    { where: "12 pages (3g)", saved_ms: -4 },
    "HTTP/3 saves 12 % (95 % CI 10 to 17 %) over HTTP/2 on 12 pages (3g).",
  ],
  "decided to be slower, by what is less than anybody acts on": [
    { percent: -0.4, interval: { low: -0.6, high: -0.2 }, probability: 1 },
    { saved_ms: -4, ...decided({ slower: 1 }, 0.1) },
    "HTTP/3 takes 4 ms (0.4 %, 95 % CI 0.2 to 0.6 %) longer than HTTP/2 on shop (10mbit/50ms).",
  ],
  "decided to be equal, by a margin of one's own": [
    { percent: 1, interval: { low: -4.2, high: 6.1 } },
    { saved_ms: 9, ...decided({ equivalent: 1 }, 10) },
    "HTTP/3 and HTTP/2 are equal within 10 % on shop (10mbit/50ms): the 95 % CI is -4 to 6 %.",
  ],
  "decided to be equal, though the second lane saves a little": [
    { percent: -1.5, interval: { low: -1.8, high: -1.2 } },
    { saved_ms: -15, ...decided({ equivalent: 1 }) },
    "HTTP/3 and HTTP/2 are equal within 3 % on shop (10mbit/50ms): HTTP/2 saves 15 ms (2 %, 95 % CI 1 to 2 %).",
  ],
  "decided to be equal at the first look, which has no interval": [
    { percent: 0.1, interval: null },
    { saved_ms: 1, ...decided({ equivalent: 1 }) },
    "HTTP/3 and HTTP/2 are equal within 3 % on shop (10mbit/50ms).",
  ],
  "undecided, whatever a test that counts one look says": [
    { percent: 2, interval: { low: -0.2, high: 4.1 }, probability: 0.02 },
    { saved_ms: 20, ...decided({ undecided: 1 }) },
    "HTTP/3 against HTTP/2 is undecided on shop (10mbit/50ms): no difference is shown, nor that they are equal within 3 % (95 % CI -0.2 to 4.1 %).",
  ],
  "too few blocks for a look": [
    { interval: null, n: { lane: 5, over: 5 } },
    decided({ undecided: 1 }),
    "No verdict yet on shop (10mbit/50ms): too few runs. (So far HTTP/3 is 111 ms ahead of HTTP/2.)",
  ],
  "several decided": [
    { pages: 12, links: 1 },
    { where: "12 pages (3g)", ...decided({ undecided: 2, slower: 1, faster: 5, equivalent: 4 }) },
    "HTTP/3 is faster than HTTP/2 in 5 of 12 comparisons on 12 pages (3g), slower in 1, equal within 3 % in 4, undecided in 2. Over all of them HTTP/3 saves 111 ms (12 %, 95 % CI 10 to 17 %), by loads that stopped because of what they showed.",
  ],
  "several decided, all alike": [
    { percent: 1, interval: { low: -4.2, high: 6.1 }, pages: 2, links: 2 },
    { where: "2 pages across 2 links", ...decided({ equivalent: 4 }, 5) },
    "HTTP/3 and HTTP/2 are equal within 5 % in all 4 comparisons on 2 pages across 2 links. Over all of them no difference is shown (95 % CI -4 to 6 %), by loads that stopped because of what they showed.",
  ],
  "several decided, too few of all for an interval": [
    { interval: null, pages: 2 },
    { where: null, ...decided({ slower: 1, undecided: 1 }) },
    "HTTP/3 is slower than HTTP/2 in 1 of 2 comparisons, undecided in 1.",
  ],
  "where it was said before": [{}, { where: null }, "HTTP/3 saves 111 ms (12 %, 95 % CI 10 to 17 %) over HTTP/2."],
  "where it was said before, not shown": [
    { percent: 1, interval: { low: -4.2, high: 6.1 }, links: 3 },
    { where: null, dilation: 5, byLink: { faster: 2, slower: 0, all: 3 } },
    "HTTP/3 is faster than HTTP/2 on 2 of 3 links; over all of them no difference is shown: the 95 % CI is -4 to 6 %.",
  ],
  "where it was said before, too few runs": [
    { interval: null, n: { lane: 3, over: 3 } },
    { where: null },
    "No verdict yet: 3 of at least 5 runs per lane. (So far HTTP/3 is 111 ms ahead of HTTP/2.)",
  ],
  "too few runs, as was said before": [
    { interval: null, n: { lane: 3, over: 3 } },
    { where: null, open: "3 of at least 5 runs per lane" },
    "So far HTTP/3 is 111 ms ahead of HTTP/2.",
  ],
  "too few runs, more than was said before": [
    { interval: null, n: { lane: 4, over: 4 } },
    { where: null, open: "3 of at least 5 runs per lane" },
    "No verdict yet: 4 of at least 5 runs per lane. (So far HTTP/3 is 111 ms ahead of HTTP/2.)",
  ],
};

for (const [what, [result, of, sentence]] of Object.entries(rows))
  test(`${what}: ${sentence}`, () => assert.equal(said(result, of), sentence));

test("lanes are called as people call them", () => {
  assert.match(said({ pair: { lane: "h3-0rtt", over: "h1" } }), /^HTTP\/3 with 0-RTT saves .* over HTTP\/1\.1 on /);
  assert.match(said({ pair: { lane: "another", over: "h1" } }), /^another saves /);
});
