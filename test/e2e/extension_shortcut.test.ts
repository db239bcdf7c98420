// The keyboard shortcut, in a real Chromium: profiles the page in front, and shows the result in a tab, or on the toolbar's
// button why there is none. Pressing keys of the browser's own is not possible without a window: the command is sent.
// Wide: extension.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Page } from "puppeteer-core";
import { tempFolder } from "../temp_folder.ts";
import { type ExtensionBrowser, startExtensionBrowser, storedProfile, tabOf, until } from "./extension_browser.ts";
import { type LocalSite, startLocalSite } from "./extension_site.ts";

const home = tempFolder("trilane-shortcut-");
let site: LocalSite;
let extension: ExtensionBrowser;
let view: Page;

before(async () => {
  site = await startLocalSite();
  extension = await startExtensionBrowser({ home, port: site.port });
  view = await extension.open("views/popup/popup.html");
});
after(async () => {
  await extension?.close();
  await site?.close();
  rmSync(home, { recursive: true, force: true });
});

async function press(page: Page): Promise<void> {
  const tabId = await tabOf(view, page);
  const worker = await extension.worker();
  await worker.evaluate(async (id) => {
    const event = chrome.commands.onCommand as unknown as { dispatch(command: string, tab: unknown): void };
    event.dispatch("profile-page", await chrome.tabs.get(id));
  }, tabId);
}

const badge = (): Promise<string> => view.evaluate(() => chrome.action.getBadgeText({}));

test("the page in front is profiled, and its result opens", async () => {
  const page = await extension.browser.newPage();
  await page.goto("http://shop.test/");
  await press(page);
  const target = await extension.browser.waitForTarget((each) => each.url().includes("views/result/result.html"));
  const id = new URL(target.url()).searchParams.get("profile");
  const profile = id === null ? null : await storedProfile(view, id);
  assert.equal(profile?.log._trilane.url, "http://shop.test/");
  assert.equal(await badge(), "");
  await page.close();
});

test("a page that may not be profiled: said on the button", async () => {
  const page = await extension.browser.newPage();
  await page.goto("chrome://version/");
  await press(page);
  await until("the button says so", async () => (await badge()) === "!");
  assert.match(await view.evaluate(() => chrome.action.getTitle({})), /own pages/);
  await page.close();
});
