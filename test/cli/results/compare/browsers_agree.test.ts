// Two browsers' answers on the same lanes, side by side: whether they agree, and that neither's loads are in the other's answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browsersAgreeLines } from "../../../../cli/results/compare/browsers_agree.ts";
import type { Run } from "../../../../cli/results/compare/interleaved.ts";

/** h2 takes 1000 ms and some, h3 so much less on each page. */
function run(version: string, gains_ms: Readonly<Record<string, number>>, blocks = 12): Run[] {
  const loads = Object.entries(gains_ms).flatMap(([page, gain_ms]) =>
    Array.from({ length: blocks }, (_, block) =>
      ["h2", "h3"].map((lane) => ({
        ...{ page, link: "10mbit/50ms", lane, block, status: "valid", reasons: [], browser_version: version },
        plt_ms: 1000 + ((block * 7) % 11) - (lane === "h3" ? gain_ms : 0),
      })),
    ).flat(),
  );
  return [{ cells: [], loads: loads as unknown as Run["loads"] }];
}

const linesOf = (one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>, blocks = 12) =>
  browsersAgreeLines(run("156", one, blocks), run("Firefox 153", other, blocks), 1);

test("both see h3 faster: they agree, each by its own loads", () => {
  const [, line = ""] = linesOf({ a: 200 }, { a: 100 });
  assert.match(line, /^h3 against h2: Chromium 156 19\.9 % .*, Firefox 153 10\.?\d* % .*: they agree\.$/);
});

test("one sees it faster and one slower, or not at all", () => {
  assert.match(linesOf({ a: 200 }, { a: -200 })[1] ?? "", /: they disagree\.$/);
  assert.match(linesOf({ a: 200 }, { a: 0 })[1] ?? "", /: shown in one of them only\.$/);
  assert.match(linesOf({ a: 0 }, { a: 0 })[1] ?? "", /: shown in neither\.$/);
});

test("too few loads are no answer, and of several pages the signs are counted", () => {
  assert.match(linesOf({ a: 200 }, { a: 200 }, 2)[1] ?? "", /too few loads for an interval.*: not known\.$/);
  assert.match(linesOf({ a: 200, b: 200 }, { a: 200, b: -200 })[1] ?? "", /the same sign in 1 of 2 pages on links\.$/);
});
