// Several browsers in a plan: each lane in each of them, what names them, and what contradicts itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lackedLanes, withBrowsers } from "../../../../cli/sweep/plan/browser_option.ts";
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

test("a lane that one browser lacks is loaded in the others, which a line says; named for that browser it is refused", () => {
  const both = { chromium: "chromium", firefox: "/opt/firefox/firefox" };
  const plan = planned({ browsers: both, lanes: ["h1-clear", "h2"] });
  assert.deepEqual(plan.lanes, ["h1-clear@chromium", "h2@chromium", "h2@firefox"]);
  assert.deepEqual(lackedLanes(plan), ["h1-clear: only in chromium, as firefox cannot load it"]);
  assert.deepEqual(planOf(plan, "two").lanes, plan.lanes);
  assert.deepEqual(lackedLanes(planned({ browsers: both })), []);
  assert.deepEqual(lackedLanes(planned({})), []);
  const named = planned({ browsers: both, lanes: ["h2", "h1-clear@firefox"] });
  assert.ok(named.lanes.includes("h1-clear@firefox"));
  assert.throws(() => planned({ browsers: both, lanes: ["h1-clear"] }), {
    message: /^plan two: browsers\.firefox loads no lane: take it out/,
  });
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
