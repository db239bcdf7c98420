import type { Page } from "puppeteer-core";
import { type ExtensionBrowser, startExtensionBrowser } from "../e2e/extension_browser.ts";
import { profileOfRequests } from "../extension/views/profile_fixture.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, measurement } from "./bench.ts";

const requests = 1000;
const rounds = 10;
const interactiveBar_ms = 300;
const taskBar_ms = 50;
const path = "views/result/result.html";

/** Puts the profile into the history as the extension does; its page made the stores. */
async function seed(extension: ExtensionBrowser): Promise<void> {
  const page = await extension.open(path);
  await page.waitForSelector("html[data-ready]");
  await page.evaluate(async (profile) => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open("trilane");
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
    const transaction = database.transaction(["profiles"], "readwrite");
    transaction.objectStore("profiles").put(profile, profile.log._trilane.id);
    await new Promise<void>((resolve) => {
      transaction.oncomplete = () => resolve();
    });
    database.close();
  }, profileOfRequests(requests));
  await page.close();
}

/** ms from navigation start to the first frame after the page was ready. */
async function interactive_ms(page: Page): Promise<number> {
  await page.evaluateOnNewDocument(() => {
    const ready = new Promise<number>((resolve) => {
      new MutationObserver((_, observer) => {
        if (document.documentElement.dataset.ready === undefined) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      }).observe(document, { attributes: true, subtree: true, childList: true });
    });
    Object.assign(window, { benchReady: ready });
  });
  await page.goto(new URL(`/${path}?profile=made-up`, page.url()).href);
  return await page.evaluate(() => (window as unknown as { benchReady: Promise<number> }).benchReady);
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly args: { readonly name?: string };
}

/** The longest task of the renderers' main threads while `work` ran, ms. */
async function longestTask_ms(page: Page, work: () => Promise<void>): Promise<number> {
  await page.tracing.start({ categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
  await work();
  const trace = await page.tracing.stop();
  const { traceEvents } = JSON.parse(Buffer.from(trace ?? []).toString()) as { traceEvents: TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => /RunTask$/.test(name) && mains.has(`${pid} ${tid}`));
  if (tasks.length === 0) throw new Error("the trace tells of no tasks");
  return Math.max(...tasks.map(({ dur }) => (dur ?? 0) / 1000));
}

/** From top to bottom by more than a screen's rows each frame: each frame draws anew. */
async function scroll(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const list = document.querySelector(".list");
    if (!list) throw new Error("no list of requests");
    const frame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let top = 0; top < list.scrollHeight; top += 400) {
      list.scrollTop = top;
      await frame();
    }
    list.scrollTop = 0;
    await frame();
  });
}

async function groupAndZoom(page: Page): Promise<void> {
  await page.click(".controls [name=group]");
  for (let times = 0; times < 4; times++) await page.click(".controls [name=in]");
  await page.click(".controls [name=fit]");
  await page.click(".controls [name=group]");
}

export const bench: Bench = async (say) => {
  const home = tempFolder("trilane-bench-views-");
  const extension = await startExtensionBrowser({ home, width: 1280, height: 900 });
  try {
    await seed(extension);
    const [ready, scrolling, changing]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      const page = await extension.open(path);
      ready.push(await interactive_ms(page));
      scrolling.push(await longestTask_ms(page, () => scroll(page)));
      changing.push(await longestTask_ms(page, () => groupAndZoom(page)));
      await page.close();
      say(`round ${round + 1} of ${rounds}`);
    }
    return [
      measurement(`result page of ${requests} requests: interactive`, ready, interactiveBar_ms),
      measurement("longest task while scrolling", scrolling, taskBar_ms),
      measurement("longest task while grouping and zooming", changing, taskBar_ms),
    ];
  } finally {
    await extension.close();
  }
};
