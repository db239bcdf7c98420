// The paragraph for a paper: says what the loads recorded, the terms that decide a comparison among it, and nothing undefined.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gatherReport } from "../../../cli/report/data.ts";
import { methodsParagraph } from "../../../cli/report/methods_paragraph.ts";
import { openResults } from "../../../cli/results/results.ts";
import { testedLink } from "../selftest/tested.ts";
import { type Fixture, storeFixture, withHome } from "./fixture.ts";
import { gridFixture, raceFixture } from "./fixtures.ts";

const paragraphOf = (fixture: Fixture, links: readonly string[] = []): Promise<string> =>
  withHome((home) => {
    const sweep = storeFixture(home, fixture);
    const results = openResults(home);
    try {
      for (const link of links) results.recordLinkTest(sweep, "a machine", testedLink(link));
      return methodsParagraph(gatherReport(results, sweep, "0.1.0"));
    } finally {
      results.close();
    }
  });

test("a race: machine, versions, transports, link, loads, what was left out, how it was summed up, and the citation", async () => {
  const text = await paragraphOf(raceFixture, raceFixture.links);
  for (const part of [
    /^Pages were loaded in Chromium \S+ \(headless, a fresh profile for each load\) on one machine \(.+, \d+ CPUs?, Linux \S+\)\. /,
    / TCP running cubic, initial window 10 packets, not paced, and QUIC cubic, initial window 10 packets, paced\. /,
    / emulated one link \(3 Mbit\/s each way, RTT 50 ms, .*\); each was measured before its loads, and all were within tolerance \((?:one-way delays within [\d.]+ ms, )?rates within [\d.]+ %\)\. /,
    / Of 17 loads 2 were left out as not what was asked \(.+\) and tried again up to 2 times\. /,
    / 95 % intervals are from order statistics on one page and link .*, over several by percentile bootstrap over whole blocks\./,
    /\n\nTrilane 0\.1\.0, sweep “.+” \(plan [0-9a-f]{12}, seed \d+\), \d{4}-\d\d-\d\d, 17 loads\.$/,
  ])
    assert.match(text, part);
  assert.doesNotMatch(text, /undefined|null|NaN|\[object/);
});

test("many links are counted, and it is said where none was measured", async () => {
  const text = await paragraphOf(gridFixture);
  assert.match(text, / emulated \d+ links; the links were not measured beforehand\. /);
  assert.doesNotMatch(text, /undefined|NaN/);
});
