// Between the two loads of a repeat visit: every connection of the browser is closed, its names are forgotten and, unless
// asked otherwise, all that the first visit stored; what lets a connection resume (TLS tickets, QUIC's too) stays. Loads
// nothing.
//
// DevTools has no command for connections and names. Chromium's own page for them has.
import { setTimeout as delay } from "node:timers/promises";
import type { CDPSession, Connection } from "./browser.ts";

export interface BetweenVisits {
  readonly connection: Connection;
  /** The tab of the first visit. */
  readonly firstTab: string;
  /** Origins that the first visit asked, as https://host:port. */
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
    // Asked while one document gave way to the next.
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
export async function betweenVisits(between: BetweenVisits): Promise<string> {
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
