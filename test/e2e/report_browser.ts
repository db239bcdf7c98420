// A report as a person meets it: opened from a file in real Chromium, offline. One browser and one data folder for a test file.
// With TRILANE_KEEP_PICTURES=FOLDER each page opened leaves a screenshot there to look at.

import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, launch, type Page } from "puppeteer-core";
import { chromiumPath } from "../../cli/base/programs.ts";
import { type Fixture, storeFixture } from "../cli/report/fixture.ts";
import { withPlainSpaces, writeReport } from "../cli/report/written_report.ts";
import { tempFolder } from "../temp_folder.ts";

export const home = tempFolder("trilane-report-e2e-");
const pictures = process.env.TRILANE_KEEP_PICTURES;
let browser: Browser;

export async function startBrowser(): Promise<void> {
  // As root Chromium's own sandbox does not start; elsewhere it stays on.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = await launch({ executablePath: chromiumPath(), headless: true, args });
  if (pictures) mkdirSync(pictures, { recursive: true });
}

export async function endBrowser(): Promise<void> {
  await browser?.close();
  rmSync(home, { recursive: true, force: true });
}

/** An empty page of the same browser. */
export const newPage = (): Promise<Page> => browser.newPage();

const reports = new Map<string, Promise<string>>();
function reportOf(fixture: Fixture): Promise<string> {
  const known = reports.get(fixture.name) ?? writeReport(home, storeFixture(home, fixture));
  reports.set(fixture.name, known);
  return known;
}

export interface Look {
  readonly width?: number;
  readonly theme?: "light" | "dark";
  readonly script?: boolean;
  readonly print?: boolean;
  /** False: the browser never pauses, so that only what is wanted is built. */
  readonly pauses?: boolean;
}

/** Opens a report, runs `work`, and fails if the page complained or asked for anything but its own file. */
export async function open(fixture: Fixture, look: Look, work: (page: Page) => Promise<void>): Promise<void> {
  const path = await reportOf(fixture);
  const page = await browser.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    // What the page makes itself, to draw or to save it, is no network's.
    if (!/^(?:data|blob):/.test(request.url())) requests.push(request.url());
  });
  try {
    await page.setViewport({ width: look.width ?? 1280, height: 900 });
    await page.setJavaScriptEnabled(look.script ?? true);
    if (look.pauses === false) await page.evaluateOnNewDocument("window.requestIdleCallback = () => 0");
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: look.theme ?? "light" }]);
    if (look.print) await page.emulateMediaType("print");
    await page.goto(pathToFileURL(path).href, { waitUntil: "load" });
    if (pictures) {
      const kind = `${look.width ?? 1280}-${look.print ? "print" : (look.theme ?? "light")}${look.script === false ? "-noscript" : ""}`;
      await page.screenshot({ path: join(pictures, `${fixture.name}-${kind}.png`), fullPage: true });
    }
    await work(page);
  } finally {
    await page.close();
  }
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests, [pathToFileURL(path).href]);
}

/** Until all that is built after loading is there. */
export const built = (page: Page) => page.waitForFunction(`document.querySelector("noscript") === null`);

export const textOf = async (page: Page, selector: string): Promise<string> =>
  withPlainSpaces(await page.$eval(selector, (element) => element.textContent ?? ""));
export const overflowScript = "document.documentElement.scrollWidth - innerWidth";

// What runs inside the page is passed as text where it needs types that the command line does not have.
/** Gives texts of figures that lie on one another. */
export const overlapsScript = `(() => {
  const found = [];
  for (const svg of document.querySelectorAll("svg")) {
    if (svg.closest("details:not([open])") || svg.closest("[hidden]")) continue;
    const boxes = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim() !== "").map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
    for (let a = 0; a < boxes.length && found.length < 5; a++) for (let b = a + 1; b < boxes.length; b++) {
      const [p, q] = [boxes[a].box, boxes[b].box];
      const across = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      // Line boxes are taller than letters: touching is not overlapping.
      if (across > 1 && down > Math.min(p.height, q.height) * 0.45) found.push(boxes[a].text + " / " + boxes[b].text);
    }
  }
  return found;
})()`;

/** Gives texts that stick out of their figure. */
export const outsideScript = `(() => {
  const found = [];
  for (const svg of document.querySelectorAll("svg.heat, svg.wide, svg.plot, svg.legend")) {
    if (svg.closest("details:not([open])") || svg.closest("[hidden]")) continue;
    const frame = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      if (text.classList.contains("url")) continue;
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1) found.push(text.textContent);
    }
  }
  return found;
})()`;
