// The profile that Firefox's loads begin with: what it makes at its first start, which takes half of that start's time: compiled scripts, its
// databases, the lists that it ships with, and its own parts, without those that show nothing of a page. It has shown no page, and has no
// lane's preferences.
import { existsSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { settles } from "../../base/process_group.ts";
import { usualDevice } from "../device.ts";
import type { FirstStart } from "../engine.ts";
import { inFirefox, startFirefox } from "./bidi.ts";
import { bridgeCommand } from "./bridge.ts";
import { firefoxEnvironment, firefoxWords } from "./command_line.ts";
import { preferencesText, sharedPreferences } from "./profile.ts";

/** Nothing else is left: sessions, caches, reports and what says when it was made are no part of a start. */
const kept =
  /^(startupCache|(compatibility|pkcs11)\.(ini|txt)|prefs\.js|addonStartup\.json\.lz4|(extensions|extension-preferences|xulstore|times|handlers|containers)\.json|search\.json\.mozlz4|(cert9|key4)\.db|storage|(places|favicons|storage|permissions|content-prefs)\.sqlite)$/;

/**
 * Its new tab, its offer of a VPN, and its count of searches, which are add-ons. What it does to pages (site interventions, videos' buttons,
 * forms) stays.
 */
const ofNoPage = ["newtab@mozilla.org", "ipp-activator@mozilla.com", "addons-search-detection@mozilla.com"];

/** A build may lack some of them. */
const switchOff = `(async () => {
  const { AddonManager } = ChromeUtils.importESModule("resource://gre/modules/AddonManager.sys.mjs");
  for (const id of ${JSON.stringify(ofNoPage)}) await (await AddonManager.getAddonByID(id))?.disable({ allowSystemAddons: true });
})()`;

/** Written some seconds after the start, all else before it or at the end. */
const lastWritten = join("startupCache", "scriptCache.bin");
const lookEvery_ms = 200;
const endPatience_ms = 15_000;

/** Throws if Firefox does not start, or does not write it in the time. */
export async function makeProfile({ program, profile, temporary, lab, timeout_ms }: FirstStart): Promise<void> {
  await writeFile(join(profile, "user.js"), preferencesText(sharedPreferences));
  const firefox = await startFirefox({
    commandLine: [...lab, ...bridgeCommand(endPatience_ms), ...firefoxWords(program, profile, usualDevice)],
    environment: firefoxEnvironment(profile, temporary),
    timeout_ms,
  });
  try {
    for (let waited_ms = 0; !existsSync(join(profile, lastWritten)); waited_ms += lookEvery_ms) {
      if (waited_ms > timeout_ms) throw new Error(`Firefox wrote no ${lastWritten} within ${timeout_ms} ms`);
      await delay(lookEvery_ms);
    }
    await inFirefox(firefox.bidi, switchOff);
    // What it holds in memory is written at its end.
    await firefox.bidi.send("browser.close").catch(() => {});
    if (!(await settles(firefox.exited, endPatience_ms))) throw new Error("Firefox did not end");
  } finally {
    await firefox.stop();
  }
  for (const name of await readdir(profile))
    if (!kept.test(name)) await rm(join(profile, name), { recursive: true, force: true });
}
