// What a lane's label says besides the lane: the plan's settings and browser; and which lanes are compared with one another.
import assert from "node:assert/strict";
import { test } from "node:test";
import { factorText, isFactorValue, splitFactors } from "../../../cli/base/factors.ts";
import { factorsOf, labelParts, laneName, laneTitle, withFactors, withoutFactors } from "../../../cli/base/lanes.ts";
import { lanePairs, sortLanes } from "../../../cli/results/verdict/sample.ts";
import { verdictPairs } from "../../../cli/results/verdict/verdict.ts";

test("a label's parts", () => {
  assert.deepEqual(labelParts("h2"), { lane: "h2", settings: null, factors: {} });
  assert.deepEqual(labelParts("h2:tuned@firefox"), { lane: "h2", settings: "tuned", factors: { browser: "firefox" } });
  for (const wrong of ["h2@", "h2@a@b", "@firefox", "h2@Firefox", "h9@firefox"])
    assert.equal(labelParts(wrong), null, wrong);
  assert.equal(splitFactors("h2@"), null);
  assert.equal(factorText({ browser: "firefox" }), "@firefox");
  assert.equal(isFactorValue("firefox-152.0"), true);
  assert.equal(isFactorValue("a name that is much too long"), false);
});

test("a label with another browser, with none, and in words", () => {
  assert.equal(withFactors("h3:tuned", { browser: "old" }), "h3:tuned@old");
  assert.equal(withFactors("h3@new", { browser: "old" }), "h3@old");
  assert.equal(withFactors("h3@new", { browser: undefined }), "h3");
  assert.equal(withoutFactors("h3:tuned@old"), "h3:tuned");
  assert.equal(withoutFactors("no lane"), "no lane");
  assert.deepEqual(factorsOf("no lane"), {});
  assert.equal(laneName("h3@firefox"), "HTTP/3 in Firefox");
  assert.equal(laneName("h3:tuned@old"), "HTTP/3 (tuned) in old");
  assert.equal(laneTitle("h2@chromium"), "HTTP/2, forced in Chromium");
});

const labels = ["h1", "h2", "h3"].flatMap((lane) => [`${lane}@firefox`, `${lane}@chromium`]);

test("lanes stand browser by browser, and are compared within one; browsers are compared on a lane", () => {
  assert.deepEqual(sortLanes(labels), [
    ...["h1@chromium", "h2@chromium", "h3@chromium"],
    ...["h1@firefox", "h2@firefox", "h3@firefox"],
  ]);
  const pairs = lanePairs(labels).map(({ lane, over }) => `${lane} ${over}`);
  assert.deepEqual(pairs, [
    ...["h2@chromium h1@chromium", "h3@chromium h1@chromium", "h3@chromium h2@chromium"],
    ...["h2@firefox h1@firefox", "h3@firefox h1@firefox", "h3@firefox h2@firefox"],
    ...["h1@firefox h1@chromium", "h2@firefox h2@chromium", "h3@firefox h3@chromium"],
  ]);
  const [first, second] = verdictPairs(labels);
  assert.deepEqual(
    [first, second],
    [
      { lane: "h3@chromium", over: "h2@chromium" },
      { lane: "h3@firefox", over: "h2@firefox" },
    ],
  );
});
