// A sweep that stopped once lanes were decided (`--decide`): terminal, report, JSON and race result say what was decided, and not what
// a test that counts one look says of the same loads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeLines, outcomeOf } from "../../../cli/instruments/page/run/outcome.ts";
import { gatherReport } from "../../../cli/report/data.ts";
import { raceResult } from "../../../cli/report/race_result.ts";
import { buildReport } from "../../../cli/report/report.ts";
import { storedAnswer } from "../../../cli/results/answer/stored_answer.ts";
import { exportDocument } from "../../../cli/results/export/json.ts";
import { openResults, type Results } from "../../../cli/results/store/results.ts";
import { placeDecisions } from "../../../cli/results/verdict/load_stopping_outcome.ts";
import { schemaErrors } from "../../schemas/schema_errors.ts";
import { type Fixture, storeFixture, withHome } from "./fixture.ts";
import { withPlainSpaces } from "./written_report.ts";

const until = { decided_percent: 10 };

/** h2 a fourth slower than h1, h3 nearly as fast as h2. */
const decidedFixture: Fixture = {
  name: "decided",
  pages: ["shop"],
  links: ["3mbit/50ms"],
  repetitions: 9,
  until,
  plt_ms: ({ lane }) => ({ h1: 1000, h2: 1250, h3: 1240 })[lane as "h1" | "h2" | "h3"],
};

const severalFixture: Fixture = { ...decidedFixture, links: ["3mbit/50ms", "10mbit/50ms"] };

async function withSweep(fixture: Fixture, work: (results: Results, sweep: number, home: string) => void) {
  await withHome(async (home) => {
    const sweep = storeFixture(home, fixture);
    using results = openResults(home);
    work(results, sweep, home);
  });
}

function terminalOf(results: Results, id: number): string {
  const sweep = results.sweep(id);
  const [cells, loads] = [results.cellsOf(id), results.loadsOf(id)];
  const answer = storedAnswer(results, { sweep, cells, stored: loads });
  const outcome = outcomeOf(cells, loads, sweep.plan as Parameters<typeof outcomeOf>[2], loads.length, { answer });
  return outcomeLines(outcome)
    .map(({ text }) => text)
    .join(" ")
    .replaceAll(/\s+/g, " ");
}

/** The answer, and the section on all comparisons that follows the first figure. */
const sentencesOf = (results: Results, id: number): string =>
  withPlainSpaces(buildReport(gatherReport(results, id, "0.1.0")))
    .split('<section id="')
    .slice(0, 2)
    .join("");

const linkByLink = /on both links\.|on either link alone|class="link-effects"/;

test("a race: the decision in its own words, with its own interval, everywhere", async () => {
  await withSweep(decidedFixture, (results, id, home) => {
    const sweep = results.sweep(id);
    const [cells, loads] = [results.cellsOf(id), results.loadsOf(id)];
    const decisions = placeDecisions(cells, loads, until.decided_percent);
    assert.deepEqual(
      decisions.map(({ decision }) => decision),
      ["slower", "slower", "equivalent"],
    );
    const equal = /HTTP\/3 and HTTP\/2 are equal within 10 % on shop \(3 Mbit\/s, 50 ms RTT\)/;
    const slower = /HTTP\/2 takes \d+ ms \([^)]*\) longer than HTTP\/1\.1\./;
    for (const text of [terminalOf(results, id), sentencesOf(results, id)]) {
      assert.match(text, equal);
      assert.match(text, slower);
      assert.match(text, /Page load time: 3 of 3 comparisons decided within 10 %, /);
    }
    const document = exportDocument(sweep, cells, loads, []);
    assert.equal(schemaErrors("export", JSON.parse(JSON.stringify(document))), null);
    for (const { pair, decision, blocks, percent, interval } of decisions) {
      const same = document.improvements.find(({ lane, over }) => lane === pair.lane && over === pair.over);
      assert.deepEqual(same?.decision, {
        ...{ decision, blocks, given_up: false, percent },
        ...{ low_percent: interval?.low ?? null, high_percent: interval?.high ?? null },
      });
    }
    assert.match(
      document.verdict.sentences[0] ?? "",
      /^h3 and h2 are equal within 10 % in the one comparison\. By a test that counts one look: /,
    );
    const race = raceResult(results, home, sweep);
    assert.equal(schemaErrors("race-result", JSON.parse(JSON.stringify(race))), null);
    assert.match(race.verdict.sentences[0] ?? "", equal);
    for (const { pair, decision, percent, interval } of decisions) {
      const same = race.comparisons.find(({ lane, against }) => lane === pair.lane && against === pair.over);
      assert.deepEqual(
        [same?.improvement_percent, same?.low, same?.high, same?.decided, same?.decision],
        [percent, interval?.low ?? null, interval?.high ?? null, decision !== "equivalent", decision],
      );
    }
  });
});

test("several links: how many were decided which way, what is pooled named as such, and no link tested by one look", async () => {
  const counts =
    /HTTP\/3 and HTTP\/2 are equal within 10 % in all 2 comparisons on shop across 2 links\. Over all of them [^<]*, by loads that stopped because of what they showed\./;
  await withSweep(severalFixture, (results, id) => {
    for (const text of [terminalOf(results, id), sentencesOf(results, id)]) {
      assert.match(text, counts);
      assert.match(text, /HTTP\/2 is slower than HTTP\/1\.1 in all 2 comparisons\. Over all of them HTTP\/2 takes /);
      assert.doesNotMatch(text, linkByLink);
    }
    const { verdict } = exportDocument(results.sweep(id), results.cellsOf(id), results.loadsOf(id), []);
    assert.match(
      verdict.sentences[1] ?? "",
      /^h3 is slower than h1 in all 2 comparisons\. By a test that counts one look: h3 is /,
    );
  });
  await withSweep({ ...severalFixture, until: undefined } as Fixture, (results, id) => {
    for (const text of [terminalOf(results, id), sentencesOf(results, id)]) assert.match(text, linkByLink);
    const { improvements } = exportDocument(results.sweep(id), results.cellsOf(id), results.loadsOf(id), []);
    assert.ok(improvements.every(({ decision }) => decision === undefined));
  });
});
