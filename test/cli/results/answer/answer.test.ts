// The answer and what is said beside it: each pair of lanes once, in the same words, with milliseconds and an interval.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf, furtherSentence } from "../../../../cli/results/answer/answer.ts";
import type { Load } from "../../../../cli/results/store/sweep_rows.ts";
import { sweepVerdict } from "../../../../cli/results/verdict/sweep_verdict.ts";

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

function saidOf(loads: readonly Load[]) {
  const cells = [...new Map(loads.map((load) => [`${load.page} ${load.lane}`, load])).values()];
  const environment = {} as Parameters<typeof answerOf>[0]["environment"];
  const answer = answerOf({ cells, loads, seed: 1, plan: {}, environment, evidence: () => [] });
  const { pairs } = sweepVerdict(loads, new Map(), 1);
  return { answer: answer.sentence, further: pairs.map((pair) => furtherSentence(pair, answer)) };
}

test("each pair is told once, in the answer's words, with milliseconds and an interval", () => {
  const { answer, further } = saidOf(loadsOf([["shop", ["h1", "h2", "h3"]]]));
  assert.match(
    answer,
    /^HTTP\/3 saves 200 ms \(20(?:\.\d)? %, 95 % CI \S+ to \S+\) over HTTP\/2 on shop \(10mbit\/50ms\)\.$/,
  );
  assert.equal(further[0], null);
  assert.match(further[1] ?? "", /^HTTP\/3 saves 400 ms \(33(?:\.\d)? %, 95 % CI \S+ to \S+\) over HTTP\/1\.1\.$/);
  assert.match(further[2] ?? "", /^HTTP\/2 saves 200 ms \(1[67](?:\.\d)? %, 95 % CI \S+ to \S+\) over HTTP\/1\.1\.$/);
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
