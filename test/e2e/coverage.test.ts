// Which loads count by what they ask for of their recording, and that lanes are alike where the browser upgrades a page by
// itself: through the real lab and the real browser.
// Wide: cli/load, native-host/replay.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainLanes } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import type { Lane, PageLoad } from "../../cli/load/load.ts";
import { isCoverageReason } from "../../cli/load/metrics/coverage.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Resource, recordSite, type Site } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-coverage-");

const page = "https://page.test/";
const images = (count: number): string[] => Array.from({ length: count }, (_, place) => `${page}${place}.svg`);

function image(url: string): Resource {
  return { url, type: "image/svg+xml", body: `<svg xmlns="http://www.w3.org/2000/svg"><!-- ${url} --></svg>` };
}

/** A page that asks for all of these, and for what `more` says beyond them. */
function withImages(urls: readonly string[], more: string, headers: Resource["headers"] = []): Resource[] {
  const body = `<!doctype html>${urls.map((url) => `<img src="${url}">`).join("")}${more}`;
  return [{ url: page, body, headers: headers ?? [] }, ...urls.map(image)];
}

async function load(recording: Site, lane: Lane, strict = false): Promise<PageLoad["log"]["_trilane"]> {
  const link = parseLink("unlimited");
  const { log } = await untimedLoad({ home, recording, lane, link, timeout_ms: 30_000, strict });
  return log._trilane;
}

const onlyCoverage = (reasons: readonly string[]): string[] => reasons.filter(isCoverageReason);

test("a page with holes is valid within the bounds, and strictly it is not", async () => {
  const urls = images(30);
  const policy = "img-src 'self'; report-uri /csp";
  const more = `<img src="https://forbidden.test/x.png"><script>navigator.sendBeacon("/beacon", "x")</script><script src="/missing.js"></script>`;
  const recording = await recordSite(home, "holes", withImages(urls, more, [["content-security-policy", `${policy}`]]));
  for (const lane of plainLanes) {
    const { status, reasons, coverage } = await load(recording, lane);
    assert.deepEqual([status, reasons], ["valid", []], lane);
    assert.deepEqual(coverage?.asked, coverage?.recorded);
    assert.equal(coverage?.recorded.requests, 31);
    assert.deepEqual(coverage?.beyond, { reports: 2, other: 1, failed: 0 }, lane);
  }
  const strict = await load(recording, "h2", true);
  assert.equal(strict.status, "invalid");
  assert.match(strict.reasons.join(), /requests not in the recording/);
});

test("a page that asks for too little of its recording, or for too much beyond it, is invalid with the numbers", async () => {
  const urls = images(30);
  const whole = withImages(urls, "");
  const [document = { url: page }] = withImages(urls.slice(0, 1), "");
  const little = await load(await recordSite(home, "little", [document, ...whole.slice(1)]), "h2");
  assert.equal(little.status, "invalid");
  assert.match(
    onlyCoverage(little.reasons).join(),
    /^covers too little of the recording: 2 of 31 requests \(6\.4 %, bound 95 %\)/,
  );
  const beyond = [1, 2, 3].map((number) => `<script src="/missing-${number}.js"></script>`).join("");
  const much = await load(await recordSite(home, "much", withImages(urls, beyond)), "h2");
  assert.equal(much.status, "invalid");
  assert.match(
    onlyCoverage(much.reasons).join(),
    /^asks for too much .*: 3 requests \(8\.9 %, bound 5 %\), the first: https:\/\/page\.test\/missing-1\.js$/,
  );
});

test("a small page may lack one image, its manifest and its service worker, but not one script", async () => {
  const urls = images(3);
  const own = `<link rel=manifest href="/app.webmanifest"><script>navigator.serviceWorker.register("/sw.js").catch(() => {})</script>`;
  const one = await load(await recordSite(home, "one", withImages(urls, `${own}<img src="/missing.png">`)), "h2");
  assert.deepEqual([one.status, onlyCoverage(one.reasons), one.coverage?.beyond.other], ["valid", [], 1]);
  const script = await load(
    await recordSite(home, "script", withImages(urls, `<script src="/missing.js"></script>`)),
    "h2",
  );
  assert.match(
    onlyCoverage(script.reasons).join(),
    /^asks for too much .*: 1 request \(20 %, bound 5 %\), the first: .*missing/,
  );
});

// Of the list that Chromium ships: no recording of ours decides what stands there.
const preloaded = "http://accounts.google.com";

test("a site that the browser upgrades by itself is loaded alike on all lanes", async () => {
  const start = `${preloaded}/`;
  const script = `${preloaded}/a.js`;
  const style = "http://cdn.test/a.css";
  const picture = `${preloaded}/a.svg`;
  const body = `<!doctype html><link rel=stylesheet href="${style}"><script src="${script}"></script><img src="${picture}">`;
  const recording = await recordSite(home, "preloaded", [
    { url: start, body },
    { url: script, type: "text/javascript", body: "document.title = 'x'" },
    { url: style, type: "text/css", body: "p { color: red }" },
    image(picture),
  ]);
  for (const lane of plainLanes) {
    const { status, reasons, coverage, replay } = await load(recording, lane);
    assert.deepEqual([status, reasons], ["valid", []], lane);
    assert.deepEqual(coverage?.asked, { ...coverage?.recorded }, lane);
    assert.equal(coverage?.asked.requests, 4);
    assert.equal((replay?.origins as { http?: string } | undefined)?.http, "upgraded", lane);
  }
});

test("another http:// site stays in clear on h1", async () => {
  const recording = await recordSite(home, "clear", [{ url: "http://plain.test/", body: "<!doctype html><p>x" }]);
  const { status, replay } = await load(recording, "h1");
  assert.equal(status, "valid");
  assert.equal((replay?.origins as { http?: string } | undefined)?.http, "clear");
});
