// Programs of others that read HAR files, as oracles for ours: the import of Chromium's own DevTools, and perf-cascade,
// which draws waterfalls.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser } from "puppeteer-core";

export interface ReadRequest {
  readonly url: string;
  readonly status: number;
  readonly protocol: string;
  /** From the start to the end. */
  readonly duration_ms: number;
  readonly resourceType: string;
}

/** The requests that DevTools' network panel would show: its own code reads the file, in its own page. */
export async function readByDevTools(browser: Browser, har: string): Promise<ReadRequest[]> {
  const page = await browser.newPage();
  try {
    await page.goto("devtools://devtools/bundled/devtools_app.html");
    return (await page.evaluate(`(async (text) => {
      const { HARFormat, Importer } = await import("./models/har/har.js");
      const { log } = new HARFormat.HARRoot(JSON.parse(text));
      return Importer.Importer.requestsFromHARLog(log).map((request) => ({
        url: request.url(),
        status: request.statusCode,
        protocol: request.protocol,
        duration_ms: request.duration * 1000,
        resourceType: request.resourceType().name(),
      }));
    })(${JSON.stringify(har)})`)) as ReadRequest[];
  } finally {
    await page.close();
  }
}

/** How many rows perf-cascade draws, and its picture's text. */
export async function drawnByPerfCascade(browser: Browser, har: string): Promise<{ rows: number; text: string }> {
  const source = readFileSync(createRequire(import.meta.url).resolve("perf-cascade"), "utf8");
  const page = await browser.newPage();
  try {
    await page.evaluate(source);
    return (await page.evaluate(`(() => {
      const picture = perfCascade.fromHar(${har}.log);
      return { rows: picture.querySelectorAll(".row-item").length, text: picture.textContent };
    })()`)) as { rows: number; text: string };
  } finally {
    await page.close();
  }
}
