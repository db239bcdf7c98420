// extension/figures/waterfall.ts: the lines of a page's moments, and their names, which share a label rather than lie on one another;
// and the bytes inside the bars.
import assert from "node:assert/strict";
import { test } from "node:test";
import { html } from "../../../extension/figures/markup.ts";
import { type Mark, waterfallSvg } from "../../../extension/figures/waterfall.ts";
import { captureOf, entriesFrom, fixture } from "../../capture/fixture.ts";

const drawn = (marks: readonly Mark[], plt_ms: number | null = 1000) =>
  waterfallSvg([{ label: "h2", aside: "", entries: [], plt_ms, marks }], html`role="img"`).text;

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

test("receiving is pale but for the bytes, each chunk as long as the link takes for it; without them it is one bar", () => {
  const [entry] = entriesFrom(captureOf(fixture("h2")));
  assert.ok(entry);
  const barsOf = (arrivals: number[] | undefined) => {
    const { arrivals: _, ...facts } = entry._trilane;
    const drawnEntry = {
      ...entry,
      timings: { ...entry.timings, receive: 100 },
      response: { ...entry.response, _transferSize: 5000 },
      _trilane: { ...facts, ...(arrivals ? { arrivals } : {}) },
    };
    const of = { label: "h2", aside: "", entries: [drawnEntry], plt_ms: 1000, rate_bps: 1e6 };
    return waterfallSvg([of], html`role="img"`).text;
  };
  const lengths = (text: string): number[] =>
    [...(/class="ph-receive" d="([^"]*)"/.exec(text)?.[1]?.matchAll(/h([\d.]+)v/g) ?? [])].map(([, length]) =>
      Number(length),
    );
  const text = barsOf([400, 2500, 500, 2500]);
  assert.match(text, /class="ph-receive awaited"/);
  const [first = 0, second = 0, ...more] = lengths(text);
  assert.deepEqual(more, []);
  // 2500 bytes take 20 ms at 1 Mbit/s, a fifth of receiving.
  assert.ok(Math.abs(first - second) < 0.2 && first > 5, `${first} ${second}`);
  const plain = barsOf(undefined);
  assert.doesNotMatch(plain, /awaited/);
  assert.equal(lengths(plain).length, 1);
});

test("a request names the row that asked for it, in its own waterfall; itself and what is not there are none", () => {
  const [entry] = entriesFrom(captureOf(fixture("h2")));
  assert.ok(entry);
  const of = (url: string, startOffset_ms: number, by?: string) => ({
    ...entry,
    request: { ...entry.request, url },
    _initiator: { type: "script", ...(by === undefined ? {} : { url: by }) },
    _trilane: { ...entry._trilane, startOffset_ms },
  });
  const [page, script, image] = ["https://a.test/", "https://a.test/app.js", "https://a.test/1.jpg"] as const;
  const entries = [
    of(image, 30, script),
    of(page, 0, page),
    of(script, 20, page),
    of("https://a.test/2.jpg", 40, "https://b.test/"),
  ];
  const text = waterfallSvg([{ label: "h2", aside: "", entries, plt_ms: 100 }], html`role="img"`).text;
  const rows = [...text.matchAll(/class="hit"[^>]*>/g)].map(([row]) => /data-by="(\d+)"/.exec(row)?.[1] ?? null);
  assert.deepEqual(rows, [null, "0", "1", null]);
});
