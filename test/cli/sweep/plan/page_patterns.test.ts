// Several pages of a plan in one word.
import assert from "node:assert/strict";
import { test } from "node:test";
import { expandBraces, expandPage, matchRecordings } from "../../../../cli/sweep/plan/page_patterns.ts";
import { planOf } from "../../../../cli/sweep/plan/plan.ts";

const none = (): string[] => [];

test("braces: what is listed, each with each", () => {
  assert.deepEqual(expandBraces("object-{10kB,1MB}"), ["object-10kB", "object-1MB"]);
  assert.deepEqual(expandBraces("{a,b}-{c,d}"), ["a-c", "a-d", "b-c", "b-d"]);
  assert.deepEqual(expandBraces("plain"), ["plain"]);
  assert.deepEqual(expandBraces("an{open"), ["an{open"]);
  assert.deepEqual(expandPage({ synth: "cse534-count-{1,16}" }), [
    { synth: "cse534-count-1" },
    { synth: "cse534-count-16" },
  ]);
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
  const made = expandPage("corpus:das-2014-12-seed-3");
  assert.equal(made.length, 12);
  assert.deepEqual(made.at(-1), { synth: "das-2014-12-seed-3-page-12" });
  assert.deepEqual(expandPage("corpus:shops"), ["corpus:shops"]);
  const pagesOf = (corpus: string) => [`${corpus}-page-1`, `${corpus}-page-2`];
  assert.deepEqual(matchRecordings(["shops-page-2", "corpus:shops"], [], pagesOf), ["shops-page-2", "shops-page-1"]);
  assert.deepEqual(matchRecordings(["corpus:shops", "news"], [], pagesOf), ["shops-page-1", "shops-page-2", "news"]);
  assert.throws(() => expandPage("corpus:das-2014-9999-seed-1"), /has 1 to 5000 pages/);
});
