// Studies: their plans exist and load what the published figures are about; signs are compared as they should.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLink, parseLink } from "../../../../cli/link/link.ts";
import { syntheticTraces, withNetworks } from "../../../../cli/link/trace/networks.ts";
import { publishedSection } from "../../../../cli/report/published.ts";
import { agreementSentence, comparedFigures } from "../../../../cli/results/studies/agreement.ts";
import { studies } from "../../../../cli/results/studies/all.ts";
import { cse534 } from "../../../../cli/results/studies/cse534_2017.ts";
import { das2014, das2014Reproducibility } from "../../../../cli/results/studies/das_2014.ts";
import { das2014Cellular } from "../../../../cli/results/studies/das_2014_cellular.ts";
import { panda2019Video } from "../../../../cli/results/studies/panda_2019_video.ts";
import { comparedSpreads } from "../../../../cli/results/studies/spread.ts";
import { studyOfPlan } from "../../../../cli/results/studies/study.ts";
import { wolsing2019 } from "../../../../cli/results/studies/wolsing_2019.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";
import { pageName } from "../../../../cli/sweep/plan/page_patterns.ts";
import { cellsOf, readPlan } from "../../../../cli/sweep/plan/plan.ts";
import { tempFolder } from "../../../temp_folder.ts";

// Traces of cellular links are drawn into the data folder.
const home = tempFolder("trilane-studies-");
const readStudyPlan = (name: string) => readPlan(name, syntheticTraces(home));

for (const study of studies) {
  test(`${study.name}: its plans are shipped, and the full one loads all that was published`, () => {
    assert.equal(readStudyPlan(study.quick).name, study.quick);
    assert.equal(studyOfPlan(studies, study.quick), study);
    const full = readStudyPlan(study.full);
    const cells = cellsOf(full);
    assert.ok(cells.length >= cellsOf(readStudyPlan(study.quick)).length);
    const loaded = new Set(cells.map(({ link, lane }) => `${withNetworks(link)} ${lane}`));
    for (const { link, pair } of study.published)
      for (const lane of [pair.lane, pair.over])
        assert.ok(
          link === null
            ? full.lanes.some((each) => each === lane)
            : loaded.has(`${formatLink(parseLink(link))} ${lane}`),
          `${lane} ${link}`,
        );
    const pages = new Set(full.pages.map((page) => pageName(page)));
    for (const { page } of [...study.published, ...(study.spreads ?? [])])
      assert.ok(page === null || pages.has(page), page ?? "");
    for (const { link, lane } of study.spreads ?? [])
      assert.ok(loaded.has(`${formatLink(parseLink(link))} ${lane}`), link);
  });
}

test("the thesis' maps are whole: a hundred cells for each of three pairs, some of which anybody can look up", () => {
  assert.equal(das2014.published.length, 300);
  const at = (lane: string, over: string, link: string) =>
    das2014.published.find(({ pair, link: of }) => pair.lane === lane && pair.over === over && of === link)?.percent;
  assert.equal(at("h2", "h1", "0.2mbit/90ms"), -125);
  assert.equal(at("h3", "h1", "14.6mbit/30ms"), -96);
  assert.equal(at("h3", "h2", "25mbit/300ms"), -39);
});

/** So many loads of a lane. */
const sampled = (link: string, lane: string, count: number, plt_ms: (block: number) => number, page = "p"): Sample[] =>
  Array.from({ length: count }, (_, block) => ({
    ...{ page, link, lane, block, status: "valid", reasons: [], plt_ms: plt_ms(block) },
  }));

/** Six loads around a time. */
const around = (link: string, lane: string, time_ms: number, shift = 0): Sample[] =>
  sampled(link, lane, 6, (block) => time_ms * (1 + 0.01 * Math.sin(time_ms + shift + block * 2)));

/** Five loads of each lane on a link, h3 so much faster than h1 in per cent. */
const loads = (link: string, percent: number, spread = 1): Sample[] =>
  ["h1", "h3"].flatMap((lane) =>
    sampled(link, lane, 5, (block) => (lane === "h3" ? 1000 - 10 * percent : 1000) + spread * ((block * 7) % 5)),
  );

test("signs: the same, another one, and ours undecided", () => {
  // Published for h3 over h1: +48, -57 and -63 %.
  const all = [
    ...loads("200kbit/30ms", 10),
    ...loads("200kbit/60ms", 20),
    ...loads("200kbit/90ms", 0, 200),
    ...loads("7mbit/30ms", 10),
  ];
  const figures = comparedFigures(das2014, all, 1).filter(
    ({ published: { pair } }) => pair.lane === "h3" && pair.over === "h1",
  );
  assert.deepEqual(
    figures.map(({ published, agreement }) => `${published.link} ${published.percent} ${agreement}`),
    ["200kbit/30ms 48 agrees", "200kbit/60ms -57 differs", "200kbit/90ms -63 undecided"],
  );
  assert.equal(
    agreementSentence(figures),
    "Our sign agrees with the published one in 1 of 2 figures; 1 more is not decided here.",
  );
  assert.equal(agreementSentence([]), null);
});

test("a published 0: we agree where ours is shown to be within 3 %, and differ where it is shown to be more", () => {
  const study = {
    ...das2014,
    published: ["1mbit/30ms", "1mbit/60ms", "1mbit/90ms"].map((link) => ({
      ...{ pair: { lane: "h3", over: "h1" }, page: null, percent: 0, sign: 0 },
      link,
    })),
  };
  const all = [...loads("1mbit/30ms", 0.5), ...loads("1mbit/60ms", 8), ...loads("1mbit/90ms", 0, 200)];
  const figures = comparedFigures(study, all, 1);
  assert.deepEqual(
    figures.map(({ agreement }) => agreement),
    ["agrees", "differs", "undecided"],
  );
  assert.match(
    publishedSection(study, [{ name: "", figures }])?.text ?? "",
    /Where the published value is 0, ours agrees within 3 % of 0\./,
  );
});

test("figures of lanes that the sweep does not have are no figures of it; where none is decided that is said", () => {
  const all = loads("200kbit/90ms", 0, 200);
  const figures = comparedFigures(das2014, all, 1);
  assert.deepEqual(
    figures.map(({ published: { pair } }) => pair),
    [{ lane: "h3", over: "h1" }],
  );
  assert.equal(agreementSentence(figures), "The one published figure that was loaded is not decided here.");
  const more = comparedFigures(das2014, [...all, ...loads("200kbit/60ms", 0, 200)], 1);
  assert.equal(agreementSentence(more), "None of the 2 published figures that were loaded is decided here.");
});

test("the project's tables are whole: 14 figures by objects on its near network, three mixes on all four", () => {
  assert.equal(cse534.published.length, 14 + 3 * 4);
  const at = (page: string, link: string) => cse534.published.find((each) => each.page === page && each.link === link);
  const near = "down=30mbit,up=15mbit,rtt=2ms";
  assert.equal(at("cse534-count-1", near)?.percent, -262);
  assert.deepEqual(at("cse534-size-10MB", near)?.times, { lane: "27.72 s", over: "2.62 s" });
  assert.equal(at("cse534-few-large", "down=750kbit,up=250kbit,rtt=2ms")?.percent, 7);
  assert.equal(at("cse534-mixed", "down=750kbit,up=250kbit,rtt=100ms")?.sign, -1);
});

test("spreads: below the live page's 13 %, above it, and too few loads to say", () => {
  const varied = (lane: string, spread: number, count: number): Sample[] =>
    sampled("10mbit/50ms", lane, count, (block) => 1000 + spread * (((block * 7) % 11) - 5), "carlucci-medium");
  const all = [...varied("h1", 5, 22), ...varied("h2", 120, 22), ...varied("h3", 5, 3)];
  const spreads = comparedSpreads(das2014Reproducibility, all, 1);
  assert.deepEqual(
    spreads.map(({ published, agreement, loads }) => [published.lane, agreement, loads]),
    [
      ["h1", "agrees", 22],
      ["h2", "differs", 22],
      ["h3", "undecided", 3],
    ],
  );
  assert.ok(Math.abs((spreads[0]?.variation ?? 0) - 0.01618) < 1e-4);
  assert.equal(comparedSpreads(das2014, all, 1).length, 0);
  const text = publishedSection(das2014Reproducibility, [{ name: "", figures: [], spreads }])?.text ?? "";
  assert.match(text, /agrees with the published one in 1 of 2 figures; 1 more is not decided here/);
  assert.match(text, /2\.5 % \(743 ± 18 ms\).*1\.6 % \(1\.\d % to 1\.\d %\), 22 loads/);
});

test("a figure over all networks: every link counts, lanes with settings of their own as any", () => {
  const loaded = (link: string, lane: string, plt_ms: number) => around(link, lane, plt_ms, link.length * 3);
  const links = ["10mbit/50ms", "468kbit/262ms,queue=200ms,loss=3.3%", "1.89mbit/760ms,queue=200ms,loss=6%"];
  const all = links.flatMap((link, index) => [
    ...loaded(link, "h2", 2000),
    ...loaded(link, "h2:tuned", 1800),
    ...loaded(link, "h3:tuned", index === 2 ? 1900 : 1300),
  ]);
  const figures = comparedFigures(wolsing2019, all, 1);
  assert.deepEqual(
    figures.map(({ published: { pair, link }, agreement }) => `${pair.lane} over ${pair.over} ${link} ${agreement}`),
    [
      "h2:tuned over h2 null agrees",
      "h3:tuned over h2:tuned null agrees",
      "h3:tuned over h2:tuned 468kbit/262ms,queue=200ms,loss=3.3% agrees",
      "h3:tuned over h2:tuned 1.89mbit/760ms,queue=200ms,loss=6% differs",
    ],
  );
  assert.match(publishedSection(wolsing2019, [{ name: "", figures }])?.text ?? "", /all links/);
});

test("a figure of another metric than the page load time is compared by that one", () => {
  const link = "3mbit/40ms";
  const loaded = (lane: string, connect_ms: number) =>
    around(link, lane, connect_ms).map(({ plt_ms, ...load }) => ({
      ...{ ...load, plt_ms: 1000 + load.block, video_connect_ms: plt_ms, audio_connect_ms: null },
    }));
  const figures = comparedFigures(panda2019Video, [...loaded("h2", 80), ...loaded("h3", 40)], 1);
  assert.deepEqual(
    figures.map(({ published: { metric, link: over }, agreement }) => `${metric} ${over} ${agreement}`),
    [
      "video_connect_ms null agrees",
      "video_connect_ms 3mbit/40ms agrees",
      "audio_connect_ms null not loaded",
      "audio_connect_ms 3mbit/40ms not loaded",
    ],
  );
  assert.match(publishedSection(panda2019Video, [{ name: "", figures }])?.text ?? "", /h3 over h2, connect, video</);
});

/** Pages over a link, each so many ms with each lane; three loads of each. */
function pagesOver(link: string, times_ms: readonly (readonly [cubic: number, sprout: number])[]): Sample[] {
  return times_ms.flatMap(([cubic, sprout], page) => [
    ...sampled(link, "h3:cubic", 3, (block) => cubic + block, `page ${page}`),
    ...sampled(link, "h3:sprout", 3, (block) => sprout + block, `page ${page}`),
  ]);
}

test("cellular links: measured traces count for their network, and the slowest pages are compared by their own quantile", () => {
  const slowOnes = (slow_ms: number) =>
    Array.from({ length: 40 }, (_, page) => [1000 + page, page < 8 ? slow_ms + page : 1000 + page] as const);
  const near = "trace_down=Verizon-LTE-short.down,trace_up=Verizon-LTE-short.up,rtt=30ms,queue=1000ms";
  const far = "trace_down=att-lte.down,trace_up=att-lte.up,rtt=300ms,queue=1000ms";
  const faster = Array.from({ length: 40 }, (_, page) => [2000 + page, 1800 + page] as const);
  const figures = comparedFigures(das2014Cellular, [...pagesOver(near, slowOnes(3000)), ...pagesOver(far, faster)], 1);
  assert.deepEqual(
    figures.map(({ published: { pair, quantile }, ours, agreement }) => [
      pair.lane,
      quantile ?? 0.5,
      Math.round(ours.percent ?? 0),
      agreement,
    ]),
    [
      // (3000 - 1000) / 3000 of the slowest pages, where half of the pages took as long with both.
      ["h3:cubic", 0.95, 65, "agrees"],
      ["h3:sprout", 0.5, 10, "agrees"],
    ],
  );
  assert.match(
    publishedSection(das2014Cellular, [{ name: "", figures }])?.text ?? "",
    /13 % \(95th percentile over pages\)/,
  );
  const few = comparedFigures(das2014Cellular, pagesOver(near, slowOnes(3000).slice(0, 3)), 1);
  assert.deepEqual([few[0]?.agreement, few[0]?.ours.interval], ["undecided", null]);
});
