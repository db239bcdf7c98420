// A race's result in the extension: what its table says of each pair of lanes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as verdict from "../../../../cli/results/verdict/verdict.ts";
import type { RaceResult } from "../../../../extension/history/records.ts";
import { equivalence_percent, outcomeMarkup } from "../../../../extension/views/race/outcome.ts";

const race = JSON.parse(
  readFileSync(new URL("../../../../schemas/examples/race-result/race.json", import.meta.url), "utf8"),
) as RaceResult;

/** The last cell of each pair's row. */
function wordsOf(change: Partial<RaceResult["comparisons"][number]>): string[] {
  const comparisons = race.comparisons.map((each, index) => (index === 0 ? { ...each, ...change } : each));
  const [, table = ""] =
    /Improvement of the median([\s\S]*?)<\/table>/.exec(String(outcomeMarkup({ ...race, comparisons }))) ?? [];
  return [...table.matchAll(/<td>([^<]*)<\/td><\/tr>/g)].map(([, words = ""]) => words);
}

test("each pair is told to be faster, slower, or not shown to differ", () => {
  assert.equal(wordsOf({})[0], "no difference shown");
  assert.equal(wordsOf({ decided: true, improvement_percent: 12 })[0], "faster");
  assert.equal(wordsOf({ decided: true, improvement_percent: -12, low: -14, high: -10 })[0], "slower");
  assert.equal(wordsOf({ low: null, high: null })[0], "too few loads for an interval");
});

test("lanes that were decided to be equal are said to be so, also at the first look, which has no interval", () => {
  assert.equal(wordsOf({ decision: "equivalent", low: 0.5, high: 2.9 })[0], "equal, as closely as was asked");
  assert.equal(wordsOf({ decision: "equivalent", low: null, high: null })[0], "equal, as closely as was asked");
  assert.equal(wordsOf({ decision: "undecided" })[0], "no difference shown");
});

test("a pair that the sentences call probable is probable in the table, too", () => {
  assert.equal(equivalence_percent, verdict.equivalence_percent);
  assert.equal(wordsOf({ improvement_percent: 23, low: 11, high: 31 })[0], "probably faster");
  assert.equal(wordsOf({ improvement_percent: -23, low: -31, high: -11 })[0], "probably slower");
  assert.equal(wordsOf({ improvement_percent: 23, low: 11, high: null, limit: "at least" })[0], "probably faster");
  assert.equal(wordsOf({ improvement_percent: 2, low: 1, high: 2.9 })[0], "no difference shown");
  assert.equal(
    wordsOf({ improvement_percent: 23, low: 11, high: 31, decision: "undecided" })[0],
    "no difference shown",
  );
});
