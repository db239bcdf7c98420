// The lane without TLS: a page's requests for https://HOST go to http://HOST.clear.test on the way out of the browser, and
// the page does not see it: its origins, its secure context and its policies stay those of https. No body is changed. The
// other host, which trilane-replay --clear serves, is for sites that browsers know to be asked over TLS only (HSTS).
//
// Every request is held in the browser until it was handed on from here, one after another: some ms where a page asks for
// many at once. No other lane has that. Cookies that a response sets are kept for the other host: none are sent that a
// script of the page set. Chromium's early connections to the page's own host find no such name.
import { isIP } from "node:net";
import type { Connection } from "./browser.ts";

// As native-host/replay/in_clear.c has them.
const suffix = ".clear.test";
const nameMax_bytes = 253;

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
