// cli/instruments/page/run/lane_tracks.ts: lanes on one scale, in 80 columns, each with what it gains over the one above.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { laneTracks } from "../../../../../cli/instruments/page/run/lane_tracks.ts";
import { correctedTogether } from "../../../../../cli/results/stats/multiplicity.ts";
import { improvement } from "../../../../../cli/results/verdict/comparison.ts";
import { pairedCells } from "../../../../../cli/results/verdict/paired_cells.ts";
import type { Sample } from "../../../../../cli/results/verdict/sample.ts";
import { summarize } from "../../../../../cli/results/verdict/summary.ts";
import { verdictPairs } from "../../../../../cli/results/verdict/verdict.ts";

/** Loads of each lane: its medians, and how far the loads lie apart (a share). */
function loadsOf(medians_ms: Readonly<Record<string, number>>, runs: number, spread = 0.01): Sample[] {
  return Object.entries(medians_ms).flatMap(([lane, median_ms], index) =>
    Array.from({ length: runs }, (_, block): Sample => {
      const off = ((block * (index + 2)) % runs) / Math.max(1, runs - 1) - 0.5;
      const plt_ms = median_ms * (1 + spread * off);
      return { page: "shop", link: "3g", lane, block, status: "valid", reasons: [], plt_ms };
    }),
  );
}

function tracksOf(loads: readonly Sample[]): string[] {
  const pairs = verdictPairs(loads.map(({ lane }) => lane));
  const compared = correctedTogether(pairs.map((pair) => improvement(pairedCells(loads, pair), pair, 1)));
  const lines = laneTracks(summarize(loads), loads, compared);
  for (const { text } of lines) assert.ok(text.length <= 80, text);
  return lines.map(({ text }) => text);
}

describe("lanes as tracks", () => {
  test("median and interval on one scale, and who is faster", () => {
    const [h1 = "", h2 = "", h3 = "", scale = ""] = tracksOf(loadsOf({ h1: 1530, h2: 1190, h3: 1192 }, 9));
    assert.match(h1, /^h1 {2}\.{20,}\|?-*\*-*\|\.? {2}1530 ms$/);
    assert.match(h2, /^h2 {2}\.*\|?-*\*-*\|?\.{20,} {2}1190 ms {2}34\d ms \(22 %\) faster than h1$/);
    assert.match(h3, /^h3 {2}\.*\|?-*\*-*\|?\.{20,} {2}1190 ms {2}(?:as fast as h2|no difference shown to h2)$/);
    assert.match(scale, /^ {4}1\d\d\d ms +1\d\d\d ms$/);
    assert.equal(scale.length, h1.indexOf("  1530"), "its end stands under the tracks' end");
  });

  test("what so few runs do not make sure is probable", () => {
    const lines = tracksOf(loadsOf({ h1: 1000, h2: 985, h3: 960 }, 7, 0.03));
    assert.match(lines[2] ?? "", / probably 2\d ms \(3 %\) faster than h2$|no difference shown to h2$/);
  });

  test("few loads are drawn one by one; one load, a lane without any, and no load at all", () => {
    const [h1 = ""] = tracksOf(loadsOf({ h1: 1000, h2: 500 }, 3, 0.2));
    assert.match(h1, /o\.*\*\.*o {2}1000 ms$|o\.*\*\.*o\.? {2}1000 ms$/);
    assert.match(tracksOf(loadsOf({ h3: 700 }, 1))[0] ?? "", /^h3 {2}\.+\*\.+ {2}\d+ ms$/);
    const lost = loadsOf({ h1: 1000, h2: 900 }, 5).map((load) =>
      load.lane === "h2" ? { ...load, status: "invalid" as const, reasons: ["late"] } : load,
    );
    assert.match(tracksOf(lost)[1] ?? "", /^h2 {2}\.+ +none/);
    assert.deepEqual(tracksOf(lost.filter(({ lane }) => lane === "h2")), []);
  });

  test("long names and times stay within 80 columns", () => {
    tracksOf(loadsOf({ "h2-0rtt:buffers": 123_456, "h3-discovered:buffers": 23_456 }, 9));
  });
});
