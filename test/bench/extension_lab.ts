import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Lane } from "../../cli/base/lanes.ts";
import { chromiumPath } from "../../cli/base/programs.ts";
import { type CDPSession, type Connection, startBrowser } from "../../cli/browser/browser.ts";
import { userAgentOf } from "../../cli/browser/browser_binary.ts";
import { chromiumArguments, chromiumEnvironment } from "../../cli/browser/chromium.ts";
import { watchPage } from "../../cli/browser/page.ts";
import { makeScratchFolder } from "../../cli/browser/scratch.ts";
import { buildExtension } from "../../cli/install/extension.ts";
import { parseLink } from "../../cli/link/link.ts";
import { labCommand, spkiList } from "../../cli/load/lab.ts";
import { laneOriginOptions } from "../../cli/load/lane_origins.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { entriesOf } from "../../extension/capture/entries.ts";
import { timelineExpression, timelineOf } from "../../extension/capture/page_timeline.ts";
import { metricsOf } from "../../extension/capture/web_vitals.ts";
import identity from "../../schemas/extension.json" with { type: "json" };
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import type { Profile } from "../../schemas/generated/profile.ts";
import { exchange as anExchange } from "../cli/recording/archive/example_recording.ts";
import { tempFolder } from "../temp_folder.ts";

// Its queue holds all that six connections or a slow start send at once: which packets a shorter one drops is chance, and
// moves load times by more than what is measured here.
const link = parseLink("10mbit/50ms,queue=1000p");
const url = "https://host0.test/";
const settle_ms = 300;
// What a page does after its load event is over before the next load, as after the extension's wait for quiet.
const afterLoad_ms = 500;
const patience_ms = 60_000;

/** A document and small images in it. */
export interface BenchPage {
  readonly requests: number;
  readonly hosts: number;
  readonly body_bytes: number;
}

export interface Loaded {
  readonly plt_ms: number;
  readonly entries: readonly HarEntry[];
}

export interface ExtensionLab {
  /**
   * With the cache off each request says so in two headers more, whoever watches: over h3 a page of 60 requests takes 3 %
   * longer. Nothing may be cached here, so that with the cache on the requests are those of an empty cache.
   */
  profiled(cache: "off" | "on"): Promise<Loaded>;
  captured(): Promise<Loaded>;
  /** Entries are empty: nobody looked. */
  alone(): Promise<Loaded>;
}

async function record(home: string, { requests, hosts, body_bytes }: BenchPage): Promise<void> {
  const at = (index: number): string => `https://host${index % hosts}.test/image-${index}.gif`;
  const images = Array.from({ length: requests - 1 }, (_, index) => at(index));
  const document = `<!doctype html><title>bench</title>${images.map((source) => `<img src="${source}" alt="">`).join("")}`;
  const pixels = Buffer.alloc(body_bytes, 0);
  pixels.write("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
  const exchanges = [url, ...images].map((address, index) => ({
    exchange: anExchange(new URL(address).pathname, {
      host: new URL(address).host,
      request_headers: [],
      address: `203.0.113.${1 + (index === 0 ? 0 : (index - 1) % hosts)}`,
      response_headers: [
        ["content-type", index === 0 ? "text/html" : "image/gif"],
        ["cache-control", "no-store"],
      ],
      recorded: {},
    }),
    body: index === 0 ? new TextEncoder().encode(document) : pixels,
  }));
  await withArchive(home, (archive) =>
    archive.write({ name: "bench", url, source: "bench", notes: {}, replace: false }, async (writer) => {
      for (const exchange of exchanges) await writer.add(exchange);
    }),
  );
}

async function attach(connection: Connection, targetId: string): Promise<CDPSession> {
  const { targetInfo } = await connection.send("Target.getTargetInfo", { targetId });
  return connection.createSession(targetInfo);
}

async function evaluate(session: CDPSession, expression: string): Promise<unknown> {
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as unknown;
}

/** Looks until the expression gives something. Takes the machine's time: not while a load is measured. */
async function until(session: CDPSession, expression: string): Promise<unknown> {
  const deadline = Date.now() + patience_ms;
  for (;;) {
    const value = await evaluate(session, expression).catch(() => null);
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`within ${patience_ms} ms: ${expression}`);
    await delay(20);
  }
}

/** Asks for a profile and settles with the answer when it is kept. The state is watched, as the popup watches it. */
const profileAndWait = (action: string): string => `new Promise((resolve) => {
  let answer = null;
  const end = () => {
    chrome.storage.session.onChanged.removeListener(changed);
    resolve(answer);
  };
  const look = (status) => {
    if (answer && status.last?.profile === answer.profile) end();
  };
  const changed = ({ status }) => status && look(status.newValue);
  chrome.storage.session.onChanged.addListener(changed);
  chrome.runtime.sendMessage(${action}).then(async (told) => {
    answer = told;
    if (!told.profile) return end();
    look((await chrome.storage.session.get("status")).status);
  });
})`;

const readDatabase = (id: string): string => `new Promise((resolve, reject) => {
  const opening = indexedDB.open("trilane");
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const getting = opening.result.transaction("profiles").objectStore("profiles").get(${JSON.stringify(id)});
    getting.onsuccess = () => { opening.result.close(); resolve(getting.result ?? null); };
  };
})`;

function pltOf(timeline: unknown): number {
  const { plt_ms } = metricsOf(timelineOf(timeline).timings);
  if (plt_ms === null) throw new Error("a load has no PLT");
  return plt_ms;
}

async function loads(connection: Connection): Promise<ExtensionLab> {
  const tab = (await connection.send("Target.createTarget", { url })).targetId;
  const page = await attach(connection, tab);
  await until(page, "performance.getEntriesByType('navigation')[0]?.loadEventEnd > 0");
  const tabs = "chrome.tabs.query({ active: true, currentWindow: true }).then(([tab]) => tab.id)";
  const open = async (address: string): Promise<CDPSession> =>
    attach(connection, (await connection.send("Target.createTarget", { url: address, background: true })).targetId);
  const view = await open(`chrome-extension://${identity.id}/views/popup/popup.html?tab=0`);
  await until(view, "document.readyState === 'complete' && !!chrome.tabs");
  const internals = await open("chrome://net-internals/");
  await until(internals, "typeof chrome.send === 'function'");
  await connection.send("Target.activateTarget", { targetId: tab });
  const tabId = Number(await evaluate(view, tabs));

  const forget = async (): Promise<void> => {
    await evaluate(
      internals,
      `chrome.send("flushSocketPools"); chrome.send("clearHostResolverCache");
       import("chrome://resources/js/cr.js").then(({ sendWithPromise }) => sendWithPromise("hstsQuery", "a.test"))`,
    );
    await delay(settle_ms);
  };
  // On in all three ways, so that nobody has to ask the page again and again whether it has loaded.
  await page.send("Page.enable");
  const nextLoad = (): Promise<void> => new Promise((resolve) => page.once("Page.loadEventFired", () => resolve()));
  return {
    async profiled(cache) {
      await forget();
      const action = JSON.stringify({ do: "profile", tabId, cache, keepBodies: false });
      const answer = (await evaluate(view, profileAndWait(action))) as { profile?: string };
      if (!answer.profile) throw new Error(`the extension refused: ${JSON.stringify(answer)}`);
      const profile = (await evaluate(view, readDatabase(answer.profile))) as Profile | null;
      const plt_ms = profile?.log._trilane.metrics.plt_ms;
      if (!profile || typeof plt_ms !== "number") throw new Error("a profile has no PLT");
      return { plt_ms, entries: profile.log.entries };
    },
    async captured() {
      await forget();
      let session: CDPSession | null = null;
      const watched = await watchPage(connection, {
        tab,
        overhear: (_, from) => {
          session ??= from;
        },
      });
      await watched.load(url);
      const timeline = await watched.evaluate(timelineExpression);
      await delay(afterLoad_ms);
      const first = watched.capture.requests[0];
      const entries = entriesOf(watched.capture, { pageref: "page_1", navigationStart_s: first?.sent.timestamp ?? 0 });
      await (session as CDPSession | null)?.detach();
      return { plt_ms: pltOf(timeline), entries };
    },
    async alone() {
      await forget();
      const loaded = nextLoad();
      // The profile's reload has the cache off, too.
      await page.send("Page.reload", { ignoreCache: true });
      await loaded;
      const timeline = await evaluate(page, timelineExpression);
      await delay(afterLoad_ms);
      return { plt_ms: pltOf(timeline), entries: [] };
    },
  };
}

/** Makes the lab, works in it, removes it. */
export async function withExtensionLab<T>(
  lane: Lane,
  page: BenchPage,
  work: (lab: ExtensionLab) => Promise<T>,
): Promise<T> {
  const folder = tempFolder("trilane-bench-");
  const scratch = await makeScratchFolder();
  try {
    const home = join(folder, "home");
    await record(home, page);
    const out = join(folder, "extension");
    await buildExtension({ out });
    const options = { home, recording: "bench", link, reports: null, replayOptions: laneOriginOptions(lane) };
    const { replay, shaper } = labCommand(options);
    const chromium = chromiumPath();
    const asked = { lane, profile: scratch.profile, spkiList: await spkiList(home) };
    const words = chromiumArguments({ ...asked, userAgent: await userAgentOf(chromium) });
    const browser = await startBrowser({
      commandLine: [
        ...replay,
        ...shaper,
        chromium,
        ...words.filter((word) => word !== "--disable-extensions"),
        "--enable-unsafe-extension-debugging",
      ],
      environment: chromiumEnvironment(scratch.profile, scratch.folder, process.env),
      timeout_ms: patience_ms,
    });
    try {
      await browser.connection.send("Extensions.loadUnpacked", { path: out });
      return await work(await loads(browser.connection));
    } finally {
      await browser.stop();
    }
  } finally {
    await scratch.remove();
  }
}
