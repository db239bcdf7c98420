// Several browsers in a plan: each lane in each of them, what names them, and what contradicts itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withBrowsers } from "../../../../cli/sweep/plan/browser_option.ts";
import { browserOf } from "../../../../cli/sweep/plan/neighbours.ts";
import { cellsOf, planDigest, planOf } from "../../../../cli/sweep/plan/plan.ts";

const browsers = { chromium: "chromium", old: "/opt/old/firefox" };
const document = { name: "two", pages: ["page"], lanes: ["h1", "h3"], links: ["3mbit/50ms"], repetitions: 5 };
const planned = (more: object) => planOf({ ...document, ...more }, "two");

test("a lane is loaded in each browser, and one that names its browser in that one alone", () => {
  const plan = planned({ browsers });
  assert.deepEqual(plan.lanes, ["h1@chromium", "h3@chromium", "h1@old", "h3@old"]);
  assert.deepEqual(
    cellsOf(plan).map(({ lane }) => browserOf(plan, lane, 0)),
    ["chromium", "chromium", "/opt/old/firefox", "/opt/old/firefox"],
  );
  assert.deepEqual(planned({ browsers, lanes: ["h1@old", "h3"] }).lanes, ["h1@old", "h3@chromium", "h3@old"]);
});

test("a plan that was read once is read the same again, and its browsers are of its digest", () => {
  const plan = planned({ browsers });
  const again = planOf(plan, "two");
  assert.deepEqual(again.lanes, plan.lanes);
  assert.equal(planDigest(again), planDigest(plan));
  assert.notEqual(planDigest(planned({ browsers: { ...browsers, old: "/opt/older/firefox" } })), planDigest(plan));
});

test("one browser in place of several", () => {
  const plan = withBrowsers(planned({ browsers }), { browser: "firefox" });
  assert.deepEqual(planOf(plan, "two").lanes, ["h1", "h3"]);
  assert.equal(plan.browsers, undefined);
  assert.equal(browserOf(plan, "h1", 0), "firefox");
});

test("what contradicts itself is one line", () => {
  const refused = (more: object, message: RegExp) => assert.throws(() => planned(more), { message });
  refused(
    { lanes: ["h1@firefox"] },
    /^plan two: lanes: h1@firefox names a browser that the plan has not: add "firefox"/,
  );
  refused({ browsers, lanes: ["h1@old"] }, /^plan two: browsers\.chromium loads no lane: take it out/);
  refused({ browsers, browser: "firefox" }, /^plan two: browser is one and browsers are several/);
});
