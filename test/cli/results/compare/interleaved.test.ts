// Sweeps that alternate two versions: their order, the luck on their links, and the two sides that come of them, through the
// runner with loads that take no browser.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import type { LoadRequest } from "../../../../cli/instruments/page/run/request.ts";
import { compareRuns } from "../../../../cli/results/compare/compare.ts";
import { regressionOf } from "../../../../cli/results/compare/comparison.ts";
import { interleavedSides } from "../../../../cli/results/compare/interleaved.ts";
import { comparisonLines } from "../../../../cli/results/compare/words.ts";
import { openResults } from "../../../../cli/results/store/results.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { fastPlan, fastRun } from "../../instruments/page/run/fast_runner.ts";
import { pageLoad } from "../../sweep/page_load.ts";

const browsers: [string, string] = ["/opt/old/chrome", "/opt/new/chrome"];
const one = { lanes: ["h2", "h3"], retries: 0 };
const plans = {
  pages: { ...one, pages: ["a", "b"], links: ["1mbit/20ms"], repetitions: 10, interleaved: { of: "pages" } },
  links: { ...one, pages: ["a"], links: ["1mbit/20ms", "1mbit/21ms"], repetitions: 10, interleaved: { of: "links" } },
  browsers: {
    ...{ ...one, pages: ["a"], links: ["1mbit/20ms"], repetitions: 20 },
    interleaved: { of: "browsers", browsers },
  },
} as const;

type Of = keyof typeof plans;

/** Whether a load is of the second version. */
const isSecond: Record<Of, (request: LoadRequest) => boolean> = {
  pages: ({ recording }) => recording.name === "b",
  links: ({ link }) => link.rtt_ms === 21,
  browsers: ({ browser }) => browser === browsers[1],
};

describe("interleaved sweeps", () => {
  let home: string;
  beforeEach(() => {
    home = tempFolder("trilane-interleaved-");
  });

  /** The second version takes `factor` times as long; the machine gets slower and slower. Stops after so many loads. */
  async function run(of: Of, factor: number, stopAfter = Number.POSITIVE_INFINITY): Promise<LoadRequest[]> {
    const random = randomSource(1, of);
    const asked: LoadRequest[] = [];
    const stop = new AbortController();
    await fastRun({
      home,
      plan: fastPlan(plans[of]),
      signal: stop.signal,
      tell: ({ event }) => {
        if (event === "load-finished" && asked.length === stopAfter) stop.abort();
        assert.notEqual(event, "browser-changed");
      },
      measure: async (request) => {
        asked.push(request);
        const { recording, lane, link } = request;
        const plt_ms = 700 * (isSecond[of](request) ? factor : 1) * (1 + 0.02 * asked.length + 0.02 * random());
        const load = pageLoad({ page: recording.name, recording_digest: recording.digest, lane, link, plt_ms });
        load.log.browser.version = isSecond[of](request) && of === "browsers" ? "2.0" : "1.0";
        return load;
      },
    });
    return asked;
  }

  function judged() {
    using results = openResults(home);
    const [sweep] = results.listSweeps();
    assert.ok(sweep);
    const sides = interleavedSides(sweep, { cells: results.cellsOf(sweep.id), loads: results.loadsOf(sweep.id) });
    assert.ok(sides);
    const comparison = compareRuns([sides.a], [sides.b], { threshold_percent: 5, isInterleaved: true });
    return { sides, comparison, sweeps: results.listSweeps().length };
  }

  for (const what of ["pages", "links", "browsers"] as const) {
    test(`two ${what}: all four loads of a block next to one another, with the same luck`, async () => {
      const asked = await run(what, 1);
      assert.equal(asked.length, 40);
      const firsts = new Set<string>();
      for (let round = 0; round < 10; round++) {
        const block = asked.slice(4 * round, 4 * round + 4);
        assert.equal(new Set(block.map((each) => `${each.lane} ${isSecond[what](each)}`)).size, 4);
        assert.equal(new Set(block.map(({ link }) => link.seed)).size, 1);
        firsts.add(`${isSecond[what](block[0] as LoadRequest)}`);
      }
      assert.equal(firsts.size, 2);
      assert.equal(new Set(asked.map(({ link }) => link.seed)).size, 10);
    });

    test(`two ${what}: a change is found on a machine that gets slower, and none where there is none`, async () => {
      await run(what, 1);
      const same = judged();
      assert.equal(regressionOf(same.comparison), "none");
      assert.deepEqual(
        same.comparison.cells.map(({ lane, loads_a, loads_b }) => [lane, loads_a, loads_b]),
        [
          ["h2", 10, 10],
          ["h3", 10, 10],
        ],
      );
      rmSync(join(home, "results.db"));
      await run(what, 1.6);
      const { sides, comparison } = judged();
      assert.equal(regressionOf(comparison), "shown");
      assert.ok(comparison.cells.every(({ judgement }) => judgement === "slower"));
      const lines = comparisonLines(comparison, 5, sides.names).join("\n");
      assert.match(lines, /^Both ran alternately in 1 sweep, so that a change is not the occasion's\.$/m);
      const names = { pages: ["a", "b"], links: ["1mbit/20ms", "1mbit/21ms"], browsers }[what];
      assert.ok(lines.includes(`First: ${names[0]}; second: ${names[1]}.`), lines);
      if (what === "browsers")
        assert.match(lines, /^The first ran with Chromium 1\.0, the second with Chromium 2\.0\.$/m);
    });
  }

  test("stopped in the middle of a block it is gone on with, and each load counts once", async () => {
    await run("browsers", 1, 7);
    const rest = await run("browsers", 1);
    assert.equal(rest.length, 33);
    const { comparison, sweeps } = judged();
    assert.equal(sweeps, 1);
    assert.ok(comparison.cells.every(({ loads_a, loads_b }) => loads_a === 10 && loads_b === 10));
  });

  test("what contradicts itself is refused in one line", () => {
    for (const [change, message] of [
      [{ ...plans.pages, pages: ["a"] }, /interleaved pages are two: name two pages/],
      [{ ...plans.pages, pages: ["a*", "b"] }, /interleaved pages are two: name two pages/],
      [{ ...plans.links, links: ["1mbit/20ms"] }, /interleaved links are two: name two links/],
      [
        { ...plans.browsers, repetitions: 5 },
        /repetitions counts the loads of both browsers: take an even number, as 6$/,
      ],
      [{ ...plans.pages, until: { decided_percent: 3 } }, /until: stops lanes one by one/],
    ] as const)
      assert.throws(() => fastPlan(change), message);
  });
});
