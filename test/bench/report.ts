// The report of 10 000 loads: how long it takes to be made, how large it is, and how long until a browser that opens it
// answers a first click. Of the two shapes that are hardest: many links with many pages, so that most sections are cut and
// all heat maps are full; and few cells with many loads, all of which are drawn.

import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type Browser, launch } from "puppeteer-core";
import { chromiumPath } from "../../cli/base/programs.ts";
import { type Fixture, storeFixture } from "../cli/report/fixture.ts";
import { writeReport } from "../cli/report/written_report.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const madeBar_ms = 20_000;
const sizeBar_MB = 15;
const interactiveBar_ms = 2000;
const rounds = 5;

/** As many as a page has that Das (2014) calls usual. */
const requests = 100;
const urls = Array.from({ length: requests }, (_, index) =>
  index === 0
    ? "https://shop.example.com/"
    : `https://${["shop.example.com", "images.example.net", "fonts.example.org"][index % 3]}/assets/${index}/resource-${index * 37}.${["js", "css", "jpg"][index % 3]}?v=${index}`,
);

const grid = (rates: readonly string[], rtts_ms: readonly number[]): string[] =>
  rates.flatMap((rate) => rtts_ms.map((rtt_ms) => `${rate}/${rtt_ms}ms`));

const pagesOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `site-${index + 1}.example`);

const shapes: readonly { readonly title: string; readonly fixture: Fixture }[] = [
  {
    title: "100 links, 11 pages, 3 lanes, 3 loads of each",
    fixture: {
      name: "bench-grid",
      pages: pagesOf(11),
      links: grid(
        ["200kbit", "300kbit", "600kbit", "1mbit", "1700kbit", "2900kbit", "5mbit", "8600kbit", "14600kbit", "25mbit"],
        [30, 60, 90, 120, 150, 180, 210, 240, 270, 300],
      ),
      repetitions: 3,
      urls,
      // A hundred more loads, so that there are 10 000.
      outcome: ({ page, link, lane, attempt }) =>
        page === "site-1.example" && lane === "h3" && link !== "25mbit/300ms" && attempt === 0
          ? { status: "invalid", reasons: ["2 requests were answered over h2 and not h3"] }
          : { status: "valid", reasons: [] },
    },
  },
  {
    title: "6 links, 18 pages, 3 lanes, 31 loads of each",
    fixture: {
      name: "bench-loads",
      pages: pagesOf(18),
      links: grid(["3mbit", "10mbit"], [30, 60, 120]),
      repetitions: 31,
      urls,
    },
  },
];

/**
 * From navigation start until a first click has been answered and drawn, ms; and the longest task until then. The click is the
 * filter's, which has the most to do: it is given to the page as soon as there is something to click on.
 */
const firstClick = `new Promise((resolve) => {
  let longest = 0;
  new PerformanceObserver((list) => { for (const task of list.getEntries()) longest = Math.max(longest, task.duration); }).observe({ type: "longtask", buffered: true });
  const click = () => {
    const select = document.querySelector("select[name=page]");
    select.value = "site-2.example";
    select.dispatchEvent(new Event("change", { bubbles: true }));
    requestAnimationFrame(() => setTimeout(() => resolve({ loaded: performance.timing.loadEventEnd - performance.timing.navigationStart, answered: performance.now(), longest, told: document.querySelector("#filtered").textContent })));
  };
  if (document.readyState === "complete") setTimeout(click);
  else addEventListener("load", () => setTimeout(click));
})`;

interface Opened {
  readonly loaded: number;
  readonly answered: number;
  readonly longest: number;
  readonly told: string;
}

async function openReport(browser: Browser, path: string): Promise<Opened> {
  const page = await browser.newPage();
  try {
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(pathToFileURL(path).href, { waitUntil: "domcontentloaded" });
    const opened = (await page.evaluate(firstClick)) as Opened;
    if (!/^[1-9]\d* of \d+ shown$/.test(opened.told)) throw new Error(`the filter says ${opened.told}`);
    return opened;
  } finally {
    await page.close();
  }
}

async function measureShape({ title, fixture }: (typeof shapes)[number], browser: Browser): Promise<Measurement[]> {
  const home = tempFolder("trilane-bench-report-");
  const sweep = storeFixture(home, fixture);
  const begun_ms = performance.now();
  const path = await writeReport(home, sweep);
  const made_ms = performance.now() - begun_ms;
  const opened: Opened[] = [];
  for (let round = 0; round < rounds; round++) opened.push(await openReport(browser, path));
  const of = (value: (each: Opened) => number): number[] => opened.map(value);
  return [
    measurement(`${title}: made`, [made_ms], madeBar_ms),
    measurement(`${title}: size`, [statSync(path).size / 1e6], sizeBar_MB, { unit: "MB" }),
    measurement(
      `${title}: load event`,
      of(({ loaded }) => loaded),
      null,
    ),
    measurement(
      `${title}: first click answered`,
      of(({ answered }) => answered),
      interactiveBar_ms,
    ),
    measurement(
      `${title}: longest task until then`,
      of(({ longest }) => longest),
      null,
    ),
  ];
}

export const bench: Bench = async (say, only) => {
  // As root Chromium's own sandbox does not start.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await launch({ executablePath: chromiumPath(), headless: true, args });
  try {
    const measurements: Measurement[] = [];
    for (const shape of shapes.filter(({ fixture }) => fixture.name.includes(only))) {
      say(`stores 10 000 loads: ${shape.title}`);
      measurements.push(...(await measureShape(shape, browser)));
    }
    return measurements;
  } finally {
    await browser.close();
  }
};
