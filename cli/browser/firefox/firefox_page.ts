// The one page of a measured load in Firefox: follows its navigation, keeps what BiDi reports of its network, asks it for its times. Judges
// nothing. What it asks is evaluated in a sandbox: it shares the page's document and timeline, but no object that the page can reach.
import { withStyleSheets } from "../../../extension/capture/messages.ts";
import type { PageTimings } from "../../../extension/capture/web_vitals.ts";
import type { EnginePage, Observed, UnderWay, VisitOptions } from "../engine.ts";
import { NavigationError } from "../page.ts";
import type { Bidi, Params } from "./bidi.ts";
import { type BidiRequest, type Clock, entryOf, type NetworkEvent, NetworkLog } from "./bidi_entries.ts";

const sandbox = "trilane";

/** What is added to the wall clock's ms for CLOCK_MONOTONIC's, exact to some µs: read when the wall clock's millisecond begins. */
function monotonicMinusWall_ms(): number {
  const before = Date.now();
  let now = before;
  while (now === before) now = Date.now();
  return Number(process.hrtime.bigint()) / 1e6 - now;
}

/** These last as long as the page does. */
const isEndless = ({ event: { request } }: BidiRequest): boolean =>
  request.destination === "eventsource" || request.initiatorType === "beacon" || /^wss?:/i.test(request.url);

/** When the navigation began, on the wall clock: as navigationStart_s of extension/capture/entries.ts finds it. */
function navigationOf(requests: readonly BidiRequest[], main: string, timings: PageTimings | null): number | null {
  const of = requests.filter(({ event }) => event.context === main && event.navigation !== null);
  const [first] = of;
  if (!first) return null;
  const last = of.findLast(({ event }) => event.request.request === first.event.request.request) ?? first;
  const sent_ms = last.event.request.timings.requestStart;
  if (sent_ms > 0 && timings && timings.requestStart > 0) return sent_ms - timings.requestStart;
  return first.event.request.timings.requestTime;
}

/** JSON, as BiDi's own form of values would have to be read back; infinity is no value, as in DevTools. */
const answering = (expression: string): string => `(async () => {
  const value = await (${expression.trim().replace(/;$/, "")});
  return typeof value === "number" && !Number.isFinite(value) ? undefined : JSON.stringify(value);
})()`;

export interface FirefoxPage extends EnginePage {
  readonly context: string;
}

/** Of a tab that shows the empty page. */
export async function firefoxPage(bidi: Bidi, context: string, { firstScript }: VisitOptions): Promise<FirefoxPage> {
  const log = new NetworkLog();
  const documents: string[] = [];
  const crash = Promise.withResolvers<never>();
  crash.promise.catch(() => {});
  const loaded = Promise.withResolvers<void>();
  loaded.promise.catch(() => {});
  let left = false;
  let changes = 0;
  const take = (event: Params): void => {
    const { method } = event as { method: string };
    if (method.startsWith("network.")) {
      changes++;
      log.take(event as unknown as NetworkEvent);
      return;
    }
    if (event.context !== context) return;
    const url = String(event.url);
    if (method === "browsingContext.navigationCommitted" && url !== "about:blank") documents.push(url);
    else if (method === "browsingContext.load" && documents.length > 0) loaded.resolve();
    else if (method === "browsingContext.navigationFailed" && documents.length === 0)
      loaded.reject(new NavigationError(`the page did not load: ${String(event.message ?? "the navigation failed")}`));
    else if (method === "browsingContext.contextDestroyed") crash.reject(new NavigationError("the page closed itself"));
  };
  bidi.listen((event) => {
    if (!left) take(event);
  });
  if (firstScript !== undefined && firstScript !== "")
    await bidi.send("script.addPreloadScript", { functionDeclaration: `() => { ${firstScript} }` });
  const clock_ms = monotonicMinusWall_ms();

  const load = async (url: string): Promise<void> => {
    await bidi.send("browsingContext.navigate", { context, url, wait: "none" });
    await loaded.promise;
  };
  const evaluate = async (expression: string): Promise<unknown> => {
    const { type, result } = await bidi
      .send("script.evaluate", {
        expression: answering(expression),
        target: { context, sandbox },
        awaitPromise: true,
      })
      .catch((error: unknown): never => {
        throw new NavigationError(`the page could not be asked: ${String(error)}`);
      });
    if (type !== "success") throw new NavigationError("the page could not be asked: it threw an error");
    const { value } = (result ?? {}) as { value?: unknown };
    return typeof value === "string" ? (JSON.parse(value) as unknown) : undefined;
  };
  const observed = (timings: PageTimings | null): Observed => {
    const { requests } = log;
    const navigation_ms = navigationOf(requests, context, timings);
    if (navigation_ms === null) return { navigation_s: null, began: null, entries: [], documents };
    const clock: Clock = {
      monotonicMinusWall_ms: clock_ms,
      navigation_ms: navigation_ms + clock_ms,
    };
    const documentUrl = documents[0] ?? requests[0]?.event.request.url ?? "";
    return {
      navigation_s: clock.navigation_ms / 1000,
      began: new Date(navigation_ms),
      entries: withStyleSheets(requests.map((each) => entryOf(each, clock, context, documentUrl))).sort(
        (a, b) => a._trilane.start_ns - b._trilane.start_ns,
      ),
      documents,
    };
  };
  const underWay = (): UnderWay => ({
    state: `${changes}`,
    waitedFor: log.requests.filter((each) => each.how === "under way" && !isEndless(each)).length,
  });
  return {
    context,
    crashed: crash.promise,
    load,
    evaluate,
    observed,
    underWay,
    // The engine refuses both before a lab begins.
    videos: async () => ({ main: null, children: [], silent: 0, beyond: 0 }),
    film: () => Promise.reject(new NavigationError("Firefox films no page")),
    detach() {
      left = true;
    },
  };
}
