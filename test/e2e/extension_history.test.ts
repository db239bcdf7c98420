// The extension's history as earlier versions kept it, in a real Chromium: upgraded after a copy, read, and gone on with; a newer
// one is refused in a line. The modules run in a page, where IndexedDB is what it is in the extension.
// Wide: extension.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { build } from "esbuild";
import { type Browser, launch, type Page } from "puppeteer-core";
import { chromiumPath } from "../../cli/base/programs.ts";

let server: Server;
let browser: Browser;
let page: Page;

async function bundle(): Promise<string> {
  const folder = join(import.meta.dirname, "..", "..", "extension");
  const contents = `import * as kept from "./history/history.ts"; import { failureOf } from "./background/failure.ts";
    import { upgrades } from "./history/database.ts";
    Object.assign(globalThis, { kept, failureOf, present: upgrades.length });`;
  const stdin = { contents, resolveDir: folder, loader: "ts" as const };
  const { outputFiles } = await build({ stdin, bundle: true, write: false, format: "iife" });
  return outputFiles[0]?.text ?? "";
}

/** Makes a database as version 1 did. */
const makeFirst = `async (name, version) => {
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const opening = indexedDB.open(name, version);
  opening.onupgradeneeded = () => {
    for (const store of ["profile-rows", "profiles", "race-rows", "race-results"]) opening.result.createObjectStore(store);
  };
  const database = await done(opening);
  const put = (store, id, value) => done(database.transaction(store, "readwrite").objectStore(store).put(value, id));
  for (let number = 1; number <= 45; number++) {
    const id = "p" + String(number).padStart(2, "0"), url = "https://me:secret@shop.test/" + number;
    const row = { id, url, title: "Shop", started: "2026-01-01T00:00:" + String(number).padStart(2, "0") + "Z", kind: "reload",
      plt_ms: 700, requests: 1, size_bytes: 1000 };
    await put("profile-rows", id, row);
    await put("profiles", id, { log: { _trilane: { id, url }, entries: [{ request: { url } }] } });
  }
  await put("race-rows", "r1", { id: "r1", profile: "p01", name: "https://me:secret@shop.test/", link: "3g", lanes: ["h1", "h3"],
    runs: 3, started: "2026-01-02T00:00:00Z", outcome: "finished", error: null, hostRace: null, size_bytes: 10 });
  await put("race-results", "r1", { schema: "trilane/race-result/1" });
  database.close();
}`;

const run = (body: string): Promise<unknown> => page.evaluate(`(async () => { ${body} })()`) as Promise<unknown>;

before(async () => {
  const script = await bundle();
  server = createServer((request, response) => {
    const isScript = request.url === "/history.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : '<link rel="icon" href="data:,"><script src="/history.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The sandbox cannot be made by root outside a namespace of one's own; the page is ours.
  browser = await launch({ executablePath: chromiumPath(), pipe: true, args: ["--no-sandbox"] });
});
after(async () => {
  await browser?.close();
  server?.close();
});
beforeEach(async () => {
  const context = await browser.createBrowserContext();
  page = await context.newPage();
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
});

const databases = (): Promise<unknown> =>
  run("return (await indexedDB.databases()).map(({ name, version }) => name + ' ' + version).toSorted();");

test("version 1 is upgraded, after a copy, by one of several at once; clearing takes the copy too", async () => {
  await run(`await (${makeFirst})("trilane", 1);`);
  const present = await run("return present;");
  const read = `const rows = await kept.listProfiles(); const race = await kept.getRace("r1");
    const [profile, last] = [await kept.getProfile("p01"), await kept.getProfile("p45")];
    return JSON.stringify([rows.length, rows[0].url, profile.log.entries[0].request.url, last.log._trilane.url, race.name, race.result]);`;
  const other = await page.browserContext().newPage();
  await other.goto(page.url());
  const [ours, others] = await Promise.all([run(read), other.evaluate(`(async () => { ${read} })()`)]);
  assert.equal(ours, others);
  assert.deepEqual(JSON.parse(String(ours)), [
    45,
    "https://shop.test/45",
    "https://shop.test/1",
    "https://shop.test/45",
    "https://shop.test/",
    { schema: "trilane/race-result/1" },
  ]);
  assert.deepEqual(await databases(), [`trilane ${present}`, "trilane-v1-backup 1"]);
  const copied = await run(`const opening = indexedDB.open("trilane-v1-backup");
    const database = await new Promise((resolve) => { opening.onsuccess = () => resolve(opening.result); });
    const reading = database.transaction("profiles").objectStore("profiles").getAllKeys();
    const keys = await new Promise((resolve) => { reading.onsuccess = () => resolve(reading.result); });
    database.close();
    return keys.length;`);
  assert.equal(copied, 45);
  await run("await kept.clearHistory();");
  assert.deepEqual(await databases(), [`trilane ${present}`]);
});

test("what an upgrade that was stopped left of a copy is made anew", async () => {
  await run(`await (${makeFirst})("trilane", 1);`);
  await run(`const opening = indexedDB.open("trilane-v1-backup", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("half");
    await new Promise((resolve) => { opening.onsuccess = resolve; });
    opening.result.close();`);
  assert.equal(await run("return (await kept.listProfiles()).length;"), 45);
  assert.deepEqual(await databases(), [`trilane ${await run("return present;")}`, "trilane-v1-backup 1"]);
});

test("where nothing was kept nothing is copied", async () => {
  assert.deepEqual(await run("return await kept.listProfiles();"), []);
  assert.deepEqual(await databases(), [`trilane ${await run("return present;")}`]);
});

test("a newer one is refused in a line, and stays", async () => {
  await run(`await (${makeFirst})("trilane", 99);`);
  const failure = await run("try { await kept.listProfiles(); } catch (error) { return failureOf(error); }");
  assert.deepEqual(failure, {
    code: "history-newer",
    message: "The history was written by a newer Trilane.",
    remedy: "Update the extension.",
  });
  assert.deepEqual(await databases(), ["trilane 99"]);
});
