// The division of the page load time into network and computation: of what is stored, at the right lengths, with its data.
import assert from "node:assert/strict";
import { test } from "node:test";
import { median } from "../../../../cli/base/quantile.ts";
import { type SplitPage, splitFigure } from "../../../../cli/report/figures/split.ts";
import { splitsOf } from "../../../../cli/report/splits_of.ts";
import { lossFixture } from "../fixtures.ts";
import { csvOf } from "../markup_text.ts";
import { reportData } from "../written_report.ts";

test("each page's bars are its loads' medians, on links spread over the plan", () => {
  const data = reportData(lossFixture);
  const { shown: splits, links } = splitsOf(data);
  assert.deepEqual(
    splits.map(({ link }) => link),
    ["3mbit/50ms", "3mbit/50ms,loss=1%", "10mbit/50ms", "10mbit/50ms,loss=2%"],
  );
  assert.equal(links, 6, "of so many");
  const loads = data.loads.filter(
    ({ page, link, lane }) => page === "carlucci-small" && link === "3mbit/50ms" && lane === "h2",
  );
  const page = splits[0]?.pages.find((each) => each.page === "carlucci-small");
  const bar = page?.bars.find(({ lane }) => lane === "h2");
  assert.equal(bar?.plt_ms, median(loads.map(({ plt_ms }) => plt_ms ?? Number.NaN)));
  assert.equal(
    bar?.network_share,
    median(loads.map(({ plt_ms, network_ms }) => (network_ms ?? Number.NaN) / (plt_ms ?? Number.NaN))),
  );
  assert.equal(bar?.loads, lossFixture.repetitions);
  const ofPage = data.loads.filter((load) => load.page === "carlucci-small" && load.link === "3mbit/50ms");
  assert.equal(page?.optimal_ms, median(ofPage.map(({ optimal_ms }) => optimal_ms ?? Number.NaN)));
  const untold = { ...data, loads: data.loads.map((load) => ({ ...load, network_ms: null })) };
  assert.deepEqual(splitsOf(untold), { shown: [], links: 0 });
});

test("bars are as long as their shares of the axis; the optimum is a line; the CSV has pages that are not drawn", () => {
  const page = (name: string, optimal_ms: number | null): SplitPage => ({
    page: name,
    bars: [{ lane: "h2", loads: 5, plt_ms: 1000, network_share: 0.75 }],
    optimal_ms,
  });
  const text = splitFigure({
    link: "3mbit/50ms",
    pages: [page("a", 500)],
    allPages: [page("a", 500), page("b", null)],
  }).text;
  const [, network, computed] =
    /<rect class="network"[^>]*y="80"[^>]*width="([\d.]+)".*?<rect class="computed"[^>]*width="([\d.]+)"/.exec(text) ??
    [];
  assert.ok(Math.abs(Number(network) / Number(computed) - 3) < 0.01, `${network} and ${computed}`);
  const from = Number(/<rect class="network" x="(\d+)" y="80"/.exec(text)?.[1]);
  const optimum = Number(/class="optimum" d="M([\d.]+) \d+v\d+"><title>a: optimum 500 ms/.exec(text)?.[1]);
  assert.ok(Math.abs((optimum - from) / Number(network) - 500 / 750) < 0.01, `${optimum}`);
  assert.match(text, /1000 ms, 75 % network/);
  assert.match(text, /1 page of 2, spread from the fastest to the slowest/);
  assert.deepEqual(csvOf(text).slice(1), [
    "3mbit/50ms,a,h2,5,1000,0.75,750,250,500",
    "3mbit/50ms,b,h2,5,1000,0.75,750,250,",
  ]);
  assert.doesNotMatch(splitFigure({ link: "x", pages: [page("b", null)], allPages: [] }).text, /class="optimum"/);
});
