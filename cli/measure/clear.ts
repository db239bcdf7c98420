// The lane without TLS: a page's requests for https:// go to http:// on the way out of the browser, and the page does not
// see it: its origins, its secure context and its cookies stay those of https. No body is changed.
//
// Every request is held in the browser until it was handed on from here, one after another: some ms where a page asks for
// many at once. No other lane has that. The origins do not listen on 443 in this lane, so that Chromium's early connections to it are refused at once.
import type { Connection } from "./browser.ts";

/** Where a request for `url` goes in clear: default port to default port, any other stays. */
export function clearUrl(url: string): string {
  return url.replace(/^https:/i, "http:");
}

/** From now on, in all pages, frames and workers of the browser. */
export async function sendInClear(connection: Connection): Promise<void> {
  connection.on("Fetch.requestPaused", ({ requestId, request }) => {
    // A request whose page went meanwhile is gone.
    connection.send("Fetch.continueRequest", { requestId, url: clearUrl(request.url) }).catch(() => {});
  });
  await connection.send("Fetch.enable", { patterns: [{ urlPattern: "https://*" }] });
}
