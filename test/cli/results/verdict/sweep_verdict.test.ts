import assert from "node:assert/strict";
import { test } from "node:test";
import { type LinkTraits, parseLink } from "../../../../cli/link/link.ts";
import { compare, direction } from "../../../../cli/results/verdict/comparison.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";
import { sweepVerdict, winsLine } from "../../../../cli/results/verdict/sweep_verdict.ts";

function traits(links: readonly string[]): Map<string, LinkTraits> {
  return new Map(
    links.map((link) => {
      const { down, rtt_ms } = parseLink(link);
      return [link, { rate_bps: down.rate_bps, rtt_ms, loss: down.loss }];
    }),
  );
}

/** Six loads of h2 with 1000 ms or so, and of h3 with `h3_ms(link, page)` or so. */
function loadsOf(
  links: readonly string[],
  pages: readonly string[],
  h3_ms: (link: string, page: string) => number,
): Sample[] {
  return pages.flatMap((page) =>
    links.flatMap((link) =>
      [0, 1, 2, 3, 4, 5].flatMap((block) =>
        (["h2", "h3"] as const).map((lane) => {
          const wobble = 1 + (((block * (lane === "h3" ? 3 : 7) + link.length) % 5) - 2) / 80;
          const plt_ms = (lane === "h2" ? 1000 : h3_ms(link, page)) * wobble;
          return { page, link, lane, block, status: "valid" as const, reasons: [], plt_ms };
        }),
      ),
    ),
  );
}

const byRtt = ["3mbit/30ms", "3mbit/60ms", "3mbit/150ms", "3mbit/300ms"];

test("a page on a link gets one sentence for each pair, and its scope by name", () => {
  const verdict = sweepVerdict(
    loadsOf(["3mbit/50ms"], ["shop"], () => 860),
    traits(["3mbit/50ms"]),
    1,
  );
  assert.match(verdict.pairs[0]?.sentence ?? "", /^h3 is 14 % faster than h2 \(95 %: [\d.]+ to [\d.]+\)\.$/);
  assert.equal(verdict.scope, "shop over 3mbit/50ms, 6 valid loads of each lane");
  assert.equal(verdict.excluded, null);
});

test("links that differ by RTT are told apart where they differ", () => {
  const loads = loadsOf(byRtt, ["a", "b"], (link) => (parseLink(link).rtt_ms >= 150 ? 860 : 1000));
  const { pairs, scope, notes } = sweepVerdict(loads, traits(byRtt), 1);
  assert.match(
    pairs[0]?.sentence ?? "",
    /^h3 is 7 % faster than h2 \(95 %: [^()]*, for these pages\), 2 of 2 pages\.$/,
  );
  assert.match(
    notes[0] ?? "",
    /^HTTP\/3’s gain over HTTP\/2 grows with RTT: 14 % from 150 ms up, none shown below 150 ms \(exploratory\)\.$/,
  );
  assert.equal(scope, "2 pages over 4 links, each with 6 valid loads of each lane");
  assert.deepEqual(pairs[0]?.links, { faster: 2, slower: 0, unclear: 2, unknown: 0 });
});

test("the split follows what matters: bandwidth, or loss", () => {
  const byRate = ["1mbit/50ms", "10mbit/50ms", "25mbit/50ms"];
  const rate = sweepVerdict(
    loadsOf(byRate, ["a"], (link) => (link.startsWith("1mbit") ? 800 : 1100)),
    traits(byRate),
    1,
  );
  assert.match(
    rate.notes[0] ?? "",
    /^HTTP\/3’s gain over HTTP\/2 shrinks with the rate: 10 % slower from 10 Mbit\/s up, 20 % faster at 1 Mbit\/s \(exploratory\)\.$/,
  );
  const byLoss = ["3mbit/50ms", "3mbit/50ms,loss=1%", "3mbit/50ms,loss=2%"];
  const loss = sweepVerdict(
    loadsOf(byLoss, ["a"], (link) => (link.includes("loss") ? 700 : 990)),
    traits(byLoss),
    1,
  );
  assert.match(
    loss.notes[0] ?? "",
    / grows with loss: 30 % from 1 % loss up, [^ ]+(?: %| shown) at 0 % loss \(exploratory\)\.$/,
  );
});

test("links that agree are not split", () => {
  const { pairs, notes } = sweepVerdict(
    loadsOf(byRtt, ["a", "b"], () => 860),
    traits(byRtt),
    1,
  );
  assert.match(pairs[0]?.sentence ?? "", /^h3 is 14 % faster than h2 \(95 %: /);
  assert.deepEqual(notes, []);
});

test("how many links each way, and nothing where no link has loads enough", () => {
  const [pair] = sweepVerdict(
    loadsOf(byRtt, ["a"], (link) => parseLink(link).rtt_ms * 6 + 300),
    traits(byRtt),
    1,
  ).pairs;
  assert.ok(pair);
  assert.equal(winsLine(pair), "Faster on 2 of 4 links, slower on 2.");
  assert.equal(winsLine({ ...pair, links: { faster: 0, slower: 0, unclear: 0, unknown: 4 } }), null);
});

/** Over each of five links lanes alike; `isApart`: but for the first link, where all of h3's loads are slower than all of the others. */
function fiveLinks(runs: number, isApart: boolean, others: readonly string[] = []): Sample[] {
  return [1, 2, 3, 4, 5].flatMap((rate) =>
    ["h2", "h3", ...others].flatMap((lane) =>
      Array.from({ length: runs }, (_, block) => {
        const wobble = 1 + 0.01 * (((block * (lane === "h3" ? 4 : 2)) % runs) / runs);
        const plt_ms = 1000 * wobble * (isApart && lane === "h3" && rate === 1 ? 1.1 : 1);
        return { page: "a", link: `${rate}mbit/50ms`, lane, block, status: "valid", reasons: [], plt_ms };
      }),
    ),
  );
}

test("links are told together: what one of five shows by itself is not shown among five, and how many runs that takes", () => {
  const loads = fiveLinks(5, true);
  const alone = compare(
    loads.filter(({ link }) => link === "1mbit/50ms"),
    { lane: "h3", over: "h2" },
    1,
  );
  assert.equal(direction(alone), "slower");
  const [pair] = sweepVerdict(loads, new Map(), 1).pairs;
  assert.deepEqual(pair?.links, { faster: 0, slower: 0, unclear: 5, unknown: 0 });
  assert.equal(
    pair && winsLine(pair),
    "No difference shown on any of 5 links alone: to show one among 5 comparisons takes 6 runs per lane.",
  );
});

test("links of all pairs are one family: a further lane makes a difference on one link harder to show", () => {
  const shown = (others: readonly string[]) => {
    const { pairs } = sweepVerdict(fiveLinks(7, true, others), new Map(), 1);
    return pairs.find(({ pair }) => pair.lane === "h3" && pair.over === "h2")?.links.slower;
  };
  assert.deepEqual([shown([]), shown(["h1"])], [1, 0]);
});

test("a place with a single load of a lane is left out, said, and costs the others no interval", () => {
  const loads = fiveLinks(3, false).filter(
    ({ link, lane, block }) => link !== "5mbit/50ms" || lane !== "h3" || block === 0,
  );
  const { pairs, notes } = sweepVerdict(loads, new Map(), 1);
  const [result] = pairs.map(({ overall }) => overall);
  assert.ok(result?.interval, result?.reason ?? "");
  assert.deepEqual([result.links, result.single, result.n], [4, 1, { lane: 12, over: 12 }]);
  assert.deepEqual(notes, [
    "1 page on a link is not in the comparison of h3 with h2: one of the lanes has a single load there, which does not tell how sure it is.",
  ]);
});

test("a lane without a valid load has a note and no comparison; no loads at all say nothing and do not fail", () => {
  const loads = loadsOf(["3mbit/50ms"], ["a"], () => 860).map((load) =>
    load.lane === "h3" ? { ...load, status: "failed" as const, reasons: ["the browser crashed: SIGSEGV"] } : load,
  );
  const verdict = sweepVerdict(loads, traits(["3mbit/50ms"]), 1);
  assert.deepEqual(verdict.pairs, []);
  assert.deepEqual(verdict.notes, ["h3 has no valid load."]);
  assert.equal(verdict.excluded, "6 of 12 loads do not count: the browser crashed (6).");
  assert.deepEqual(sweepVerdict([], new Map(), 1).pairs, []);
});
