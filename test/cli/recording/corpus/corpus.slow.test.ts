// Corpora: their distributions against the published quantiles by simulation over seeds, what their pages are made of, and
// that the same seed gives the same.
// Wide: cli/recording/corpus.
import assert from "node:assert/strict";
import { test } from "node:test";
import { corpusOf, dasCorpus, dasPage, pageOf } from "../../../../cli/recording/corpus/corpus.ts";
import { type CountedPage, corpusDocument } from "../../../../cli/recording/corpus/corpus_check.ts";
import { dasName } from "../../../../cli/recording/corpus/corpus_names.ts";
import type { CorpusPage } from "../../../../cli/recording/corpus/corpus_page.ts";
import {
  das2014Distributions,
  distributionsOf,
  leastTotal_bytes,
  normalScore,
  quantileFunction,
  tolerance,
} from "../../../../cli/recording/corpus/distributions.ts";
import { type PageShape, pageShapes } from "../../../../cli/recording/corpus/page_shapes.ts";
import { normalUpperTail } from "../../../../cli/results/stats/normal_tail.ts";

const das = das2014Distributions();
const rankCorrelation = (a: readonly number[], b: readonly number[]): number => {
  const ranks = (values: readonly number[]) => values.map((value) => values.filter((other) => other < value).length);
  const [x, y] = [ranks(a), ranks(b)];
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(x), mean(y)];
  const product = (p: readonly number[], mp: number, q: readonly number[], mq: number) =>
    p.reduce((sum, value, index) => sum + (value - mp) * ((q[index] ?? 0) - mq), 0);
  return product(x, mx, y, my) / Math.sqrt(product(x, mx, x, mx) * product(y, my, y, my));
};

test("normal scores are the inverse of the normal distribution", () => {
  for (const probability of [1e-6, 0.001, 0.02, 0.3, 0.5, 0.9, 0.999, 1 - 1e-6])
    assert.ok(Math.abs(1 - normalUpperTail(normalScore(probability)) - probability) < 1e-8);
  assert.throws(() => normalScore(0), RangeError);
});

test("a quantile function goes through what is published, and rises between", () => {
  const at = quantileFunction([15_000, 1_200_000, 51_000_000], 500);
  assert.ok(Math.abs(at(0) / 15_000 - 1) < 1e-9);
  assert.ok(Math.abs(at(0.5) / 1_200_000 - 1) < 1e-9);
  assert.ok(Math.abs(at(1) / 51_000_000 - 1) < 1e-9);
  let last = 0;
  for (let step = 0; step <= 100; step++) {
    assert.ok(at(step / 100) >= last);
    last = at(step / 100);
  }
});

/** As the archive would have the page, without making its bodies. */
const counted = ({ servers, isHttps, httpsServers }: PageShape, sizes: readonly number[]): CountedPage => ({
  ...{ servers, sizes, isHttps, others: servers - 1, httpsOthers: isHttps ? servers - 1 : httpsServers },
});

test("every published quantile of Das is met within 10 %, whatever the seed and the number of pages", () => {
  for (const [pages, seed] of [
    [500, 1],
    [500, 2],
    [500, 2014],
    [100, 7],
    [30, 1],
    [30, 9],
  ] as const) {
    const corpus = corpusOf(dasName(pages, seed), das, pages, seed);
    const shapes = corpus.shapes.map((shape, page) => counted(shape, corpus.sizes[page] ?? []));
    const document = corpusDocument({ corpus, pages: shapes, made: 0 });
    const off = document.quantiles.filter(({ off }) => Math.abs(off) > tolerance);
    assert.deepEqual(off, [], `${pages} pages, seed ${seed}`);
    if (pages !== 500) continue;
    const published = document.quantiles.map(({ published, expected }) => expected / published);
    assert.ok(published.every((ratio) => Math.abs(ratio - 1) < 0.01));
  }
});

test("pages of many objects have more servers and bytes, none more servers than objects, and large objects are rare", () => {
  const corpus = corpusOf(dasName(500, 1), das, 500, 1);
  const of = (value: (shape: PageShape) => number) => corpus.shapes.map(value);
  const objects = of((shape) => shape.objects);
  const servers = rankCorrelation(
    objects,
    of((shape) => shape.servers),
  );
  const bytes = rankCorrelation(
    objects,
    of((shape) => shape.total_bytes),
  );
  assert.ok(servers > 0.65 && servers < 0.9, `${servers}`);
  assert.ok(bytes > 0.5 && bytes < 0.85, `${bytes}`);
  for (const shape of corpus.shapes) {
    assert.ok(shape.servers <= shape.objects);
    assert.ok(shape.total_bytes >= leastTotal_bytes(shape.objects));
  }
  const sizes = corpus.sizes.flat();
  const large = sizes.filter((size) => size > 1e6);
  assert.ok(large.length / sizes.length < 0.005);
  assert.ok(large.reduce((sum, size) => sum + size, 0) > 0.05 * sizes.reduce((sum, size) => sum + size, 0));
});

/** All text in which a page can name what it asks for. */
const textOf = ({ exchanges }: CorpusPage): string =>
  exchanges
    .filter(({ shared }) => shared === null)
    .map(({ body }) => Buffer.from(body()).toString("latin1"))
    .join("\n");

test("a page has the planned objects of the planned sizes, each named once, on the planned servers", () => {
  const corpus = corpusOf(dasName(40, 5), das, 40, 5);
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const shape = corpus.shapes[number - 1] as PageShape;
    const page = pageOf(corpus, number);
    assert.equal(page.exchanges.length, shape.objects);
    assert.equal(new Set(page.exchanges.map(({ exchange }) => exchange.address)).size, shape.servers);
    const total = page.exchanges.reduce((sum, { body }) => sum + body().byteLength, 0);
    assert.ok(Math.abs(total / shape.total_bytes - 1) < 0.02, `page ${number}: ${total} of ${shape.total_bytes}`);
    assert.equal(page.url.startsWith("https:"), shape.isHttps);
    if (shape.isHttps) assert.ok(page.exchanges.every(({ exchange }) => exchange.scheme === "https"));
    const text = textOf(page);
    for (const { exchange } of page.exchanges.slice(1))
      assert.equal(
        text.split(new RegExp(`${exchange.path.replaceAll(".", "\\.")}(?![0-9a-z])`)).length,
        2,
        exchange.path,
      );
  }
});

test("the same seed gives the same bytes, another one another corpus", () => {
  const bytesOf = (seed: number) =>
    pageOf(corpusOf(dasName(20, seed), das, 20, seed), 3).exchanges.map(({ exchange, body }) => [exchange, body()]);
  assert.deepEqual(bytesOf(1), bytesOf(1));
  assert.notDeepEqual(pageShapes(das, 20, 1), pageShapes(das, 20, 2));
});

test("names say a corpus of Das's and its pages; a page too many is refused", () => {
  assert.equal(dasPage("das-2014-20-seed-1-page-07")?.page, 7);
  assert.equal(dasPage("carlucci-small"), null);
  assert.equal(dasCorpus("shops"), null);
  assert.throws(
    () => dasPage("das-2014-20-seed-1-page-21"),
    /has das-2014-20-seed-1-page-01 to das-2014-20-seed-1-page-20/,
  );
  assert.throws(() => dasPage("das-2014-20-seed-1-page-7"), /no page das-2014-20-seed-1-page-7/);
});

test("impossible quantiles are refused in one line that names them", () => {
  for (const [change, message] of [
    [{ objects: [100, 2, 680] }, /f\.json: objects falls from 100 to 2, quantiles never do/],
    [{ servers: [1, 22, 700] }, /f\.json: servers are more than objects/],
    [{ total_bytes: [15_000, 1_200_000, 40_000_000] }, /f\.json: the largest of object_bytes is larger/],
    [{ total_bytes: [1000, 1_200_000, 51_000_000] }, /f\.json: total_bytes of 1000 do not hold 2 objects/],
    [{ servers: [] }, /f\.json: servers/],
    [{ https: { pages: 2, other_origins: 0 } }, /f\.json: https\.pages/],
  ] as const) {
    const document = { ...das, ...change };
    assert.throws(() => distributionsOf(document, "f.json"), message);
  }
  const heavy = distributionsOf({ ...das, object_bytes: [53, 2_000_000, 43_000_000] }, "f.json");
  assert.throws(() => corpusOf("heavy", heavy, 50, 1), /objects of 2 MB in the middle are too large/);
});
