// One load of a page behind a link, whoever serves it: live and replayed pages seen by the same eyes. Everything it
// started or wrote is gone when it returns.
import { mkdir } from "node:fs/promises";
import type { Lane } from "../../cli/base/lanes.ts";
import { chromiumPath } from "../../cli/base/programs.ts";
import { startBrowser } from "../../cli/browser/browser.ts";
import { userAgentOf } from "../../cli/browser/browser_binary.ts";
import { chromiumArguments, chromiumEnvironment } from "../../cli/browser/chromium.ts";
import { watchPage } from "../../cli/browser/page.ts";
import { makeScratchFolder } from "../../cli/browser/scratch.ts";
import { timelineExpression, timelineOf } from "../../extension/capture/page_timeline.ts";
import { metricsOf } from "../../extension/capture/web_vitals.ts";

export interface SeenLoad {
  readonly plt_ms: number;
  readonly connections: number;
  /** Bytes on the wire by URL, of headers and body, as the browser counts what it reads of each. */
  readonly resources: ReadonlyMap<string, number>;
  /** Bytes of bodies on the wire by URL (Resource Timing's encodedBodySize; only what is of the page's own origin). */
  readonly bodies: ReadonlyMap<string, number>;
  /** ms from a request's sending to its response's first byte, by URL (likewise). */
  readonly waits: ReadonlyMap<string, number>;
}

export interface SeenLoadOptions {
  readonly url: string;
  readonly lane: Lane;
  /** What the browser is started by. */
  readonly within: readonly string[];
  readonly spkiList: string;
  /** What of a measured load's instruments looks on. Default: none. */
  readonly longTasks?: boolean;
  readonly filmed?: boolean;
}

const start_ms = 30_000;

/** The browser asks for it by itself, in its own time. */
export const isIcon = (url: string): boolean => url.endsWith("/favicon.ico");

const entriesExpression = `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .map(({ name, encodedBodySize, requestStart, responseStart }) => [name, encodedBodySize, responseStart - requestStart])`;

function bodiesAndWaits(value: unknown): Pick<SeenLoad, "bodies" | "waits"> {
  const entries = (value as [string, number, number][]).filter(([url]) => !isIcon(url));
  return {
    bodies: new Map(entries.map(([url, bytes]) => [url, bytes])),
    waits: new Map(entries.map(([url, , wait_ms]) => [url, wait_ms])),
  };
}

export async function seenLoad(options: SeenLoadOptions): Promise<SeenLoad> {
  const { url, lane, within, spkiList, longTasks = false, filmed = false } = options;
  const scratch = await makeScratchFolder();
  try {
    await mkdir(scratch.profile);
    const words = chromiumArguments({
      lane,
      profile: scratch.profile,
      spkiList,
      userAgent: await userAgentOf(chromiumPath()),
    });
    const browser = await startBrowser({
      commandLine: [...within, chromiumPath(), ...words],
      environment: chromiumEnvironment(scratch.profile, scratch.folder, process.env),
      timeout_ms: start_ms,
    });
    try {
      const page = await watchPage(browser.connection, { watchesLongTasks: longTasks });
      if (filmed) await page.film();
      await page.load(url);
      const { plt_ms } = metricsOf(timelineOf(await page.evaluate(timelineExpression)).timings);
      if (plt_ms === null) throw new Error(`${url} over ${lane} has no PLT`);
      const requests = page.capture.requests.filter(
        ({ sent, response }) => response !== null && /^https?:/.test(sent.request.url) && !isIcon(sent.request.url),
      );
      const resources = new Map(
        requests.map(({ sent, end }) => [sent.request.url, end?.how === "finished" ? end.encodedBytes : 0]),
      );
      const connections = new Set(requests.map(({ response }) => response?.connectionId)).size;
      return { plt_ms, connections, resources, ...bodiesAndWaits(await page.evaluate(entriesExpression)) };
    } finally {
      await browser.stop();
    }
  } finally {
    await scratch.remove();
  }
}
