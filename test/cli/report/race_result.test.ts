// `export --format race`: the document against its schema and against the numbers that the other exports have.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { laneName } from "../../../cli/base/lanes.ts";
import { raceResult } from "../../../cli/report/race_result.ts";
import { chooseSweep } from "../../../cli/results/export/choose.ts";
import { exportDocument } from "../../../cli/results/export/json.ts";
import { openResults, type Results } from "../../../cli/results/store/results.ts";
import { summarize } from "../../../cli/results/verdict/summary.ts";
import { outcomeMarkup } from "../../../extension/views/race/outcome.ts";
import { schemaErrors } from "../../schemas/schema_errors.ts";
import { storeFixture, withHome } from "./fixture.ts";
import { gridFixture, hostileFixture, raceFixture } from "./fixtures.ts";
import { writeReport } from "./written_report.ts";

async function withResults(home: string, work: (results: Results) => void): Promise<void> {
  using results = openResults(home);
  work(results);
}

test("a race's document is by its schema and has the numbers of the JSON export", async () => {
  await withHome(async (home) => {
    const id = storeFixture(home, raceFixture);
    const report = await writeReport(home, id);
    await withResults(home, (results) => {
      const sweep = chooseSweep(results, id);
      const race = raceResult(results, home, sweep);
      assert.equal(schemaErrors("race-result", JSON.parse(JSON.stringify(race))), null);
      const all = exportDocument(sweep, results.cellsOf(id), results.loadsOf(id), []);
      const [answer = "", ...further] = race.verdict.sentences;
      assert.match(answer, /^No difference shown between HTTP\/3 and HTTP\/2 on shop \(3 Mbit\/s, 50 ms RTT\): /);
      // The first pair's sentence is the answer; the others' name their lanes and the percentage that every export has.
      const others = race.comparisons.filter(({ lane, against }) => lane !== "h3" || against !== "h2");
      for (const [index, { lane, against, improvement_percent }] of others.entries()) {
        const said = further.slice(-2)[index] ?? "";
        assert.ok(said.startsWith(`${laneName(lane)} saves `) && said.includes(` over ${laneName(against)}`), said);
        assert.equal(Number(/\((\d+) %/.exec(said)?.[1]), Math.round(improvement_percent ?? Number.NaN), said);
      }
      assert.equal(race.report_path, report);
      assert.equal(race.url, "https://shop.example.com/");
      assert.deepEqual([race.page, race.runs, race.link.form], ["shop", 5, "3mbit/50ms"]);
      assert.deepEqual(
        race.lanes.map(({ lane, loads, invalid }) => [lane, loads, invalid]),
        [
          ["h1", 5, 0],
          ["h2", 5, 1],
          ["h3", 5, 1],
        ],
      );
      for (const { lane, against, improvement_percent } of race.comparisons) {
        const same = all.improvements.find((each) => each.lane === lane && each.over === against);
        assert.equal(improvement_percent, same?.percent);
      }
      assert.equal(race.comparisons.length, 3);
      for (const { lane, load, plts_ms, median_ms } of race.lanes) {
        assert.equal(load?.log._trilane.lane, lane);
        assert.equal(load?.log._trilane.metrics.plt_ms, median_ms, "of five loads the median is one of them");
        assert.equal(plts_ms.length, 5);
      }
      const left = race.excluded.reduce((sum, { count }) => sum + count, 0);
      assert.equal(left, 2);
    });
  });
});

test("a load that timed out is in the median, and not left out", async () => {
  await withHome(async (home) => {
    const timedOut = { status: "failed", reasons: ["the load event did not come within 60000 ms"] } as const;
    const id = storeFixture(home, {
      ...raceFixture,
      outcome: (at) =>
        at.lane === "h1" && at.block < 3 ? timedOut : (raceFixture.outcome?.(at) ?? { status: "valid", reasons: [] }),
    });
    await withResults(home, (results) => {
      const race = raceResult(results, home, chooseSweep(results, id));
      assert.equal(schemaErrors("race-result", JSON.parse(JSON.stringify(race))), null);
      const [h1] = race.lanes;
      // The fixture tries each three times.
      assert.deepEqual([h1.loads, h1.invalid, h1.timed_out, h1.median_ms, h1.at_least], [2, 0, 9, 60_000, true]);
      const [h2] = race.comparisons.filter(({ lane, against }) => lane === "h2" && against === "h1");
      assert.deepEqual([h2?.limit, (h2?.improvement_percent ?? 0) > 90], ["at least", true]);
      const medians = outcomeMarkup(race).text;
      assert.match(medians, />over 60\.0 s \(/);
      assert.match(
        medians,
        />h2 over h1<\/th><td class="num">≥ 9\d(\.\d+)? %<\/td><td class="num">(−?\d+(\.\d+)? % or more|–)</,
      );
      assert.equal(
        race.excluded.reduce((sum, { count }) => sum + count, 0),
        2,
        "those of h2 and h3",
      );
    });
  });
});

test("two lanes that mostly timed out: the comparison says why there is none, here and in the extension", async () => {
  await withHome(async (home) => {
    const timedOut = { status: "failed", reasons: ["the load event did not come within 60000 ms"] } as const;
    const id = storeFixture(home, {
      ...raceFixture,
      outcome: ({ lane, block }) => (lane !== "h3" && block > 0 ? timedOut : { status: "valid", reasons: [] }),
    });
    await withResults(home, (results) => {
      const sweep = chooseSweep(results, id);
      const race = raceResult(results, home, sweep);
      const [both] = race.comparisons.filter(({ lane, against }) => lane === "h2" && against === "h1");
      assert.deepEqual(
        [both?.improvement_percent, both?.reason],
        [null, "at least half of the loads of both timed out"],
      );
      assert.match(outcomeMarkup(race).text, />h2 over h1<.*<td>at least half of the loads of both timed out</);
      const all = exportDocument(sweep, results.cellsOf(id), results.loadsOf(id), []);
      assert.deepEqual(
        all.improvements.map(({ lane, over, limit }) => [lane, over, limit]),
        [
          ["h2", "h1", null],
          ["h3", "h1", "at least"],
          ["h3", "h2", "at least"],
        ],
      );
    });
  });
});

test("hostile names and reasons stay within the schema", async () => {
  await withHome(async (home) => {
    const { pages, links } = hostileFixture;
    const one = { ...hostileFixture, pages: pages.slice(0, 1), links: links.slice(0, 1) };
    const id = storeFixture(home, one);
    await withResults(home, (results) => {
      const race = raceResult(results, home, chooseSweep(results, id));
      assert.equal(schemaErrors("race-result", JSON.parse(JSON.stringify(race))), null);
      assert.equal(race.page, pages[0]);
    });
  });
});

test("a sweep of several links is no race", async () => {
  await withHome(async (home) => {
    const id = storeFixture(home, { ...gridFixture, links: gridFixture.links.slice(0, 2) });
    await withResults(home, (results) => {
      const sweep = chooseSweep(results, id);
      assert.throws(() => raceResult(results, home, sweep), /sweep \d+ is no race: .*several pages or links/);
    });
  });
});

test("on a busy machine a race's medians are those of its report: what is taken off is estimated from all lanes", async () => {
  await withHome(async (home) => {
    const id = storeFixture(home, { ...raceFixture, repetitions: 9 });
    await withResults(home, (results) => {
      // h1 alone shows a slope of 1, h2 and h3 one of 0.
      const loads = results.loadsOf(id).map((load) => {
        const estimate_ms = 10 * ((load.block * 4) % 9);
        const plt_ms = load.plt_ms === null ? null : load.plt_ms + (load.lane === "h1" ? estimate_ms : 0);
        return { ...load, plt_ms, disturbance_ms: 300, tolerated_ms: 8, disturbance_estimate_ms: estimate_ms };
      });
      mock.method(results, "loadsOf", () => loads);
      const { lanes } = raceResult(results, home, chooseSweep(results, id));
      assert.deepEqual(
        lanes.map(({ lane, median_ms, low_ms }) => [lane, median_ms, low_ms]),
        summarize(loads).map(({ lane, median_ms, interval_ms }) => [lane, median_ms, interval_ms?.low ?? null]),
      );
      assert.notEqual(lanes[0].median_ms, summarize(loads.filter(({ lane }) => lane === "h1"))[0]?.median_ms);
    });
  });
});
