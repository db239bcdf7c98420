// The synthetic pages in a real browser, from a plain local server: every object is asked for once, pictures decode, and the
// load event waits for a data file.
// Wide: cli/recording/synth.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import puppeteer, { type Browser } from "puppeteer-core";
import { chromiumPath } from "../../cli/base/programs.ts";
import { pageSpec } from "../../cli/recording/synth/catalogue.ts";
import { synthPage } from "../../cli/recording/synth/page.ts";

let browser: Browser;
before(async () => {
  // The sandbox cannot be made by root outside a namespace of one's own; the pages are ours.
  browser = await puppeteer.launch({ executablePath: chromiumPath(), pipe: true, args: ["--no-sandbox"] });
});
after(() => browser?.close());

interface Seen {
  requested: string[];
  pictures: string[];
  load_ms: number;
  last_ms: number;
}

async function visit(name: string, dataDelay_ms: number): Promise<Seen> {
  const { exchanges } = synthPage(pageSpec(name));
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url ?? "");
    const found = exchanges.find(({ exchange }) => exchange.path === request.url);
    response.writeHead(found ? 200 : 404, Object.fromEntries(found?.exchange.response_headers ?? []));
    setTimeout(() => response.end(found?.body), request.url?.endsWith(".bin") ? dataDelay_ms : 0);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { waitUntil: "load" });
    const seen = await page.evaluate(`(async () => {
      const pictures = [...document.images];
      await Promise.all(pictures.map((picture) => picture.decode()));
      const ends = performance.getEntriesByType("resource").map((entry) => entry.responseEnd);
      return {
        pictures: pictures.map((picture) => picture.naturalWidth + "x" + picture.naturalHeight),
        load_ms: performance.getEntriesByType("navigation")[0].loadEventStart,
        last_ms: Math.max(0, ...ends),
      };
    })()`);
    await page.close();
    return { requested, ...(seen as Omit<Seen, "requested">) };
  } finally {
    server.close();
  }
}

for (const name of [
  "carlucci-small",
  "cse534-mixed",
  "cse534-count-16",
  "cse534-type-js",
  "cse534-type-css",
  "object-64B",
])
  test(`${name}: one request for each object, and every picture decodes`, async () => {
    const { exchanges } = synthPage(pageSpec(name));
    const { requested, pictures } = await visit(name, 0);
    assert.deepEqual(requested.toSorted(), exchanges.map(({ exchange }) => exchange.path).toSorted());
    assert.equal(pictures.length, exchanges.filter(({ exchange }) => exchange.path.endsWith(".jpg")).length);
    for (const picture of pictures) assert.match(picture, /^[1-9]\d*x[1-9]\d*$/);
  });

test("the load event waits until a data file has arrived", async () => {
  const { load_ms, last_ms } = await visit("cse534-type-data", 400);
  assert.ok(last_ms >= 400, `the file took ${last_ms} ms`);
  assert.ok(load_ms >= last_ms, `loaded after ${load_ms} ms, the file after ${last_ms} ms`);
});
