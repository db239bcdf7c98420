// Which browsers loads ran with, in words: one browser needs none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browserNames, browsersOf, browsersWarning } from "../../../../cli/results/verdict/browsers.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";
import { sweepVerdict } from "../../../../cli/results/verdict/sweep_verdict.ts";

const load = (lane: string, block: number, browser_version: string | null, sha256 = "a"): Sample => ({
  ...{ page: "p", link: "1mbit/20ms", lane, block, status: "valid", reasons: [], plt_ms: 700 + block },
  ...{ browser_version, browser_sha256: browser_version === null ? null : sha256.repeat(64) },
});
const blocks = (count: number, from: number, version: string, sha256?: string): Sample[] =>
  Array.from({ length: count }, (_, index) =>
    ["h2", "h3"].map((lane) => load(lane, from + index, version, sha256)),
  ).flat();

/** Of an earlier Trilane. */
const old = [load("h2", 0, null), load("h3", 0, null)];

test("an update between two blocks is told, and that no block mixes", () => {
  const loads = [...blocks(3, 0, "156.0"), ...blocks(2, 3, "157.0")];
  assert.equal(
    browsersWarning(loads),
    "The browser changed meanwhile: Chromium 156.0 (6 loads), Chromium 157.0 (4 loads). Lanes are compared within blocks, none of which has loads of more than one.",
  );
  assert.ok(sweepVerdict(loads, new Map(), 1).notes.some((note) => note.startsWith("The browser changed")));
});

test("blocks that mix are counted, and two binaries of one version told apart", () => {
  const mixed = [...blocks(2, 0, "156.0"), load("h2", 2, "156.0"), load("h3", 2, "156.0", "b")];
  assert.match(browsersWarning(mixed) ?? "", /of which 1 of 3 has loads of more than one\.$/);
  assert.deepEqual(browserNames(browsersOf(mixed)), [
    "Chromium 156.0 (binary aaaaaaaa)",
    "Chromium 156.0 (binary bbbbbbbb)",
  ]);
});

test("one browser, or loads none of which tells, need no word", () => {
  assert.equal(browsersWarning(blocks(3, 0, "156.0")), null);
  assert.equal(browsersWarning(old), null);
  assert.deepEqual(browsersOf(old), []);
});

test("loads of an earlier Trilane are counted beside those that tell: the browser may have changed with it", () => {
  assert.equal(
    browsersWarning([...old, ...blocks(3, 1, "156.0")]),
    "Whether the browser changed is not known: 2 loads do not tell, the others ran with Chromium 156.0.",
  );
  assert.match(
    browsersWarning([...old, ...blocks(3, 1, "156.0"), ...blocks(2, 4, "157.0")]) ?? "",
    /^The browser changed meanwhile: Chromium 156\.0 \(6 loads\), Chromium 157\.0 \(4 loads\), 2 loads do not tell\. /,
  );
  // Without a browser there is no load to count.
  assert.equal(browsersWarning([{ ...load("h2", 0, null), status: "failed" }, ...blocks(3, 1, "156.0")]), null);
});
