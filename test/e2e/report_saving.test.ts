// What a report saves: its data, and figures as SVG, PNG and CSV, all without a network.
// Wide: cli/report.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "puppeteer-core";
import { lossFixture, raceFixture } from "../cli/report/fixtures.ts";
import { endBrowser, home, newPage, open, startBrowser } from "./report_browser.ts";

before(startBrowser);
after(endBrowser);

test("the CSV saves without a network", async () => {
  const downloads = join(home, "downloads");
  mkdirSync(downloads);
  await open(raceFixture, {}, async (page) => {
    const session = await page.createCDPSession();
    await session.send("Browser.setDownloadBehavior", {
      behavior: "allow",
      downloadPath: downloads,
      eventsEnabled: true,
    });
    const ended = new Promise<string>((resolve) => {
      session.on("Browser.downloadProgress", ({ state }) => {
        if (state !== "inProgress") resolve(state);
      });
    });
    await page.$eval("#data details", (section) => section.setAttribute("open", ""));
    await page.click("#data a[download]");
    assert.equal(await ended, "completed");
  });
});

/** Clicks a figure's button for each kind of file and gives what was saved, by its name. */
async function savedFiles(page: Page, figure: string, folder: string): Promise<Map<string, Buffer>> {
  mkdirSync(folder, { recursive: true });
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, eventsEnabled: true });
  for (const kind of ["svg", "png", "csv"]) {
    const ended = Promise.withResolvers<string>();
    const progress = ({ state }: { state: string }) => {
      if (state !== "inProgress") ended.resolve(state);
    };
    session.on("Browser.downloadProgress", progress);
    await page.$eval(`${figure} .files button[aria-label$="as ${kind.toUpperCase()}"]`, (button) =>
      (button as unknown as { click(): void }).click(),
    );
    assert.equal(await ended.promise, "completed");
    session.off("Browser.downloadProgress", progress);
  }
  await session.detach();
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}

/** Draws an SVG alone in an empty page, where nothing gives it looks; gives its share of pixels that are not white. */
async function inkOf(svg: Buffer): Promise<number> {
  const page = await newPage();
  try {
    return Number(
      await page.evaluate(`(async () => {
        const picture = new Image();
        picture.src = ${JSON.stringify(`data:image/svg+xml;base64,${svg.toString("base64")}`)};
        await picture.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [picture.naturalWidth, picture.naturalHeight];
        const context = canvas.getContext("2d");
        context.drawImage(picture, 0, 0);
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        let inked = 0;
        for (let at = 0; at < data.length; at += 4) if (data[at] + data[at + 1] + data[at + 2] < 740) inked++;
        return (inked * 4) / data.length;
      })()`),
    );
  } finally {
    await page.close();
  }
}

test("a figure saves as SVG that stands alone, as PNG and as CSV, in the colours of paper, without a network", async () => {
  for (const [fixture, figure, name, line] of [
    [
      lossFixture,
      "figure.heatmaps",
      "improvement-3-pages-together",
      /^h3,h1,"3mbit\/50ms,loss=1%",,3,"1 %",-?[\d.]+,/m,
    ],
    [
      raceFixture,
      "figure.waterfall",
      "waterfall-shop-over-3mbit-50ms",
      /^h2,\d+,1,h2,GET,https:\/\/shop\.example\.com\/,200,14120,0\.8,/m,
    ],
    [raceFixture, "figure.overtime", "link-over-time-shop-over-3mbit-50ms", /^h2,\d+,down,0,[\d.]+,0,0,0,0$/m],
    [raceFixture, "#split figure", "network-and-no-request-3mbit-50ms", /^3mbit\/50ms,shop,h2,5,[\d.]+,0\.\d+,/m],
    [raceFixture, "#medians figure", "medians", /^shop,3mbit\/50ms,[\d.]+,[\d.]+,[\d.]+,5,/m],
  ] as const) {
    await open(fixture, { theme: "dark" }, async (page) => {
      const files = await savedFiles(page, figure, join(home, "saved", name));
      assert.deepEqual([...files.keys()].sort(), [`${name}.csv`, `${name}.png`, `${name}.svg`]);
      assert.match(files.get(`${name}.csv`)?.toString() ?? "", line);
      assert.equal(files.get(`${name}.png`)?.toString("latin1", 1, 4), "PNG");
      const svg = files.get(`${name}.svg`) ?? Buffer.alloc(0);
      assert.doesNotMatch(svg.toString(), /class=|var\(--/);
      const ink = await inkOf(svg);
      assert.ok(ink > 0.01 && ink < 0.6, `${name}: ${ink} of it is drawn on`);
    });
  }
});
