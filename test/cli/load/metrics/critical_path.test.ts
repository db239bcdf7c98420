// The split of the page load time, over graphs written by hand whose critical path is plain to see.
import assert from "node:assert/strict";
import { test } from "node:test";
import { criticalPath } from "../../../../cli/load/metrics/critical_path.ts";
import type { PageLoad } from "../../../../schemas/generated/page_load.ts";
import { graph, page } from "./page_graph.ts";

/** As `from-to activity file`, the parts of one request joined. */
function told(load: PageLoad): string[] {
  const path = criticalPath(load);
  assert.ok(path);
  const plt_ms = load.log._trilane.metrics.plt_ms ?? 0;
  assert.ok(Math.abs(path.network_ms + path.computation_ms - plt_ms) < 1e-6, "the parts are the whole");
  let at_ms = 0;
  const lines: { from: number; to: number; what: string }[] = [];
  for (const { from_ms, to_ms, activity, url } of path.segments) {
    assert.ok(Math.abs(from_ms - at_ms) < 1e-6 && to_ms > from_ms, "no gaps");
    at_ms = to_ms;
    const what = activity === "computation" ? "computation" : (url?.replace(page, "/") ?? "");
    const last = lines.at(-1);
    if (last?.what === what) last.to = to_ms;
    else lines.push({ from: from_ms, to: to_ms, what });
  }
  assert.ok(Math.abs(at_ms - plt_ms) < 1e-6, "to the end");
  return lines.map(({ from, to, what }) => `${from}-${to} ${what}`);
}

const html = { url: page, type: "document", start_ms: 5, end_ms: 105 };

test("a page that computes after its last response is computation from there on", () => {
  const load = graph(1000, [html, { url: `${page}app.js`, type: "script", start_ms: 110, end_ms: 210 }]);
  assert.deepEqual(told(load), [
    "0-5 computation",
    "5-105 /",
    "105-110 computation",
    "110-210 /app.js",
    "210-1000 computation",
  ]);
  assert.deepEqual(criticalPath(load)?.network_ms, 200);
});

test("of parallel requests the last to end is on the path, by what asked for it", () => {
  const load = graph(905, [
    html,
    { url: `${page}style.css`, type: "stylesheet", start_ms: 60, end_ms: 200 },
    { url: `${page}hero.jpg`, type: "image", start_ms: 60, end_ms: 700 },
    { url: `${page}font.woff2`, type: "font", start_ms: 250, end_ms: 900, by: `${page}style.css` },
    { url: `${page}beacon`, type: "ping", start_ms: 300, end_ms: 904, how: "script" },
  ]);
  assert.deepEqual(told(load), [
    "0-5 computation",
    "5-60 /",
    "60-200 /style.css",
    "200-250 computation",
    "250-900 /font.woff2",
    "900-905 computation",
  ]);
});

test("what a script asked for waited for the script, and for answers to scripts", () => {
  const load = graph(600, [
    html,
    { url: `${page}app.js`, type: "script", start_ms: 105, end_ms: 205 },
    { url: `${page}data`, type: "fetch", start_ms: 215, end_ms: 315, by: `${page}app.js`, how: "script" },
    { url: `${page}late.jpg`, type: "image", start_ms: 320, end_ms: 595, by: `${page}app.js`, how: "script" },
  ]);
  assert.deepEqual(told(load), [
    "0-5 computation",
    "5-105 /",
    "105-205 /app.js",
    "205-215 computation",
    "215-315 /data",
    "315-320 computation",
    "320-595 /late.jpg",
    "595-600 computation",
  ]);
});

test("a long task that ended after the response it overlapped is computation", () => {
  const requests = [
    html,
    { url: `${page}app.js`, type: "script", start_ms: 105, end_ms: 205 },
    { url: `${page}hero.jpg`, type: "image", start_ms: 105, end_ms: 650 },
  ];
  assert.deepEqual(told(graph(720, requests, [[210, 710]])), [
    "0-5 computation",
    "5-105 /",
    "105-205 /app.js",
    "205-720 computation",
  ]);
  // The same page without the task waits for the image.
  assert.deepEqual(told(graph(720, requests)).slice(2), ["105-650 /hero.jpg", "650-720 computation"]);
});

test("a request that a long task made waited for the task, not for what arrived meanwhile", () => {
  const load = graph(
    900,
    [
      html,
      { url: `${page}app.js`, type: "script", start_ms: 105, end_ms: 205 },
      { url: `${page}other.js`, type: "script", start_ms: 105, end_ms: 500 },
      { url: `${page}late.jpg`, type: "image", start_ms: 610, end_ms: 900, by: `${page}app.js`, how: "script" },
    ],
    [[210, 612]],
  );
  assert.deepEqual(told(load).slice(2), ["105-205 /app.js", "205-610 computation", "610-900 /late.jpg"]);
});

test("what was still being received when a task began was waited for up to there", () => {
  // A document that streams, and a script in it that runs when nearly all is there.
  const streamed = graph(5110, [{ ...html, end_ms: 5000, phases: { wait: 95 } }], [[4800, 5100]]);
  assert.deepEqual(told(streamed), ["0-5 computation", "5-4800 /", "4800-5110 computation"]);
  assert.equal(criticalPath(streamed)?.network_ms, 4795);
  // An image that the load event waits for, and a task in its last moments.
  const picture = graph(
    3000,
    [html, { url: `${page}big.jpg`, type: "image", start_ms: 100, end_ms: 2900 }],
    [[2860, 2920]],
  );
  assert.deepEqual(told(picture).slice(1), ["5-100 /", "100-2860 /big.jpg", "2860-3000 computation"]);
  // A stylesheet that holds a script up, whose task begins before the last of it.
  const held = graph(
    1200,
    [
      html,
      { url: `${page}style.css`, type: "stylesheet", start_ms: 105, end_ms: 800 },
      { url: `${page}late.jpg`, type: "image", start_ms: 820, end_ms: 1200, how: "script" },
    ],
    [[700, 818]],
  );
  assert.deepEqual(told(held).slice(2), ["105-700 /style.css", "700-820 computation", "820-1200 /late.jpg"]);
});

test("a task is what arrived just before it, not what happened to be under way", () => {
  const load = graph(
    720,
    [
      html,
      { url: `${page}app.js`, type: "script", start_ms: 140, end_ms: 205 },
      { url: `${page}hero.jpg`, type: "image", start_ms: 60, end_ms: 650 },
    ],
    [[240, 710]],
  );
  assert.deepEqual(told(load).slice(1), ["5-105 /", "105-140 computation", "140-205 /app.js", "205-720 computation"]);
});

test("the document is never waited for by computing: a task from before it, and an end just after the load event", () => {
  assert.deepEqual(told(graph(120, [{ ...html, phases: { wait: 60 } }], [[1, 110]])), [
    "0-5 computation",
    "5-65 /",
    "65-120 computation",
  ]);
  assert.deepEqual(told(graph(104, [html])), ["0-5 computation", "5-104 /"]);
});

test("redirects follow each other", () => {
  const load = graph(330, [
    { ...html, url: "https://shop.example/old", requestId: "R", redirectedTo: page },
    { url: page, type: "document", start_ms: 110, end_ms: 310, requestId: "R" },
  ]);
  assert.deepEqual(told(load), [
    "0-5 computation",
    "5-105 /old",
    "105-110 computation",
    "110-310 /",
    "310-330 computation",
  ]);
});

test("what waits in the cache for another request's answer waits for the network", () => {
  const url = `${page}app.js`;
  const load = graph(200, [
    html,
    { url, type: "script", start_ms: 110, end_ms: 150, phases: { wait: 40 } },
    { url, type: "script", start_ms: 120, end_ms: 150, phases: { wait: 30 }, cached: "shared" },
  ]);
  assert.equal(criticalPath(load)?.computation_ms, 70, "until it was asked for, and after it");
});

test("a request's time is told by its phases, and a cache is no network", () => {
  const phases = { blocked: 3, _blocked_queueing: 1, dns: 10, connect: 40, ssl: 20, send: 1, wait: 26 };
  const load = graph(200, [
    { ...html, phases },
    { url: `${page}app.js`, type: "script", start_ms: 110, end_ms: 150, cached: true },
  ]);
  const segments = criticalPath(load)?.segments ?? [];
  assert.deepEqual(
    segments.filter(({ url }) => url !== null).map(({ activity, from_ms, to_ms }) => [activity, to_ms - from_ms]),
    [
      ["queueing", 1],
      ["blocked", 2],
      ["dns", 10],
      ["connect", 20],
      ["tls", 20],
      ["send", 1],
      ["wait", 26],
      ["receive", 20],
    ],
  );
  assert.equal(criticalPath(load)?.computation_ms, 100);
});

test("a last byte just after the load event is on the path, whatever ended long before", () => {
  const streamed = (end_ms: number) =>
    graph(1000, [
      { ...html, end_ms },
      { url: `${page}hero.jpg`, type: "image", start_ms: 100, end_ms: 300 },
    ]);
  assert.deepEqual(told(streamed(1000.5)), ["0-5 computation", "5-1000 /"]);
  // So much later the load event did not wait for it.
  assert.equal(told(streamed(1400)).at(-1), "300-1000 computation");
});

test("a load without an end or without requests has none; one that asks in a circle comes to its end", () => {
  assert.equal(criticalPath(graph(100, [])), null);
  const failed = graph(100, [html]);
  failed.log._trilane.metrics.plt_ms = null;
  assert.equal(criticalPath(failed), null);
  const circle = graph(500, [
    html,
    { url: `${page}a.js`, type: "script", start_ms: 110, end_ms: 480, by: `${page}b.js`, how: "script" },
    { url: `${page}b.js`, type: "script", start_ms: 110, end_ms: 490, by: `${page}a.js`, how: "script" },
  ]);
  assert.equal(told(circle).at(-1), "490-500 computation");
});
