// The result page and the popup in a real Chromium: exports that others read, the way back in, the helper missing, and no
// finding of axe-core on any view, in light and dark.
// Wide: extension.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "puppeteer-core";
import type { Profile } from "../../schemas/generated/profile.ts";
import { publicHarSchema } from "../cli/results/export/har_schema.ts";
import { axeFindings } from "./axe.ts";
import { ask, extensionUrl, profiled, until } from "./extension_browser.ts";
import { extension, home, openBefore } from "./extension_tests.ts";
import { drawnByPerfCascade, readByDevTools } from "./har_readers.ts";

const downloads = join(home, "downloads");
let page: Page;
let result: Page;
let profile: Profile;

openBefore({ permission: "given when asked" }, async () => {
  mkdirSync(downloads);
  const session = await extension.browser.target().createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads });
  page = await extension.browser.newPage();
  await page.goto("http://shop.test/");
  const view = await extension.open("views/popup/popup.html");
  profile = await profiled(view, page);
  await view.close();
  result = await extension.open(`views/result/result.html?profile=${profile.log._trilane.id}`);
  await result.waitForSelector("html[data-ready=yes]");
});

/** Presses the export button and returns the file that is saved. */
async function exported(as: string): Promise<Buffer> {
  await result.bringToFront();
  await result.click(`.exports [data-as=${as}]`);
  // The browser holds the name with an empty file until all is there.
  const isWhole = (name: string): boolean => name.endsWith(`.${as}`) && statSync(join(downloads, name)).size > 0;
  const name = await until(`a file .${as}`, async () => readdirSync(downloads).find(isWhole));
  return readFileSync(join(downloads, name));
}

test("the exported HAR holds every request, no credentials, and is what others read", async () => {
  const text = (await exported("har")).toString();
  assert.ok(!text.includes("s3cret"), "a cookie's value is in the HAR");
  assert.match(text, /session=x+/);
  const har = JSON.parse(text) as { log: Profile["log"] };
  const validate = publicHarSchema();
  assert.ok(validate(har), JSON.stringify(validate.errors?.slice(0, 3)));
  const { entries } = har.log;
  assert.equal(entries.length, profile.log.entries.length);
  const own = entries.map(({ request, response }) => `${request.url} ${response.status}`).sort();

  const devtools = await readByDevTools(extension.browser, text);
  assert.deepEqual(devtools.map(({ url, status }) => `${url} ${status}`).sort(), own);
  for (const { url, protocol, duration_ms } of devtools) {
    const entry = entries.find(({ request }) => request.url === url);
    assert.equal(protocol, entry?.response.httpVersion, url);
    // What a request waits before the browser begins with it is before its beginning to DevTools.
    const ours_ms = (entry?.time ?? 0) - Math.max(0, entry?.timings._blocked_queueing ?? 0);
    assert.ok(Math.abs(duration_ms - ours_ms) < 1, `${url}: ${duration_ms} there, ${ours_ms} here`);
  }

  const drawn = await drawnByPerfCascade(extension.browser, text);
  assert.equal(drawn.rows, entries.length);
  assert.match(drawn.text, /style\.css/);
});

test("CSV, SVG and PNG", async () => {
  const csv = (await exported("csv")).toString();
  assert.equal(csv.trimEnd().split("\r\n").length, 1 + profile.log.entries.length);
  const svg = (await exported("svg")).toString();
  assert.match(svg, /^(<\?xml[^>]*>\s*)?<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.match(svg, /style\.css/);
  const shown = await extension.browser.newPage();
  await shown.goto(`data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`);
  assert.equal(await shown.evaluate(() => document.documentElement.tagName), "svg", "a browser reads the picture");
  await shown.close();
  const png = await exported("png");
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.ok(png.readUInt32BE(16) > 300 && png.readUInt32BE(20) > 100);
});

test("the exported HAR can be opened again", async () => {
  const [file] = readdirSync(downloads).filter((name) => name.endsWith(".har"));
  assert.ok(file && existsSync(join(downloads, file)));
  const again = await extension.open("views/result/result.html");
  await again.waitForSelector("html[data-ready=yes]");
  const input = await again.waitForSelector("#import");
  await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(join(downloads, file));
  await again.waitForFunction(() => location.search.startsWith("?profile="));
  await again.waitForSelector("html[data-ready=yes]");
  const text = await again.evaluate(() => document.body.textContent ?? "");
  for (const name of ["style.css", "app.js", "data.json"]) assert.ok(text.includes(name), name);
  assert.deepEqual(await axeFindings(again), []);
  await again.close();
});

test("Copy as Markdown puts the summary on the clipboard", async () => {
  await extension.browser
    .defaultBrowserContext()
    .setPermission(extensionUrl.slice(0, -1), { permission: { name: "clipboard-read" }, state: "granted" });
  await result.bringToFront();
  await result.click(".exports [data-as=markdown]");
  await result.waitForFunction(() => document.querySelector(".exports .done")?.textContent === "Copied");
  const text = await result.evaluate(() => navigator.clipboard.readText());
  assert.match(text, /^\*\*Shop\*\* <http:\/\/shop\.test\/>\n/);
  assert.match(text, new RegExp(`^\\| all \\| ${profile.log.entries.length} \\|`, "m"));
  assert.ok(!text.includes("s3cret"));
});

test("axe-core finds nothing on the result page, the history and the comparison", async () => {
  await result.bringToFront();
  assert.deepEqual(await axeFindings(result), []);
  const { id } = profile.log._trilane;
  for (const path of ["views/result/result.html", `views/result/result.html?profile=${id}&with=${id}`]) {
    const other = await extension.open(path);
    await other.waitForSelector("html[data-ready=yes]");
    assert.deepEqual(await axeFindings(other), [], path);
    await other.close();
  }
});

test("the race button asks for the permission: no says what for, yes goes on to how to get the helper", async () => {
  await page.bringToFront();
  const popup = await extension.popup(page);
  await popup.waitForSelector("#race");
  assert.deepEqual(await axeFindings(popup), []);
  const hint = (word: string): Promise<string> =>
    until(`the hint with ${word}`, () =>
      popup.evaluate((wanted) => {
        const text = document.querySelector("#race-form")?.textContent ?? "";
        return text.includes(wanted) ? text : null;
      }, word),
    );
  assert.equal(await popup.evaluate(() => chrome.permissions.contains({ permissions: ["nativeMessaging"] })), false);
  // The browser's own question cannot be answered here: this is what it gives for a no, and for a click long ago.
  const real = await popup.evaluateHandle(() => ({ request: chrome.permissions.request }));
  for (const refusal of ["no", "no gesture"] as const) {
    await popup.evaluate((how) => {
      chrome.permissions.request = () =>
        how === "no"
          ? Promise.resolve(false)
          : Promise.reject(new Error("This function must be called during a user gesture"));
    }, refusal);
    await popup.click(refusal === "no" ? "#race" : "#race-form .retry");
    assert.match(await hint("must be allowed"), /ask again/);
    assert.deepEqual(await axeFindings(popup), []);
  }
  await popup.evaluate(({ request }) => {
    chrome.permissions.request = request;
  }, real);
  await popup.click("#race-form .retry");
  await hint("once it has restarted");
  assert.equal(await popup.evaluate(() => chrome.permissions.contains({ permissions: ["nativeMessaging"] })), true);
  assert.deepEqual(await axeFindings(popup), []);
  await popup.click("#race-form .restart").catch(() => {});
  await until("its pages are closed", async () => result.isClosed());
  // As at its first start: a press of the button before it answers would be lost.
  const view = await until("it has started anew", () => extension.open("views/popup/popup.html").catch(() => null));
  await ask(view, { do: "wake" });
  await view.close();

  const again = await extension.popup(page);
  await again.waitForSelector("#race");
  await again.click("#race");
  const text = await until("how to get the helper", () =>
    again.evaluate(() => {
      const shown = document.querySelector("#race-form")?.textContent ?? "";
      return shown.includes("install-host") ? shown : null;
    }),
  );
  assert.match(text, /npm run setup/);
  assert.deepEqual(await axeFindings(again), []);
  await again.close().catch(() => {});
});
