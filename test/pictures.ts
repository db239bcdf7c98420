// Makes the pictures of docs/first-race.md from the report of its race: `node test/pictures.ts REPORT.html`. Numbers stand where the text
// below each picture explains them. Look at what it made before you commit it.
import { join, resolve } from "node:path";
import { launch, type Page } from "puppeteer-core";

const folder = join(import.meta.dirname, "..", "docs", "pictures");

/** A number beside the left edge of what the selector finds first. */
interface Numbered {
  readonly number: number;
  readonly of: string;
  readonly left?: number;
  readonly top?: number;
}

const numberScript = `(places) => {
  for (const { number, of, left = -28, top = 0 } of places) {
    const box = document.querySelector(of)?.getBoundingClientRect();
    if (!box) throw new Error("nothing is " + of);
    const badge = document.createElement("b");
    badge.textContent = number;
    Object.assign(badge.style, {
      ...{ position: "absolute", left: Math.max(2, box.left + left) + "px", top: box.top + scrollY + top + "px" },
      ...{ width: "26px", height: "26px", borderRadius: "13px", background: "#c2185b", color: "#fff" },
      ...{ font: "bold 15px/26px sans-serif", textAlign: "center" },
    });
    document.body.append(badge);
  }
}`;

async function numbered(page: Page, all: readonly Numbered[]): Promise<void> {
  await page.evaluate(`(${numberScript})(${JSON.stringify(all)})`);
}

async function picture(page: Page, name: string, from: string, height: number): Promise<void> {
  const top = await page.$eval(from, (element) => element.getBoundingClientRect().top);
  await page.screenshot({
    path: join(folder, name),
    clip: { x: 0, y: Math.max(0, top - 8), width: 1190, height },
    captureBeyondViewport: true,
  });
}

const [report] = process.argv.slice(2);
if (report === undefined) throw new Error("usage: node test/pictures.ts REPORT.html");
const browser = await launch({ executablePath: "/usr/lib/chromium/chromium", args: ["--no-sandbox"] });
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1190, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
  await page.goto(`file://${resolve(report)}`);
  await page.waitForSelector(".filmstrip .progress");
  await numbered(page, [
    { number: 1, of: ".answer", top: 6 },
    { number: 2, of: ".why" },
    { number: 3, of: ".sure" },
    { number: 4, of: "figure.distribution svg", left: 80, top: 28 },
    { number: 5, of: "figure.filmstrip svg", left: 60, top: 20 },
  ]);
  await picture(page, "report-top.png", "header", 900);
  await page.$eval(".group input[type=range]", (slider) => {
    (slider as unknown as { value: string }).value = "1000";
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await numbered(page, [
    { number: 1, of: "figure.waterfall svg", left: 585, top: 22 },
    { number: 2, of: "figure.waterfall svg", left: 830, top: 150 },
    { number: 3, of: "figure.waterfall svg", left: 590, top: 420 },
    { number: 4, of: "figure.overtime svg", left: 235, top: 30 },
    { number: 5, of: ".group input[type=range]", left: 640, top: -4 },
  ]);
  await picture(page, "report-waterfall.png", ".group input[type=range]", 1829);
} finally {
  await browser.close();
}
