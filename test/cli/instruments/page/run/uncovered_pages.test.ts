// When further loads of a page are pointless, and what is then to be done.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  strictRemedy,
  UncoveredPages,
  uncoveredRemedy,
} from "../../../../../cli/instruments/page/run/uncovered_pages.ts";
import type { LoadStatus } from "../../../../../cli/results/store/results.ts";

const lanes = ["h1", "h2", "h3"] as const;
const outside = "covers too little of the recording: 1 of 55 requests (1.8 %, bound 95 %)";
const load = (lane: (typeof lanes)[number], reasons: readonly string[], page = "p") => ({
  ...{ page, lane, reasons },
  status: (reasons.length === 0 ? "valid" : "invalid") as LoadStatus,
});

test("no load of a page can count when loads on every lane were outside the bounds, and none within", () => {
  const all = lanes.map((lane) => load(lane, [outside]));
  assert.equal(new UncoveredPages(lanes, all).cannotCount("p"), true);
  assert.equal(new UncoveredPages(lanes, all).cannotCount("q"), false);
  assert.equal(new UncoveredPages(lanes, [...all.slice(1), ...all.slice(1)]).cannotCount("p"), false);
  assert.equal(new UncoveredPages(lanes, [...all, load("h3", [])]).cannotCount("p"), false);
  assert.equal(new UncoveredPages(lanes, [...all, load("h3", ["the link was late: 9 ms"])]).cannotCount("p"), false);
  assert.equal(new UncoveredPages(["h1"], [load("h1", [outside]), load("h1", [outside])]).cannotCount("p"), false);
  const failed = { page: "p", lane: "h1" as const, status: "failed" as const, reasons: ["the page crashed"] };
  assert.equal(new UncoveredPages(lanes, [failed, failed, failed]).cannotCount("p"), false);
});

test("no load can count of a browser that never started, whatever the page; one that started once may again", () => {
  const broken = (count: number) =>
    Array.from({ length: count }, () => ({
      ...load("h1", ["the browser did not start: it ended before it answered: broken"]),
      status: "failed" as LoadStatus,
    }));
  const after = (loads: readonly ReturnType<typeof load>[], earlier: readonly ReturnType<typeof load>[] = []) => {
    const pages = new UncoveredPages(lanes, earlier);
    for (const each of loads) pages.add(each);
    return pages;
  };
  assert.equal(after(broken(12)).cannotCount("q"), true);
  assert.equal(after(broken(11)).cannotCount("p"), false);
  assert.equal(after([...broken(12), load("h2", [])]).cannotCount("p"), false);
  // A sweep that is resumed tries again: whoever stopped it may have put the browser right.
  assert.equal(after([], broken(40)).cannotCount("p"), false);
  assert.equal(after(broken(12), broken(40)).cannotCount("p"), true);
  assert.equal(after(broken(12), [load("h2", [])]).cannotCount("p"), false);
  assert.equal(uncoveredRemedy(lanes, broken(12)), null);
});

test("a sweep of such pages says what to do, another one does not", () => {
  const all = lanes.map((lane) => load(lane, [outside]));
  assert.equal(
    uncoveredRemedy(lanes, all),
    `a load of p ${outside}: \`trilane recording check p\` shows what is missing and what to do`,
  );
  assert.match(
    uncoveredRemedy(lanes, [...all, ...lanes.map((lane) => load(lane, [outside], "q"))]) ?? "",
    /^a load of p and 1 more /,
  );
  assert.equal(uncoveredRemedy(lanes, [...all, load("h1", ["x"], "q")]), null);
  assert.equal(uncoveredRemedy(lanes, []), null);
});

test("a strict sweep whose loads have unrecorded requests says to leave --strict out", () => {
  const missed = "1 of 20 requests not in the recording: https://a.example/beacon";
  assert.equal(strictRemedy(true, [load("h1", [missed])]), `p: ${missed}: leave --strict out to accept a few of these`);
  assert.equal(strictRemedy(false, [load("h1", [missed])]), null);
  assert.equal(strictRemedy(true, [load("h1", ["1 of 20 requests failed: https://a.example/"])]), null);
});
