// cli/report/trend.ts: the sweeps of one name, oldest first, and what the newest has that lies apart from the one before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { trendOf } from "../../../cli/report/trend.ts";
import { openResults } from "../../../cli/results/store/results.ts";
import { type Fixture, storeFixture, withHome } from "./fixture.ts";
import { raceFixture } from "./fixtures.ts";
import { csvOf } from "./markup_text.ts";
import { withPlainSpaces } from "./written_report.ts";

const nightly = (plt_ms: number, more: Partial<Fixture> = {}): Fixture => ({
  ...{ ...raceFixture, name: "nightly", repetitions: 7, outcome: () => ({ status: "valid", reasons: [] }) },
  plt_ms: ({ lane }) => (lane === "h3" ? plt_ms : 1000),
  ...more,
});

function trend(fixtures: readonly Fixture[], name = "nightly") {
  return withHome((home) => {
    for (const fixture of fixtures) storeFixture(home, fixture);
    using results = openResults(home);
    const { document, ...trend } = trendOf(results, name);
    return { ...trend, document: withPlainSpaces(document) };
  });
}

test("medians of all sweeps of the name, in the order of their beginning; those of others are not in it", async () => {
  const { document, newest, loads } = await trend([nightly(900), { ...raceFixture, name: "other" }, nightly(900)]);
  assert.equal(newest, 3);
  assert.equal(loads, 42);
  const [figure = ""] = /data-file="trend-shop[^"]*" data-csv="[^"]+"/.exec(document) ?? [];
  const rows = csvOf(figure);
  assert.deepEqual(
    rows.slice(1).map((row) =>
      row
        .split(",")
        .filter((_, column) => column === 0 || column === 3)
        .join(" "),
    ),
    ["1 h1", "1 h2", "1 h3", "3 h1", "3 h2", "3 h3"],
  );
  assert.match(document, /class="answer">No median lies apart from the sweep before\./);
});

test("what left its interval since the sweep before is named with its way; other lanes are not", async () => {
  const { document } = await trend([nightly(700), nightly(900)]);
  assert.match(document, /class="answer">h3 on shop \(3mbit\/50ms\) is \d+ ms slower than in the sweep before\.</);
  assert.match(document, /trilane compare 1 2</);
  assert.match((await trend([nightly(900), nightly(700)])).document, /h3 on shop \(3mbit\/50ms\) is \d+ ms faster/);
});

test("one sweep is no trend yet; a name that no sweep has is refused", async () => {
  assert.match((await trend([nightly(900)])).document, /One sweep so far: a trend takes two\./);
  await assert.rejects(trend([nightly(900)], "nihgtly"), /no sweep of pages is named "nihgtly": `trilane list`/);
});

test("sweeps without a valid load, and pages that came later, stay on the axis", async () => {
  const failed = nightly(900, { outcome: () => ({ status: "failed", reasons: ["the browser crashed"] }) });
  const { document } = await trend([failed, nightly(900, { pages: ["shop", "blog"] })]);
  assert.doesNotMatch(
    document.slice(document.indexOf("<main>"), document.indexOf("<script>")).replaceAll(/data-csv="[^"]*"/g, ""),
    /NaN|undefined|\bnull\b/,
  );
  assert.match(document, /<h3>blog over 3mbit\/50ms<\/h3>/);
});
