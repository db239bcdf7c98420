// A race from Firefox: the page's contents are handed to the native host, which Firefox finds by its own manifest and starts; the race ends in a
// result. Skipped where no Firefox is installed (apt install firefox-esr).
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { until } from "./extension_browser.ts";
import { firefoxUrl, noFirefox, startExtensionFirefox, stateIn, tabIdOf } from "./extension_firefox.ts";
import { startLocalSite } from "./extension_site.ts";

const skip = noFirefox();
const home = mkdtempSync(join(tmpdir(), "trilane-firefox-race-"));
after(() => rmSync(home, { recursive: true, force: true }));
const raceTime_ms = 240_000;

test("a page profiled in Firefox is raced by the native host, and its contents are the page's", { skip }, async () => {
  const site = await startLocalSite();
  const firefox = await startExtensionFirefox({ home, hosts: ["shop.test", "cdn.test"], host: true });
  try {
    const page = `http://shop.test:${site.port}/`;
    await firefox.open(page);
    const view = await firefox.open(`${firefoxUrl}views/race/race.html`);
    // As the popup does at a click.
    await view.evaluate(() => chrome.permissions.request({ permissions: ["nativeMessaging"] }));
    const { host } = await firefox.ask(view, { do: "host" });
    assert.equal(host.state, "ready", JSON.stringify(host));
    const tabId = await tabIdOf(view, page);
    const { profile } = await firefox.ask(view, { do: "profile", tabId, cache: "off", keepBodies: true });
    const lanes = ["h1", "h2"] as const;
    const race = { profile, lanes, link: "20mbit/20ms", runs: 1, keepCredentials: false };
    const { race: id } = await firefox.ask(view, { do: "race", ...race });
    const ended = await until(
      "the race's end",
      async () => {
        const found = (await stateIn(view)).races[id];
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
