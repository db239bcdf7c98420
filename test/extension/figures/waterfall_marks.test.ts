// extension/figures/waterfall.ts: the lines of a page's moments, and their names, which share a label rather than lie on one another.
import assert from "node:assert/strict";
import { test } from "node:test";
import { html } from "../../../extension/figures/markup.ts";
import { type Mark, waterfallSvg } from "../../../extension/figures/waterfall.ts";

const drawn = (marks: readonly Mark[], plt_ms: number | null = 1000) =>
  waterfallSvg([{ label: "h2", told: "", entries: [], plt_ms, marks }], html`role="img"`).text;

const namesIn = (text: string): string[] =>
  [...text.matchAll(/class="markname[^>]*>([^<]*)</g)].map(([, names = ""]) => names);

test("each moment has a line, and near ones one label in the order of their times", () => {
  const text = drawn([
    { name: "FCP", time_ms: 220 },
    { name: "TTFB", time_ms: 200 },
    { name: "LCP", time_ms: 700 },
  ]);
  assert.equal(text.match(/<line class="mark"/g)?.length, 3);
  assert.equal(text.match(/<line class="loadevent"/g)?.length, 1);
  assert.deepEqual(namesIn(text), ["TTFB, FCP", "LCP", "load"]);
});

test("moments that a load does not have are not drawn, and without any there are no names", () => {
  assert.deepEqual(namesIn(drawn([{ name: "TTFB", time_ms: 200 }], null)), ["TTFB"]);
  assert.deepEqual(namesIn(drawn([])), []);
});
