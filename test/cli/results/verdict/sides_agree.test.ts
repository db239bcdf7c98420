// Two browsers' answers on the same lanes, side by side: whether they agree, and that neither's loads are in the other's answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../../../../cli/results/compare/interleaved.ts";
import { browsersAgreeLines, sidesOf } from "../../../../cli/results/verdict/sides_agree.ts";
import { sweepVerdict } from "../../../../cli/results/verdict/sweep_verdict.ts";

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
  assert.match(
    line,
    /^h3 against h2: Chromium 156 19\.9 % .*, Firefox 153 10\.?\d* % .*: they agree; 10\.0 points less in Firefox 153 \(95 % CI 9\.9 to 10\.0\)\.$/,
  );
});

test("one sees it faster and one slower, or not at all", () => {
  assert.match(linesOf({ a: 200 }, { a: -200 })[1] ?? "", /: they disagree; 39\.8 points less in Firefox 153 .*\.$/);
  assert.match(linesOf({ a: 200 }, { a: 0 })[1] ?? "", /: shown in one of them only; /);
  assert.match(linesOf({ a: 0 }, { a: 0 })[1] ?? "", /: shown in none; /);
});

test("too few loads are no answer, and of several pages the signs are counted", () => {
  assert.match(linesOf({ a: 200 }, { a: 200 }, 2)[1] ?? "", /too few loads for an interval.*: not known\.$/);
  assert.match(linesOf({ a: 200, b: 200 }, { a: 200, b: -200 })[1] ?? "", /the same sign in 1 of 2 pages on links\.$/);
});

test("browsers of one plan are told apart by their lanes' names", () => {
  const [run156, run153] = [run("156", { a: 200 }, 12), run("Firefox 153", { a: 100 }, 12)];
  const named = ([{ loads } = { loads: [] }]: readonly Pick<Run, "loads">[], browser: string) =>
    loads.map((load) => ({ ...load, lane: `${load.lane}@${browser}` }));
  const loads = [...named(run156, "chromium"), ...named(run153, "firefox")];
  assert.deepEqual(
    sidesOf(loads).map((side) => [side.name, side.loads.length, side.loads[0]?.lane]),
    [
      ["Chromium", 24, "h2"],
      ["Firefox", 24, "h2"],
    ],
  );
  const { notes, pairs } = sweepVerdict(loads, new Map(), 1);
  assert.match(
    notes.join("\n"),
    /Do the browsers agree on the lanes\?.*\nh3 against h2: Chromium 19\.9 % .*: they agree/,
  );
  assert.ok(!notes.some((note) => /The browser changed/.test(note)));
  assert.deepEqual(
    pairs.map(({ pair }) => `${pair.lane} ${pair.over}`),
    ["h3@chromium h2@chromium", "h3@firefox h2@firefox", "h3@firefox h3@chromium", "h2@firefox h2@chromium"],
  );
});

test("a side that lacks a lane is in no agreement on it", () => {
  const [whole, part] = [run("156", { a: 200 }), run("156", { a: 100 })].map(([first]) => first?.loads ?? []);
  const loads = [
    ...(whole ?? []).map((load) => ({ ...load, lane: `${load.lane}+caddy` })),
    ...(part ?? []).flatMap((load) => (load.lane === "h2" ? [{ ...load, lane: "h2+nginx" }] : [])),
  ];
  assert.doesNotMatch(sweepVerdict(loads, new Map(), 1).notes.join("\n"), /agree/);
});
