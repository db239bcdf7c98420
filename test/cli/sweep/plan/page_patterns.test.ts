// Several pages of a plan in one word.
import assert from "node:assert/strict";
import { test } from "node:test";
import { expandBraces, expandPages, matchRecordings } from "../../../../cli/sweep/plan/page_patterns.ts";
import { planOf } from "../../../../cli/sweep/plan/plan.ts";

const none = (): string[] => [];

test("braces: what is listed, each with each", () => {
  assert.deepEqual(expandBraces("object-{10kB,1MB}"), ["object-10kB", "object-1MB"]);
  assert.deepEqual(expandBraces("{a,b}-{c,d}"), ["a-c", "a-d", "b-c", "b-d"]);
  assert.deepEqual(expandBraces("plain"), ["plain"]);
  assert.deepEqual(expandBraces("an{open"), ["an{open"]);
  assert.deepEqual(expandPages([{ synth: "cse534-count-{1,16}" }], 2), [
    { synth: "cse534-count-1" },
    { synth: "cse534-count-16" },
  ]);
});

test("a short word that stands for millions of pages is refused before they are made", () => {
  assert.throws(() => expandPages(["{a,b}".repeat(60)]), /pages: ask for at most 500000/);
  const corpora = `corpus:das-2014-5000-seed-${"{1,2}".repeat(9)}`;
  assert.throws(() => expandPages([corpora]), /^UserError: 2560000 pages: ask for at most 500000/);
  assert.throws(() => expandPages(["a", "{b,c}"], 2.5), /3 pages: ask for at most 2/);
  assert.deepEqual(expandPages(["a", "{b,c}"], 3), ["a", "b", "c"]);
});

test("a pattern takes no longer than its length times a name's", () => {
  const name = "a".repeat(100);
  assert.throws(() => matchRecordings([`${"*a".repeat(100)}*b`], [name], none), /no recording is called like/);
  assert.deepEqual(matchRecordings([`${"*a".repeat(100)}**`], [name], none), [name]);
  assert.deepEqual(matchRecordings(["?b*d*f?"], ["abcdefg", "abcdef", "bcdefg"], none), ["abcdefg"]);
});

test("a plan has them expanded, so that it is the same as one with the pages written out", () => {
  const plan = {
    name: "p",
    pages: [{ synth: "object-{10kB,1MB}" }],
    lanes: ["h1"],
    links: ["1mbit/50ms"],
    repetitions: 1,
  };
  assert.deepEqual(planOf(plan, "p").pages, [{ synth: "object-10kB" }, { synth: "object-1MB" }]);
  assert.throws(
    () => planOf({ ...plan, pages: [{ synth: "object-{10kB,10kB}" }] }, "p"),
    /page object-10kB stands there twice/,
  );
});

test("patterns: recordings by name, each once, in the plan's order", () => {
  const recordings = ["shop-b", "news", "shop-a", "shop-c"];
  assert.deepEqual(matchRecordings(["shop-c", "shop-*", { synth: "object-1MB" }, "n?ws"], recordings, none), [
    "shop-c",
    "shop-a",
    "shop-b",
    { synth: "object-1MB" },
    "news",
  ]);
  assert.throws(
    () => matchRecordings(["blog-*"], recordings, none),
    /no recording is called like blog-\*: see `trilane list`/,
  );
});

test("a pattern leaves out the recording of a synthetic page that is named too", () => {
  const page = { synth: "object-10kB" };
  assert.deepEqual(matchRecordings(["object-*", page], ["object-10kB", "object-1MB"], none), ["object-1MB", page]);
});

test("corpus:NAME is all pages of a corpus: made by their names, or those that the archive has", () => {
  const made = expandPages(["corpus:das-2014-12-seed-3"], 12);
  assert.equal(made.length, 12);
  assert.deepEqual(made.at(-1), { synth: "das-2014-12-seed-3-page-12" });
  assert.deepEqual(expandPages(["corpus:shops"]), ["corpus:shops"]);
  const pagesOf = (corpus: string) => [`${corpus}-page-1`, `${corpus}-page-2`];
  assert.deepEqual(matchRecordings(["shops-page-2", "corpus:shops"], [], pagesOf), ["shops-page-2", "shops-page-1"]);
  assert.deepEqual(matchRecordings(["corpus:shops", "news"], [], pagesOf), ["shops-page-1", "shops-page-2", "news"]);
  assert.throws(() => expandPages(["corpus:das-2014-9999-seed-1"]), /has 1 to 5000 pages/);
});
