// The optimal page load time: counted by hand for small graphs at 8 Mbit/s, a kB a ms, and 100 ms round trips.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesByLevel, optimalOfLoad_ms } from "../../../../cli/load/metrics/optimal_load.ts";
import { graph, page } from "./page_graph.ts";

const document = { url: page, type: "document", start_ms: 0, end_ms: 300, bytes: 10_000 };
const style = { url: `${page}style.css`, type: "stylesheet", start_ms: 300, end_ms: 400, bytes: 20_000 };
const font = { url: `${page}a.woff2`, type: "font", start_ms: 400, end_ms: 500, bytes: 30_000, by: style.url };

test("one response: name, handshake and request, and its bytes at the link's rate", () => {
  assert.equal(optimalOfLoad_ms(graph(400, [document])), 3 * 100 + 10);
});

test("what is found out later needs round trips more, and only the bytes from there on have to pass then", () => {
  const load = graph(600, [document, style, font]);
  assert.deepEqual(bytesByLevel(load), [10_000, 20_000, 30_000]);
  assert.equal(optimalOfLoad_ms(load), 5 * 100 + 30);
  // Where the first bytes are many, they hide the later round trips.
  const heavy = graph(2000, [{ ...document, bytes: 900_000 }, style, font]);
  assert.equal(optimalOfLoad_ms(heavy), 3 * 100 + 950);
});

test("what the load event did not wait for, or a cache gave, does not count", () => {
  const load = graph(600, [
    document,
    { ...style, cached: true },
    { ...font, end_ms: 700 },
    { url: `${page}log`, type: "xhr", start_ms: 300, end_ms: 400, how: "script" },
  ]);
  assert.deepEqual(bytesByLevel(load), [10_000]);
});

test("a page that fetches its own URL as data asks for nothing by that", () => {
  const data = { url: page, type: "fetch", start_ms: 311, end_ms: 800, how: "script" as const };
  const image = { url: `${page}a.jpg`, type: "image", start_ms: 312, end_ms: 425, bytes: 10_000 };
  const load = graph(430, [document, data, image]);
  assert.deepEqual(bytesByLevel(load), [10_000, 10_000]);
  assert.equal(optimalOfLoad_ms(load), 4 * 100 + 10);
});

test("what was asked for before its asker's response had begun did not wait for it", () => {
  // Early hints: the style sheet is on its way when the document's first byte comes.
  const hinted = { ...style, start_ms: 205, end_ms: 330, phases: { wait: 90 } };
  const load = graph(420, [
    { ...document, phases: { wait: 290 } },
    hinted,
    { ...font, start_ms: 207, end_ms: 340 },
    { ...font, url: `${page}b.woff2`, start_ms: 335, end_ms: 410 },
  ]);
  assert.deepEqual(bytesByLevel(load), [60_000, 30_000]);
});

test("a response whose size is not told counts no bytes", () => {
  const load = graph(430, [document, { ...style, bytes: -1 }]);
  assert.deepEqual(bytesByLevel(load), [10_000, 0]);
});

test("none where the link has no one rate, and for a repeat visit", () => {
  assert.equal(optimalOfLoad_ms(graph(400, [document], [], "unlimited/100ms")), null);
  assert.equal(optimalOfLoad_ms(graph(400, [document], [], "rate=8mbit:1mbit@10s,rtt=100ms")), null);
  const repeat = graph(400, [document]);
  Object.assign(repeat.log._trilane, {
    repeat: { first_plt_ms: 500, cache: "emptied", connections: 1, resumed: 1, early_data: 1 },
  });
  assert.equal(optimalOfLoad_ms(repeat), null);
});
