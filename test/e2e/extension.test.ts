// The extension in a real Chromium, in a lab that serves a recording: the toolbar button is pressed, the page profiled, and
// what was captured is what the command line captures of the same page over the same lane.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { plainLanes } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import { hostTimings } from "../../extension/capture/host_timings.ts";
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import { tempFolder } from "../temp_folder.ts";
import { profiled, requestFacts, startExtensionBrowser } from "./extension_browser.ts";
import { recordSite, type Site } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-extension-home-");
const link = "20mbit/20ms";
const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
let site: Site;

before(async () => {
  const shop = "https://www.shop.test";
  const script = { type: "text/javascript" };
  const images = Array.from({ length: 12 }, (_, i) => `/image-${i}.gif`);
  site = await recordSite(home, "shop", [
    { url: "https://shop.test/", status: 301, body: "", headers: [["location", `${shop}/`]] },
    {
      url: `${shop}/`,
      body: `<!doctype html><title>Shop</title><link rel=stylesheet href=/a.css><script src=/a.js></script>
        ${images.map((path) => `<img src=${path} alt="">`).join("")}
        <img src=https://cdn.test/b.gif alt=""><iframe src=https://frame.test/></iframe>`,
      headers: [["set-cookie", "session=s3cret; Path=/; HttpOnly"]],
    },
    { url: `${shop}/a.css`, body: "body { margin: 0 }", type: "text/css" },
    { url: `${shop}/a.js`, body: "fetch('/data.json'); new Worker('/worker.js')", ...script },
    { url: `${shop}/worker.js`, body: "fetch('/of-worker.json')", ...script },
    { url: `${shop}/data.json`, body: "{}", type: "application/json" },
    { url: `${shop}/of-worker.json`, body: "{}", type: "application/json" },
    ...images.map((path) => ({ url: shop + path, body: gif, type: "image/gif" })),
    { url: `${shop}/favicon.ico`, body: gif, type: "image/gif" },
    { url: "https://cdn.test/b.gif", body: gif, type: "image/gif" },
    { url: "https://frame.test/", body: "<!doctype html><img src=/inner.gif alt=''>" },
    { url: "https://frame.test/inner.gif", body: gif, type: "image/gif" },
  ]);
});

interface Uses {
  /** How many connections its requests came over. */
  readonly connections: number;
  /** How many of them were in use at one time, at most. */
  readonly at_once: number;
}

/** From when its first request was sent until its last answer had come. */
function span(entries: readonly HarEntry[]): { from_ms: number; to_ms: number } {
  const sent_ms = ({ timings, _trilane: { startOffset_ms } }: HarEntry): number =>
    [timings.blocked, timings.dns, timings.connect].reduce<number>(
      (sum, part) => sum + Math.max(0, part ?? 0),
      startOffset_ms,
    );
  return {
    from_ms: Math.min(...entries.map(sent_ms)),
    to_ms: Math.max(...entries.map(({ time, _trilane }) => _trilane.startOffset_ms + time)),
  };
}

/** How each host uses connections, without the browser's own numbers. */
function usesOf(entries: readonly HarEntry[]): Record<string, Uses> {
  const hosts = Map.groupBy(entries, ({ request }) => new URL(request.url).host);
  const uses = [...hosts].map(([host, own]) => {
    const spans = [...Map.groupBy(own, ({ _connectionId }) => _connectionId).values()].map(span);
    const atOnce = spans.map(
      ({ from_ms }) => spans.filter((other) => other.from_ms <= from_ms && other.to_ms > from_ms).length,
    );
    return [host, { connections: spans.length, at_once: Math.max(...atOnce) }] as const;
  });
  return Object.fromEntries(uses.toSorted(([a], [b]) => a.localeCompare(b)));
}

/** Of HTTP/1.1 a browser opens up to six to a host, and another one in the place of one that was closed. */
const mostAtOnce = 6;

// The browser asks for it when it likes, and not at a reload.
const ofPage = ({ request }: HarEntry): boolean => !request.url.endsWith("/favicon.ico");

for (const lane of plainLanes) {
  test(`${lane}: a profile has the requests, protocols and connections of the command line's load`, async () => {
    const extension = await startExtensionBrowser({ home, lab: { recording: site.name, lane, link } });
    try {
      const [page] = await extension.browser.pages();
      assert.ok(page);
      // The address that the recording begins with redirects; what is profiled is where the person is.
      await page.goto("https://www.shop.test/");
      const view = await extension.open("views/popup/popup.html");
      const profile = await profiled(view, page);
      const facts = profile.log._trilane;
      assert.deepEqual([facts.kind, facts.cache, facts.ended], ["reload", "off", "quiet"]);
      const load = await untimedLoad({
        home,
        recording: { ...site, url: "https://www.shop.test/" },
        lane,
        link: parseLink(link),
        timeout_ms: 30_000,
        settle_ms: 1500,
      });
      assert.deepEqual(load.log._trilane.status, "valid");
      const [mine, theirs] = [profile.log.entries.filter(ofPage), load.log.entries.filter(ofPage)];
      assert.deepEqual(requestFacts(mine), requestFacts(theirs));
      const [own, asLoaded] = [usesOf(mine), usesOf(theirs)];
      if (lane !== "h1") assert.deepEqual(own, asLoaded);
      else
        for (const uses of [own, asLoaded]) {
          assert.ok(
            Object.values(uses).every(({ at_once }) => at_once <= mostAtOnce),
            JSON.stringify(uses),
          );
          assert.ok((uses["www.shop.test"]?.at_once ?? 0) > 1, JSON.stringify(uses));
        }
      // However busy the machine is, each step takes its round trips.
      const timings = hostTimings(load.log.entries).find(({ host }) => host === "cdn.test");
      const { connect_ms = null, tls_ms = null, first_byte_ms = null } = timings ?? {};
      const trip_ms = 19.9;
      const told = JSON.stringify(timings);
      assert.ok(connect_ms !== null && connect_ms >= trip_ms, told);
      assert.ok(lane === "h3" ? tls_ms === null : tls_ms !== null && tls_ms >= trip_ms, told);
      assert.ok(first_byte_ms !== null && first_byte_ms >= connect_ms + (tls_ms ?? 0) + trip_ms, told);
      assert.equal(timings?.ip, "4");
      for (const metric of ["plt_ms", "ttfb_ms", "dcl_ms", "fcp_ms"] as const)
        assert.ok((facts.metrics[metric] ?? 0) > 0);
    } finally {
      await extension.close();
    }
  });
}
