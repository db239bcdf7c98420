// The extension in a real Firefox: a page of a lab is profiled with the protocol of each request, shown, and exported as HAR; a page that cannot
// be profiled is refused in a line. Skipped where no Firefox is installed (apt install firefox-esr).
// Wide: extension.
// Beside others: nothing here goes by time.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lane } from "../../cli/base/lanes.ts";
import { publicHarSchema } from "../cli/results/export/har_schema.ts";
import { schemaErrors } from "../schemas/schema_errors.ts";
import { tempFolder } from "../temp_folder.ts";
import { until } from "./extension_browser.ts";
import {
  type ExtensionFirefox,
  type FirefoxTab,
  firefoxUrl,
  noFirefox,
  profileIn,
  startExtensionFirefox,
  stateIn,
  tabIdOf,
} from "./extension_firefox.ts";
import { recordSite } from "./site.ts";

const skip = noFirefox();
const home = tempFolder("trilane-extension-firefox-");

const image = Uint8Array.from(Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"));
const page = "https://page.test/";
/** Two origins, a frame, a redirect, and what a style sheet and a script request. */
const site = recordSite(home, "page", [
  {
    url: page,
    body:
      "<!doctype html><title>Page</title><link rel=stylesheet href=/s.css><h1>x</h1><img src=/moved.gif>" +
      "<iframe src=https://b.test/></iframe><script>fetch('/d.json?token=s3cret')</script>",
  },
  { url: `${page}s.css`, type: "text/css", body: "h1 { background: url(/3.gif) }" },
  { url: `${page}3.gif`, type: "image/gif", body: image },
  { url: `${page}moved.gif`, status: 302, headers: [["location", "https://b.test/1.gif"]], body: "" },
  { url: `${page}d.json?token=s3cret`, type: "application/json", body: "{}" },
  { url: "https://b.test/", body: "<!doctype html><img src=/4.gif>" },
  { url: "https://b.test/1.gif", type: "image/gif", body: image },
  { url: "https://b.test/4.gif", type: "image/gif", body: image },
]);
const paths = ["/", "/3.gif", "/d.json", "/moved.gif", "/s.css", "/", "/1.gif", "/4.gif"];

async function profiled(firefox: ExtensionFirefox, view: FirefoxTab, tabId: number) {
  const { profile } = await firefox.ask(view, { do: "profile", tabId, cache: "off", keepBodies: false });
  const last = await until("the profile", async () => {
    const state = await stateIn(view);
    return state.profiling === null ? state.last : null;
  });
  assert.deepEqual(last, { tabId, profile, error: null });
  const found = await profileIn(view, profile);
  assert.ok(found, "it is in the history");
  return found.log;
}

/** What the button of the result page saves. */
async function exported(view: FirefoxTab, as: string): Promise<string> {
  await view.evaluate((kind) => {
    const scope = globalThis as typeof globalThis & { saved?: Promise<string> };
    URL.createObjectURL = (blob: Blob) => {
      scope.saved = blob.text();
      return "#";
    };
    document.querySelector<HTMLElement>(`.exports [data-as=${kind}]`)?.click();
  }, as);
  return await until(`the ${as}`, () =>
    view.evaluate(() => (globalThis as typeof globalThis & { saved?: Promise<string> }).saved ?? null),
  );
}

const withFirefox = (lane: Lane, work: (firefox: ExtensionFirefox, view: FirefoxTab) => Promise<void>) => async () => {
  const { name } = await site;
  const lab = { recording: name, lane, link: "10mbit/20ms", hosts: ["page.test", "b.test"] };
  const firefox = await startExtensionFirefox({ home, lab });
  try {
    await work(firefox, await firefox.open(`${firefoxUrl}views/result/result.html`));
  } finally {
    await firefox.close();
  }
};

test(
  "h3: each request with its protocol, TLS, headers and phases; shown, and exported without secrets",
  { skip },
  withFirefox("h3", async (firefox, view) => {
    const tab = await firefox.open(page);
    const { entries, browser, _trilane: facts } = await profiled(firefox, view, await tabIdOf(view, page));
    assert.equal(schemaErrors("profile", { log: (await profileIn(view, facts.id))?.log }), null);
    assert.equal(browser.name, "Firefox");
    assert.deepEqual(entries.map(({ request }) => new URL(request.url).pathname).sort(), paths.toSorted());
    for (const { request, response, _protocol, timings, _trilane } of entries) {
      assert.equal(_protocol, "h3", request.url);
      assert.equal(response.status, request.url.endsWith("/moved.gif") ? 302 : 200, request.url);
      assert.equal(response._securityDetails?.protocol, "TLS 1.3", request.url);
      assert.ok(request.headers.length > 0 && response.headers.length > 0, request.url);
      assert.ok(timings.wait >= 15, `${request.url} waited ${timings.wait} ms over a link of 20 ms`);
      assert.ok(_trilane.complete, request.url);
    }
    const ofSheet = entries.find(({ request }) => request.url.endsWith("/3.gif"));
    assert.equal(ofSheet?._initiator.url, `${page}s.css`);
    assert.ok(entries[0] && entries[0].timings.connect > 15, "the first request opened the connection");
    assert.ok((facts.metrics.plt_ms ?? 0) > 60, `PLT ${facts.metrics.plt_ms}`);
    assert.match(`${facts.metrics.unavailable.cls}`, /does not report layout shifts/);
    assert.match(facts.notes.map(({ text }) => text).join(" "), /^Firefox does not report connections/);
    assert.doesNotMatch(facts.notes.map(({ text }) => text).join(" "), /different protocols/);
    await tab.close();
    await view.goto(`${firefoxUrl}views/result/result.html?profile=${facts.id}`);
    // What is hidden draws nothing.
    await firefox.bidi.send("browsingContext.activate", { context: view.context });
    const words = await until("the result page", async () => {
      const text = await view.evaluate(() => document.body.textContent ?? "");
      return text.includes("Requests") && text.includes("d.json") ? text : null;
    });
    assert.match(words, /8 requests, .* all over h3/);
    const har: unknown = JSON.parse(await exported(view, "har"));
    const isHar = publicHarSchema();
    assert.ok(isHar(har), JSON.stringify(isHar.errors));
    const text = JSON.stringify(har);
    assert.ok(text.includes('"_protocol":"h3"') && !text.includes("s3cret"));
    assert.equal((await exported(view, "csv")).trim().split("\n").length, 1 + paths.length);
  }),
);

test(
  "h2: a second profile has its own requests; the browser's own pages are refused in a line",
  { skip },
  withFirefox("h2", async (firefox, view) => {
    await firefox.open(page);
    const tabId = await tabIdOf(view, page);
    for (let time = 0; time < 2; time++) {
      const { entries } = await profiled(firefox, view, tabId);
      assert.deepEqual([entries.length, new Set(entries.map(({ _protocol }) => _protocol))], [8, new Set(["h2"])]);
    }
    const own = await firefox.open("about:blank");
    const ownTab = await view.evaluate(
      async () => (await chrome.tabs.query({})).find(({ url }) => url === "about:blank" || url === undefined)?.id ?? 0,
    );
    await assert.rejects(
      firefox.ask(view, { do: "profile", tabId: ownTab, cache: "off", keepBodies: false }),
      /page-not-allowed.*requests of web sites only/,
    );
    await own.close();
  }),
);
