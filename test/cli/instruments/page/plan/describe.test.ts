// What `trilane plan` says of a plan in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { describePlan, planLines } from "../../../../../cli/instruments/page/plan/describe.ts";
import { pages as source } from "../../../../../cli/pages/source.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { fastPlan } from "../run/fast_runner.ts";

test("a plan's time is that of each machine where it may be spread over several", async () => {
  const home = tempFolder("trilane-describe-");
  const limit = async (change: object): Promise<string> => {
    const plan = fastPlan({ time_limit_s: 3600, ...change });
    const sizes = new Map(["a", "b"].map((page) => [page, { exchanges: 1, body_bytes: 10 }]));
    const lines = planLines(plan, await describePlan(home, plan, source, sizes));
    assert.ok(lines.every((line) => line.length <= 80));
    const first = lines.findIndex((line) => line.startsWith("limit"));
    const end = lines.findIndex((line) => line.startsWith("disk"));
    return lines.slice(first, end).join(" ").replaceAll(/\s+/g, " ");
  };
  const words = /^limit 1 ?h.* of loads; those that have not begun by then are skipped/;
  const spread = await limit({});
  assert.match(spread, words);
  assert.match(spread, /; each `trilane cell` has as much for itself$/);
  const alone = await limit({ pages: ["a"], links: ["1mbit/20ms"] });
  assert.match(alone, words);
  assert.doesNotMatch(alone, /cell/);
});

test("the number of pages stands apart from their names, however many there are", async () => {
  const home = tempFolder("trilane-describe-");
  for (const [many, words] of [
    [2, /^2 pages +p0 p1$/m],
    [100, /^pages +100: p0 p1 p2 /m],
  ] as const) {
    const pages = Array.from({ length: many }, (_, index) => `p${index}`);
    const plan = fastPlan({ pages });
    const sizes = new Map(pages.map((page) => [page, { exchanges: 1, body_bytes: 10 }]));
    assert.match(planLines(plan, await describePlan(home, plan, source, sizes)).join("\n"), words);
  }
});

test("films take time as further loads do", async () => {
  const home = tempFolder("trilane-describe-");
  const sizes = new Map(["a", "b"].map((page) => [page, { exchanges: 1, body_bytes: 1e6 }]));
  const time_s = async (change: object): Promise<number> =>
    (await describePlan(home, fastPlan({ repetitions: 2, ...change }), source, sizes)).expected_s;
  const [alone_s, filmed_s, more_s] = [await time_s({}), await time_s({ films: 3 }), await time_s({ repetitions: 5 })];
  assert.ok(filmed_s > alone_s + 10, `${filmed_s} s with films, ${alone_s} s without`);
  assert.ok(Math.abs(filmed_s - more_s) <= 1, `${filmed_s} s with three films, ${more_s} s with three more loads`);
});
