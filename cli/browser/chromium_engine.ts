// Chromium as an engine of measured loads: what browser.ts, chromium.ts and page.ts do for it.
import { setTimeout as delay } from "node:timers/promises";
import { waitedFor } from "../../extension/capture/at_rest.ts";
import { entriesOf, navigationRequest, navigationStart_s } from "../../extension/capture/entries.ts";
import type { Capture } from "../../extension/capture/requests.ts";
import type { PageTimings } from "../../extension/capture/web_vitals.ts";
import { type CDPSession, type Connection, startBrowser } from "./browser.ts";
import { userAgentOf } from "./browser_binary.ts";
import { chromiumArguments, chromiumEnvironment } from "./chromium.ts";
import { sendInClear } from "./clear.ts";
import type { Engine, EngineBrowser, EnginePage, Observed, UnderWay } from "./engine.ts";
import { type WatchedPage, watchPage } from "./page.ts";

// Between the two loads of a repeat visit: every connection of the browser is closed, its names are forgotten and, unless
// configured otherwise, all that the first visit stored; what lets a connection resume (TLS tickets, QUIC's too) stays. Loads
// nothing.
//
// DevTools has no command for connections and names. Chromium's own page for them has.

interface BetweenVisits {
  readonly connection: Connection;
  /** The tab of the first visit. */
  readonly firstTab: string;
  /** Origins of the first visit, as https://host:port. */
  readonly origins: Iterable<string>;
  readonly keepCache: boolean;
  readonly rtt_ms: number;
}

const internalsUrl = "chrome://net-internals/";
const poll_ms = 5;
/** Over that of two round trips, so that the last packets of the closed connections are off the link. */
const quiet_ms = 100;

async function attach(connection: Connection, url: string): Promise<{ targetId: string; session: CDPSession }> {
  const { targetId } = await connection.send("Target.createTarget", { url, background: true });
  const { targetInfo } = await connection.send("Target.getTargetInfo", { targetId });
  return { targetId, session: await connection.createSession(targetInfo) };
}

async function evaluate(session: CDPSession, expression: string): Promise<unknown> {
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error(`${internalsUrl}: ${exceptionDetails.exception?.description ?? "failed"}`);
  return result.value as unknown;
}

/** The page is there some ms after its tab. */
async function isReady(session: CDPSession): Promise<boolean> {
  const expression = `location.href.startsWith(${JSON.stringify(internalsUrl)}) && typeof chrome.send === "function"`;
  try {
    return (await evaluate(session, expression)) === true;
  } catch (error) {
    if (session.detached) throw error;
    // EngineNeeds while one document gave way to the next.
    return false;
  }
}

async function emptyStores(session: CDPSession, origins: Iterable<string>): Promise<void> {
  const storage = [...new Set(origins)].map((origin) =>
    session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" }),
  );
  await Promise.all([
    session.send("Network.clearBrowserCache"),
    session.send("Network.clearBrowserCookies"),
    ...storage,
  ]);
}

/** Ends the first visit. Gives the tab, empty, for the second one. */
async function betweenVisits(between: BetweenVisits): Promise<string> {
  const { connection, firstTab, origins, keepCache, rtt_ms } = between;
  // Before the first one closes: a browser without a tab ends.
  const { targetId: secondTab } = await connection.send("Target.createTarget", { url: "about:blank" });
  const { targetId, session } = await attach(connection, internalsUrl);
  await connection.send("Target.closeTarget", { targetId: firstTab });
  while (!(await isReady(session))) await delay(poll_ms);
  if (!keepCache) await emptyStores(session, origins);
  // Both tell nothing of their end. But they go down one pipe, in this order, and a question that is answered after them
  // is answered when they are done.
  await evaluate(
    session,
    `chrome.send("flushSocketPools");
     chrome.send("clearHostResolverCache");
     import("chrome://resources/js/cr.js").then(({ sendWithPromise }) => sendWithPromise("hstsQuery", "a.test"))`,
  );
  await connection.send("Target.closeTarget", { targetId });
  await delay(2 * rtt_ms + quiet_ms);
  return secondTab;
}

export function observedBy(capture: Capture, timings: PageTimings | null): Observed {
  const navigation_s = navigationStart_s(capture, timings);
  const first = navigationRequest(capture);
  const isSeen = first !== null && navigation_s !== null;
  return {
    navigation_s,
    began: isSeen ? new Date((first.sent.wallTime - (first.sent.timestamp - navigation_s)) * 1000) : null,
    entries: navigation_s === null ? [] : entriesOf(capture, { pageref: "page_1", navigationStart_s: navigation_s }),
    documents: capture.documents.map(({ url }) => url),
  };
}

export function underWayIn(capture: Capture, silent_ms: number): UnderWay {
  // A stream's data is no news: it comes for ever, and waitedFor passes it over.
  const ended = capture.requests.filter(({ end }) => end !== null).length;
  return { state: `${capture.requests.length} ${ended}`, waitedFor: waitedFor(capture, silent_ms).length };
}

export const chromiumEngine: Engine = {
  name: "Chromium",
  hasPreloadList: true,
  films: true,
  refusal: () => null,
  async command({ program, temporary, ...options }) {
    const userAgent = await userAgentOf(program);
    return {
      through: [],
      words: [program, ...chromiumArguments({ ...options, userAgent })],
      environment: chromiumEnvironment(options.profile, temporary, process.env),
    };
  },
  async start(options, signal): Promise<EngineBrowser> {
    const { connection, ...started } = await startBrowser(options, signal);
    /** By what the first visit is known when it ends. */
    const captures = new WeakMap<EnginePage, Capture>();
    const known = (watched: WatchedPage): EnginePage => {
      const { capture } = watched;
      const page: EnginePage = {
        ...watched,
        observed: (timings) => observedBy(capture, timings),
        underWay: (silent_ms) => underWayIn(capture, silent_ms),
      };
      captures.set(page, capture);
      return page;
    };
    return {
      ...started,
      version: async () => (await connection.send("Browser.getVersion")).product.replace(/^.*\//, ""),
      page: async (visit) => known(await watchPage(connection, visit)),
      sendInClear: () => sendInClear(connection),
      async nextVisit(first, { keepCache, rtt_ms }, visit) {
        const capture = captures.get(first);
        if (!capture) throw new Error("a page of another browser");
        first.detach();
        const tab = await betweenVisits({
          connection,
          firstTab: capture.mainFrame,
          origins: capture.requests.flatMap(({ sent }) => {
            const url = URL.parse(sent.request.url);
            return url && /^https?:$/.test(url.protocol) ? [url.origin] : [];
          }),
          keepCache,
          rtt_ms,
        });
        return known(await watchPage(connection, { ...visit, tab }));
      },
    };
  },
};
