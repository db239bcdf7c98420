// The report's section beyond the median: there where loads are enough, absent where they are not, with short captions; and the same in
// the export.
import assert from "node:assert/strict";
import { test } from "node:test";
import { beyondSection } from "../../../cli/report/beyond_section.ts";
import { exportDocument } from "../../../cli/results/export/json.ts";
import { schemaErrors } from "../../schemas/schema_errors.ts";
import type { Fixture } from "./fixture.ts";
import { hostileFixture, raceFixture } from "./fixtures.ts";
import { reportData } from "./written_report.ts";

function shownOf(fixture: Fixture) {
  const data = reportData(fixture);
  const exported = exportDocument(data.sweep, data.cells, data.loads, data.linkTests);
  assert.equal(schemaErrors("export", exported), null);
  return { text: beyondSection(data)?.text ?? null, exported: exported.beyond_median };
}

const pages: Fixture = {
  name: "seven-pages",
  pages: Array.from({ length: 7 }, (_, index) => `site-${index + 1}.example`),
  links: ["3mbit/50ms", "10mbit/150ms"],
  lanes: ["h2", "h3"],
  repetitions: 12,
  // The first three pages gain by h3, the last loses.
  plt_ms: ({ page, lane }) => (800 + 200 * page) * (lane === "h2" ? 1 : page < 3 ? 0.8 : page === 6 ? 1.15 : 1),
};

test("pages helped and hurt, tails of links with loads enough, and components", () => {
  const { text, exported } = shownOf(pages);
  assert.ok(text && exported);
  assert.match(text, /3 of 7 pages are faster over h3 than over h2, 1 is slower, 3 show no difference\./);
  assert.equal(text.match(/<svg class="plot effects"/g)?.length, 1);
  assert.match(text, /<th scope="row">3mbit\/50ms<\/th><td class="num">[\d.]+ m?s<\/td>/);
  assert.match(text, /of the mean’s uncertainty is from how effects vary from page to page: more pages would/);
  for (const [, caption = ""] of text.matchAll(/<figcaption>(.*?)<\/figcaption>/gs))
    assert.ok(caption.split(/\s+/).length < 40, caption);
  assert.ok(!/NaN|undefined|Infinity|\bnull\b/.test(text.replaceAll(/data-csv="[^"]*"/g, "")));
  assert.deepEqual(
    exported.page_effects.map(({ named }) => named),
    ["hurt", null, null, null, "helped", "helped", "helped"],
  );
  assert.deepEqual(
    exported.tails.map(({ link, quantile, loads, reason }) => [link, quantile, loads, reason]),
    pages.links.flatMap((link) => [0.9, 0.95].map((quantile) => [link, quantile, 84, null])),
  );
  assert.deepEqual(
    exported.variance_components.map(({ component }) => component),
    ["page", "link", "page on link", "occasion", "residual"],
  );
});

test("a race of one page has no such section; its export says that runs are too few", () => {
  const { text, exported } = shownOf(raceFixture);
  assert.equal(text, null);
  assert.deepEqual(exported?.page_effects, []);
  assert.ok(exported?.tails.every(({ percent, reason }) => percent === null && reason?.startsWith("too few runs")));
});

test("hostile names stay texts", () => {
  const { text } = shownOf({ ...hostileFixture, repetitions: 12, pages: [...hostileFixture.pages, "a", "b"] });
  assert.ok(text && !/<(script|img)/.test(text));
});
