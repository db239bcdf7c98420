// What a measured load says when things go wrong, and that nothing of it is left behind: through the real lab and the
// real browser. That loads take the time they should is tested in physics.test.ts.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { plainLanes } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import type { Lane, LoadRequest, PageLoad } from "../../cli/load/load.ts";
import { labFolders, labProcesses, type Process } from "../product.ts";
import { schemaErrors } from "../schemas/schema_errors.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Resource, recordSite, type Site } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-measure-");

const labs = (): Process[] => labProcesses(process.pid);
const folders = (): string[] => labFolders(process.pid);

afterEach(() => {
  assert.deepEqual(labs(), []);
  assert.deepEqual(folders(), []);
});

function site(name: string, resources: readonly Resource[], url?: string): Promise<Site> {
  return recordSite(home, name, resources, url);
}

/** A load, which is what its schema says however it went. */
async function load(recording: Site, lane: Lane, options: Partial<LoadRequest> = {}): Promise<PageLoad["log"]> {
  const link = parseLink("20mbit/20ms");
  const result = await untimedLoad({ home, recording, lane, link, timeout_ms: 20_000, ...options });
  assert.equal(schemaErrors("page-load", result), null);
  return result.log;
}

const page = "https://page.test/";
const slow = { link: parseLink("50kbit/100ms"), timeout_ms: 30_000 };
const large: Resource[] = [
  { url: page, body: "<!doctype html><meta charset=utf-8><script src=/large.js></script>" },
  { url: `${page}large.js`, type: "text/javascript", body: `//${"x".repeat(400_000)}` },
];

/** Kills the first process of the lab whose command line matches, once there is one and the page is on its way. */
async function killOnce(pattern: RegExp): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const matching = (of: RegExp) => labs().filter(({ commandLine }) => of.test(commandLine));
    if (matching(/ --type=renderer/).length === 0 || matching(pattern).length === 0) continue;
    await new Promise((resolve) => setTimeout(resolve, 500));
    // Looked for again: a page may have moved to another process than the window began with.
    for (const { pid } of matching(pattern)) {
      try {
        process.kill(pid, "SIGKILL");
      } catch (error) {
        // It ended with the one before.
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    }
    return;
  }
  assert.fail(`no process matches ${pattern}`);
}

for (const lane of plainLanes) {
  test(`${lane}: a page of three origins is loaded as recorded, and told whole`, async () => {
    const image = Uint8Array.from(Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"));
    const recording = await site("origins", [
      {
        url: page,
        body: `<!doctype html><h1>x</h1><img src=https://a.test/1.gif?v=1><iframe src=https://b.test/></iframe>`,
      },
      { url: "https://a.test/1.gif?v=1", type: "image/gif", body: image },
      { url: "https://b.test/", body: "<!doctype html><img src=/2.gif>" },
      { url: "https://b.test/2.gif", type: "image/gif", body: image },
    ]);
    const log = await load(recording, lane);
    const { status, reasons, counts, metrics, dns, environment, wall_ms } = log._trilane;
    assert.equal(status, "valid", reasons.join("; "));
    assert.deepEqual(
      { ...counts, bytes: 0, unused_connections: {} },
      {
        ...{ requests: 4, bytes: 0, connections: 3, unused_connections: {}, matched: 4 },
        ...{ fuzzy: 0, missed: 0, failed: 0, off_lane: 0 },
      },
    );
    assert.ok(
      metrics.plt_ms !== null && metrics.ttfb_ms !== null && metrics.fcp_ms !== null && metrics.lcp_ms !== null,
    );
    assert.ok(metrics.ttfb_ms < metrics.plt_ms && metrics.plt_ms < wall_ms);
    assert.equal(log.pages[0].pageTimings.onLoad, metrics.plt_ms);
    assert.deepEqual([...new Set(dns.map(({ name, answer }) => `${name} ${answer === "nxdomain"}`))].sort(), [
      "a.test false",
      "b.test false",
      "page.test false",
    ]);
    assert.match(environment.versions.chromium ?? "", /^\d+\./);
    assert.equal(environment.congestion_control.tcp, "cubic");
    assert.ok(!JSON.stringify(environment).includes(`trilane-load-${process.pid}-`));
  });
}

test("a request that the recording does not have spoils a load that is strict", async () => {
  const recording = await site("unmatched", [{ url: page, body: "<!doctype html><img src=/not-recorded.gif>" }]);
  const { status, reasons, counts } = (await load(recording, "h2", { strict: true }))._trilane;
  assert.equal(status, "invalid");
  assert.match(reasons.join("; "), /^1 of 2 requests not in the recording: https:\/\/page\.test\/not-recorded\.gif/);
  assert.equal(counts.missed, 1);
});

test("a host that the recording does not have is reached, and has nothing", async () => {
  const recording = await site("foreign", [
    { url: page, body: "<!doctype html><img src=https://elsewhere.test/a.gif>" },
  ]);
  const log = await load(recording, "h3", { strict: true });
  assert.equal(log._trilane.status, "invalid");
  assert.match(
    log._trilane.reasons.join("; "),
    /1 of 2 requests not in the recording: https:\/\/elsewhere\.test\/a\.gif/,
  );
});

test("a page that is not in the recording is no load of it", async () => {
  const recording = await site("elsewhere", [{ url: page, body: "x" }], "https://other.test/");
  const { status, reasons } = (await load(recording, "h2"))._trilane;
  assert.equal(status, "invalid");
  assert.match(reasons.join("; "), /1 of 1 requests not in the recording: https:\/\/other\.test\//);
});

test("a load that takes too long fails", async () => {
  const recording = await site("large", large);
  const log = await load(recording, "h1", { ...slow, timeout_ms: 5000 });
  assert.equal(log._trilane.status, "failed");
  assert.match(
    log._trilane.reasons.join("; "),
    /^the load event did not come within 5000 ms(; the machine held up the link: .*)?$/,
  );
  assert.ok(log.entries.length > 0, "what was seen until then is kept");
  const { plt_ms, ttfb_ms, lcp_ms } = log._trilane.metrics;
  assert.ok(ttfb_ms !== null && ttfb_ms >= slow.link.rtt_ms && ttfb_ms < 5000, `its first byte came: ${ttfb_ms} ms`);
  assert.deepEqual([plt_ms, lcp_ms], [null, null]);
  assert.ok(log._trilane.shaper !== null && log._trilane.replay !== null);
});

test("a page cannot set its own times", async () => {
  const lie = `
    const fake = { requestStart: 1, responseStart: 2, domContentLoadedEventEnd: 3, loadEventEnd: 4, activationStart: 0,
      startTime: 5, name: "first-contentful-paint" };
    const told = () => [fake];
    performance.mark("first-contentful-paint", { startTime: 6 });
    for (const target of [performance, Performance.prototype, PerformanceObserver.prototype,
      PerformanceObserverEntryList.prototype])
      for (const name of ["getEntries", "getEntriesByType", "getEntriesByName", "takeRecords"])
        Object.defineProperty(target, name, { value: told });
    for (const name of ["responseStart", "requestStart", "domContentLoadedEventEnd", "loadEventEnd"])
      Object.defineProperty(PerformanceNavigationTiming.prototype, name, { get: () => fake[name] });
    Object.defineProperty(window, "performance", { value: { getEntriesByType: told, getEntriesByName: told } });
    window.PerformanceObserver = class { observe() {} disconnect() {} takeRecords() { return told(); } };
    Object.prototype.loadEventEnd = 4;
    Array.prototype.at = () => fake;`;
  const recording = await site("lying", [
    { url: page, body: `<!doctype html><h1>x</h1><script>${lie}</script><script src=/late.js></script>` },
    { url: `${page}late.js`, type: "text/javascript", body: `//${"x".repeat(30_000)}` },
  ]);
  const { entries, _trilane } = await load(recording, "h2");
  const { status, reasons, metrics } = _trilane;
  assert.equal(status, "valid", reasons.join("; "));
  const { plt_ms, ttfb_ms, dcl_ms, fcp_ms, lcp_ms } = metrics;
  assert.ok(plt_ms !== null && ttfb_ms !== null && dcl_ms !== null && fcp_ms !== null && lcp_ms !== null);
  const scriptEnd_ms = Math.max(...entries.map((each) => each._trilane.startOffset_ms + each.time));
  assert.ok(plt_ms >= scriptEnd_ms - 1 && dcl_ms >= scriptEnd_ms - 1, `${plt_ms}, ${dcl_ms} after ${scriptEnd_ms} ms`);
  // Two round trips of 20 ms before the request, and its own.
  assert.ok(ttfb_ms > 50 && fcp_ms > ttfb_ms && lcp_ms >= fcp_ms, JSON.stringify(metrics));
});

test("a page that answers nothing after its load event fails", async () => {
  // Its main thread waits for what the link takes a minute for; a loop would take a CPU from whatever runs beside.
  const body = `<!doctype html><script>onload = () => setTimeout(() => {
    const request = new XMLHttpRequest();
    request.open("GET", "/large.js", false);
    request.send();
  })</script>`;
  const recording = await site("busy", [{ url: page, body }, ...large.slice(1)]);
  const { status, reasons } = (await load(recording, "h2", slow))._trilane;
  assert.equal(status, "failed");
  assert.match(reasons.join("; "), /did not answer/);
});

test("a page that goes elsewhere by itself is invalid", async () => {
  const body = "<!doctype html><script>onload = () => { location = '/next' }</script>";
  const recording = await site("leaving", [
    { url: page, body },
    { url: `${page}next`, body: "<!doctype html>next" },
  ]);
  const { status, reasons } = (await load(recording, "h2", { settle_ms: 500 }))._trilane;
  assert.equal(status, "invalid");
  assert.match(reasons.join("; "), /replaced itself by https:\/\/page\.test\/next/);
});

for (const [what, pattern, reason] of [
  ["page's process", / --type=renderer/, /the page's process ended/],
  ["browser", /^\S*chrom\S* --headless=new --remote-debugging-pipe/, /the browser ended during the load/],
  ["shaper", /^\S*trilane-shaper /, /the browser ended during the load/],
  ["replay", /^\S*trilane-replay /, /trilane-replay was killed during the load \(SIGKILL\)/],
] as const) {
  test(`a load whose ${what} is killed fails and leaves nothing`, async () => {
    const recording = await site("large", large);
    const [log] = await Promise.all([load(recording, "h2", slow), killOnce(pattern)]);
    assert.equal(log._trilane.status, "failed");
    assert.match(log._trilane.reasons.join("; "), reason);
  });
}

test("aborted at any moment a load leaves nothing", async () => {
  const recording = await site("large", large);
  const reason = new Error("enough");
  for (const after_ms of [0, 10, 30, 60, 120, 180, 250, 350, 500, 800, 1200]) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), after_ms);
    await assert.rejects(load(recording, "h3", { ...slow, signal: controller.signal }), reason);
    assert.deepEqual(labs(), [], `after ${after_ms} ms`);
    assert.deepEqual(folders(), [], `after ${after_ms} ms`);
  }
});

test("a recording that does not exist is the user's error", async () => {
  await site("large", large);
  await assert.rejects(load({ name: "nothing", digest: "", url: page }, "h2"), /^UserError: .*nothing/);
});

test("a recording that was replaced since the load was planned is no load of it", async () => {
  const planned = await site("replaced", [{ url: page, body: "<!doctype html>small" }]);
  await site("replaced", [{ url: page, body: `<!doctype html><p>${"x".repeat(50_000)}` }]);
  await assert.rejects(load(planned, "h2"), /^RunError: recording replaced was replaced while it was measured/);
});
