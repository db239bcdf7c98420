// The lane without TLS: a page's requests for https://HOST go to http://HOST.clear.test on the way out of the browser, and
// the page does not see it: its origins, its secure context and its policies stay those of https. No body is changed. The
// other host, which trilane-replay --clear serves, is for sites that browsers know to speak TLS only (HSTS).
//
// What no other lane has: every request is held in the browser until it was handed on from here, which its main thread
// takes part in (measured on two cores: some 10 ms for the page's own request, up to 20 ms for what it names first, while
// that thread still shows the page), and no connection is opened early: neither the second one that Chromium opens to the
// page's host on every navigation, worth one round trip to who uses it, nor those of <link rel=preconnect>, worth two.
// Cookies that a response sets are kept for the other host: none are sent that a script of the page set.
import { isIP } from "node:net";
import type { Connection } from "./browser.ts";
import { addressRule } from "./stand_ins.ts";

// As native-host/replay/origins/in_clear.c has them.
const suffix = ".clear.test";
const nameMax_bytes = 253;

/**
 * For Chromium's --host-resolver-rules: the names of https:// origins are not found, and the link sees nothing of it.
 * Otherwise Chromium looks them up for its early connections, twice as the DNS has no such name, before and beside the
 * names that the requests go to. Hosts that are kept are left alone: addresses, for which a name that ends in a digit is
 * taken too, and names too long for another. If an address needs a stand-in (stand_ins.ts), which what is left alone cannot have,
 * each of the recording's is named instead.
 */
export function clearHostRules(hosts: ReadonlyMap<string, string>): string[] {
  const literals = [...hosts].filter(([host]) => isIP(host) !== 0);
  const needsStandIns = literals.some(([host, address]) => host !== address);
  const kept = needsStandIns ? [] : ["*:*", ...Array.from("0123456789", (digit) => `*${digit}`)];
  return [
    ...(needsStandIns ? literals.map(addressRule) : []),
    // In these patterns ? is one character or none.
    `MAP ${"?".repeat(nameMax_bytes - suffix.length)} ^NOTFOUND`,
    ...[`*${suffix}`, ...kept].map((pattern) => `EXCLUDE ${pattern}`),
  ];
}

function clearHost(host: string): string {
  const keeps = isIP(host.replace(/^\[|\]$/g, "")) !== 0 || host.length + suffix.length > nameMax_bytes;
  return keeps ? host : host + suffix;
}

/** Where a request for `url` goes in clear: default port to default port, any other stays. */
export function clearUrl(url: string): string {
  return url.replace(/^https:\/\/(\[[^\]/]*\]|[^/:?#]*)/i, (_, host: string) => `http://${clearHost(host)}`);
}

/** From now on, in all pages, frames and workers of the browser. */
export async function sendInClear(connection: Connection): Promise<void> {
  connection.on("Fetch.requestPaused", ({ requestId, request }) => {
    // A request whose page went meanwhile is gone.
    connection.send("Fetch.continueRequest", { requestId, url: clearUrl(request.url) }).catch(() => {});
  });
  await connection.send("Fetch.enable", { patterns: [{ urlPattern: "https://*" }] });
}
