// Chromium as an engine of measured loads: what browser.ts, chromium.ts, page.ts and repeat_visit.ts do for it.
import { waitedFor } from "../../extension/capture/at_rest.ts";
import { entriesOf, navigationRequest, navigationStart_s } from "../../extension/capture/entries.ts";
import type { PageTimings } from "../../extension/capture/metrics.ts";
import type { Capture } from "../../extension/capture/requests.ts";
import { startBrowser } from "./browser.ts";
import { chromiumArguments, chromiumEnvironment } from "./chromium.ts";
import { sendInClear } from "./clear.ts";
import type { Engine, EngineBrowser, EnginePage, Observed, UnderWay } from "./engine.ts";
import { type WatchedPage, watchPage } from "./page.ts";
import { betweenVisits } from "./repeat_visit.ts";
import { userAgentOf } from "./user_agent.ts";

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
