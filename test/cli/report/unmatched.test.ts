// The report's section on what was matched: shares, the list of what was not matched exactly, and nothing unescaped.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReportData } from "../../../cli/report/data.ts";
import { matchSection } from "../../../cli/report/unmatched.ts";
import type { Unmatched } from "../../../cli/results/store/results.ts";
import { raceFixture } from "./fixtures.ts";
import { reportData } from "./written_report.ts";

type Counts = { matched: number; fuzzy: number; missed: number };
function dataWith(unmatched: readonly Unmatched[], counts: Counts): ReportData {
  const data = reportData(raceFixture);
  const loads = data.loads.slice(0, 2).map((load) => ({ ...load, ...counts }));
  return { ...data, loads, unmatched };
}

const request: Unmatched = {
  page: "shop",
  method: "GET",
  url: "https://a.test/hit?t=2&q=<script>",
  outcome: "fuzzy",
  recorded_url: "https://a.test/hit?t=1",
  difference: "query",
  similarity: 0.625,
  loads: { h1: 2 },
};

const textOf = (data: ReportData): string => matchSection(data)?.text ?? "";

test("says how many were matched how, and lists what was given instead", () => {
  const missed: Unmatched = {
    ...request,
    url: "https://a.test/gone",
    outcome: "missed",
    recorded_url: null,
    difference: null,
    similarity: null,
  };
  const text = textOf(dataWith([missed, request], { matched: 97, fuzzy: 2, missed: 1 }));
  assert.match(text, /Of 200 requests in all loads, 194 \(97\.00 %\) were matched exactly/);
  assert.match(text, /4 \(2\.00 %\) got/);
  assert.match(text, /2 \(1\.00 %\) are not in the recording/);
  assert.match(text, /https:\/\/a\.test\/hit\?t=1.*another query, similarity 0\.6/);
  assert.match(text, /https:\/\/a\.test\/gone.*nothing recorded/);
  assert.ok(!text.includes("<script>"));
});

test("a lane that was sent other codings than recorded is named", () => {
  const data = dataWith([], { matched: 100, fuzzy: 0, missed: 0 });
  assert.ok(!textOf(data).includes("the bytes differ from the recorded ones"));
  const [first] = data.facts;
  assert.ok(first);
  const [id, facts] = first;
  const recoded = { ...facts, replay: { ...facts.replay, transport: {}, counts: { recoded: 3 } } };
  const text = textOf({ ...data, facts: new Map([...data.facts, [id, recoded]]) });
  assert.match(
    text,
    new RegExp(`On ${facts.lane} \\(up to 3 responses of a load\\) the bytes differ from the recorded ones`),
  );
});

test("all exact: a sentence, and no table", () => {
  const text = textOf(dataWith([], { matched: 100, fuzzy: 0, missed: 0 }));
  assert.match(text, /200 \(100 %\) were matched exactly/);
  assert.ok(!text.includes("<table"));
});

test("results of an earlier version: how many, and that it is not known which", () => {
  const text = textOf(dataWith([], { matched: 99, fuzzy: 1, missed: 0 }));
  assert.match(text, /An earlier version measured these results; they do not say which/);
});
