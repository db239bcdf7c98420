// What the page's own timeline says of protocols is joined with its entries, and three words are counted as agreed where they are one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextHopsOf, withNextHops } from "../../../cli/load/next_hops.ts";
import type { HarEntry } from "../../../schemas/generated/page_load.ts";
import { wordsOf } from "../../bench/engines.ts";
import { entry } from "./fixtures.ts";

const at = (path: string): string => `https://shop.example/${path}`;
const hopOf = ({ _trilane: { next_hop } }: HarEntry): string | undefined => next_hop;

test("an entry has its page's word, unless there is none or more than one for its URL", () => {
  const hops = nextHopsOf([
    [at("#top"), "h3"],
    [at("a"), "H2"],
    [at("b"), "h2"],
    [at("b"), "h3"],
    [at("redirect"), "h3"],
    [at("frame"), "h3"],
    "no pair",
    [at("c"), 3],
    [at("c"), "not a protocol"],
  ]);
  const entries = withNextHops(
    [
      entry(at("")),
      entry(at("a#x")),
      entry(at("b")),
      entry(at("c")),
      entry(at("redirect"), { response: { status: 302 } }),
      entry(at("frame"), { facts: { frame: "child" } }),
      entry(at("a"), { _fromCache: "memory" }),
    ],
    hops,
  );
  assert.deepEqual(entries.map(hopOf), ["h3", "h2", undefined, undefined, undefined, undefined, undefined]);
});

test("of a page's answer that is none there are no words", () => {
  for (const answer of [null, undefined, {}, "x", [1, [], [null]]]) assert.equal(nextHopsOf(answer).size, 0);
});

test("three words agree where they are one; both versions of HTTP/1 are", () => {
  const served = { connection: 1, protocol: "h2" } as const;
  const of = (word: string | undefined, protocol = "h2") =>
    entry(at("a"), { _protocol: protocol, facts: { served, ...(word === undefined ? {} : { next_hop: word }) } });
  const old = entry(at("b"), {
    _protocol: "http/1.0",
    facts: { served: { connection: 2, protocol: "http/1.1" }, next_hop: "http/1.0" },
  });
  const unseen = entry(at("c"));
  assert.deepEqual(wordsOf([of("h2"), old, of(undefined), of("h3"), of(undefined, "h3"), unseen]), {
    told: 3,
    agreed: 2,
    untold: 1,
    differ: ["https://shop.example/a: h2, h2, h3", "https://shop.example/a: h3, h2"],
  });
});
