// A film in a report: pictures of a size and at an interval that a reader chooses, the curve of visual progress, one animated picture.
// Wide: cli/report.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import jpeg from "jpeg-js";
import type { Page } from "puppeteer-core";
import { histogramOf, visualProgress } from "../../cli/load/metrics/visual_progress.ts";
import { filmstripFigure } from "../../extension/figures/filmstrip.ts";
import { raceFixture } from "../cli/report/fixtures.ts";
import { axeFindings } from "./axe.ts";
import { endBrowser, open, startBrowser } from "./report_browser.ts";

before(startBrowser);
after(endBrowser);

const { width, height } = { width: 64, height: 32 };

/** White but for its upper part. */
function picture(share: number): Buffer {
  const data = Buffer.alloc(width * height * 4, 255);
  data.fill(60, 0, Math.round(height * share) * width * 4);
  return jpeg.encode({ width, height, data }).data;
}

const shares = [0, 0.25, 0.5, 1];
const lanes = ["h1", "h3"].map((lane, index) => ({
  lane,
  frames: shares.map((share, place) => ({
    time_ms: place * (300 - 100 * index),
    jpeg: picture(share).toString("base64"),
  })),
  plt_ms: 950 - 300 * index,
}));

const figure = "#film-test figure";

/** A report with the film in it, set up as if the report had been written with it. */
async function openFilm(look: { width?: number }, work: (page: Page) => Promise<void>): Promise<void> {
  await open(raceFixture, look, async (page) => {
    await page.evaluate(`(async () => {
      const holder = document.createElement("div");
      holder.id = "film-test";
      holder.innerHTML = ${JSON.stringify(filmstripFigure(lanes, "g1").text)};
      document.querySelector("main").prepend(holder);
      await setUpFilm(holder.querySelector("figure"));
    })()`);
    await work(page);
  });
}

const widthsOf = (page: Page): Promise<number[]> =>
  page.$$eval(`${figure} rect.film`, (all) => [...new Set(all.map((rect) => Number(rect.getAttribute("width"))))]);
const instantsOf = (page: Page): Promise<string[]> =>
  page.$$eval(`${figure} svg > text.axis`, (all) => all.map(({ textContent }) => textContent ?? ""));

test("a reader chooses how large pictures are and how far apart; the line stays where its moment is", async () => {
  await openFilm({}, async (page) => {
    assert.deepEqual(
      (await instantsOf(page)).toSorted(),
      ["0 ms", "200 ms", "400 ms", "600 ms", "800 ms", "1000 ms"].toSorted(),
    );
    await page.focus("details.group[open] .moment-slider input");
    for (let press = 0; press < 30; press++) await page.keyboard.press("ArrowRight");
    const momentOf = (): Promise<number> =>
      page.$eval(`${figure} svg`, (svg) => {
        const { zero, ms } = (svg as unknown as { dataset: Record<string, string> }).dataset;
        return (Number(svg.querySelector("line.moment")?.getAttribute("x1")) - Number(zero)) / Number(ms);
      });
    const before_ms = await momentOf();
    assert.ok(before_ms > 50, `${before_ms} ms`);
    await page.select(`${figure} select[name=size]`, "large");
    await page.select(`${figure} select[name=interval]`, "100");
    await page.waitForSelector(`${figure} .progress`);
    assert.deepEqual(await widthsOf(page), [400]);
    assert.equal((await instantsOf(page)).length, 11);
    assert.ok(Math.abs((await momentOf()) - before_ms) < 1e-6);
    assert.deepEqual(await axeFindings(page), []);
  });
  await openFilm({ width: 390 }, async (page) => {
    const [across = 0] = await widthsOf(page);
    const shown = await page.$eval(`${figure} svg`, (svg) => svg.getBoundingClientRect().width);
    assert.ok(across > 70 && shown <= 390, `${across} of ${shown} px`);
  });
});

test("visual progress is drawn as films' metrics have it", async () => {
  await openFilm({}, async (page) => {
    const histograms = shares.map((share) => histogramOf(jpeg.decode(picture(share), { useTArray: true }).data));
    const [first, last] = [histograms[0], histograms.at(-1)];
    assert.ok(first && last);
    const wanted = histograms.map((shown) => visualProgress(shown, first, last) ?? Number.NaN);
    const paths = await page.$$eval(`${figure} .progress path`, (all) =>
      all.map((path) => path.getAttribute("d") ?? ""),
    );
    assert.equal(paths.length, lanes.length);
    for (const path of paths) {
      const heights = [...path.matchAll(/V([\d.]+)/g)].map(([, y]) => Number(y));
      const [none = 0, whole = 0] = [heights[0], heights.at(-1)];
      const drawn = heights.map((y) => (none - y) / (none - whole));
      // Two decoders of JPEG may round a pixel's value differently.
      for (const [index, share] of wanted.entries())
        assert.ok(Math.abs(share - (drawn[index] ?? 0)) < 0.03, `${wanted} / ${drawn}`);
    }
    assert.match(
      await page.$eval(`${figure} .progress title`, ({ textContent }) => textContent ?? ""),
      /^h1: half of the page is there at \d+ ms, 85 % at 900 ms$/,
    );
  });
});

test("a film saves as one animated PNG, in its own time, the last picture longer", async () => {
  await openFilm({}, async (page) => {
    const lengths_us = (await page.evaluate(`(async () => {
      const file = await filmApng(document.querySelector(${JSON.stringify(figure)}));
      const decoder = new ImageDecoder({ type: "image/png", data: await file.arrayBuffer() });
      await decoder.tracks.ready;
      const { frameCount } = decoder.tracks.selectedTrack;
      const frames = [];
      for (let frameIndex = 0; frameIndex < frameCount; frameIndex++) frames.push((await decoder.decode({ frameIndex })).image);
      return frames.map(({ duration }) => duration);
    })()`)) as number[];
    assert.equal(lengths_us.length, 20, "0 to 950 ms");
    assert.deepEqual([...new Set(lengths_us.slice(0, -1))], [50_000]);
    assert.equal(lengths_us.at(-1), 2_000_000);
  });
});
