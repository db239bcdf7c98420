// A race from Firefox: the page's contents are handed to the native host, which Firefox finds by its own manifest and starts; the race ends in a
// result. Skipped where no Firefox is installed (apt install firefox-esr).
// Wide: extension, native-host/messaging.
import assert from "node:assert/strict";
import { test } from "node:test";
import { tempFolder } from "../temp_folder.ts";
import { until } from "./extension_browser.ts";
import { firefoxUrl, noFirefox, startExtensionFirefox, stateIn, tabIdOf } from "./extension_firefox.ts";
import { startLocalSite } from "./extension_site.ts";

const skip = noFirefox();
const home = tempFolder("trilane-firefox-race-");
const raceTime_ms = 240_000;

test("a page profiled in Firefox is raced by the native host, and its contents are the page's", { skip }, async () => {
  const site = await startLocalSite();
  const firefox = await startExtensionFirefox({ home, hosts: ["shop.test", "cdn.test"], host: true });
  try {
    const page = `http://shop.test:${site.port}/`;
    await firefox.open(page);
    const tabId = await tabIdOf(await firefox.open(`${firefoxUrl}views/result/result.html`), page);
    const popup = await firefox.open(`${firefoxUrl}views/popup/popup.html?tab=${tabId}`);
    await firefox.bidi.send("browsingContext.activate", { context: popup.context });
    await until("the popup", () => popup.evaluate(() => !document.querySelector<HTMLElement>("#actions")?.hidden));
    await popup.click("#race");
    const form = await until(
      "the form, or why there is none",
      () =>
        popup.evaluate(() => {
          const place = document.querySelector("#race-form");
          return place?.querySelector("button.main, .note") ? place.textContent : null;
        }),
      raceTime_ms,
    );
    assert.match(form, /Lanes.*Record and race/s);
    await popup.evaluate(() => {
      for (const box of document.querySelectorAll<HTMLInputElement>("#race-form [name=lane]"))
        box.checked = box.value === "h1" || box.value === "h2";
      const runs = document.querySelector<HTMLInputElement>("#race-form [name=runs]");
      if (runs) runs.value = "1";
    });
    await popup.click("#race-form button.main");
    const id = await until("the race is begun", async () => Object.keys((await stateIn(popup))?.races ?? {})[0]);
    const ended = await until(
      "the race's end",
      async () => {
        const found = (await stateIn(popup)).races[id];
        return found && ["finished", "failed", "canceled"].includes(found.phase) ? found : null;
      },
      raceTime_ms,
    );
    assert.deepEqual([ended.phase, ended.error], ["finished", null]);
    assert.equal(ended.done, 2);
  } finally {
    await firefox.close();
    await site.close();
  }
});
