// Firefox as an engine of measured loads. What it cannot give is refused here, in a line, before a lab begins; metrics that it does not tell
// are missing with their reason (extension/capture/page_timeline.ts).
import { existsSync, realpathSync } from "node:fs";
import { readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../../base/errors.ts";
import { laneFacts } from "../../base/lanes.ts";
import { settles } from "../../base/process_group.ts";
import { usualDevice } from "../device.ts";
import type { Engine, EngineBrowser, EngineNeeds, EnginePage, FirstStart } from "../engine.ts";
import { standInRules } from "../stand_ins.ts";
import { contexts, inFirefox, startFirefox } from "./bidi.ts";
import { bridgeCommand } from "./bridge.ts";
import { type FirefoxPage, firefoxPage } from "./firefox_page.ts";
import { firefoxEnvironment, firefoxWords, preferencesOf, preferencesText, sharedPreferences } from "./profile.ts";

// The profile that Firefox's loads begin with: what it makes at its first start, which takes half of that start's time: compiled scripts, its
// databases, the lists that it ships with, and its own parts, without those that show nothing of a page. It has shown no page, and has no
// lane's preferences.

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

/** UserError if an administrator decides what this Firefox loads, and how: for the machine, or beside the program. */
function refusePolicies(program: string): void {
  const beside = join(dirname(realOf(program)), "distribution", "policies.json");
  const policies = ["/etc/firefox/policies/policies.json", beside].find((path) => existsSync(path));
  if (policies === undefined) return;
  throw new UserError(
    `Firefox is managed by ${policies}, which may change how it loads pages: move it away, or name another Firefox: --browser /path/firefox`,
  );
}

/** A link as distributions put into /usr/bin leads to the folder that counts. */
function realOf(program: string): string {
  try {
    return realpathSync(program);
  } catch {
    return program;
  }
}

const emptyStores = `new Promise((done) => {
  const { CLEAR_ALL_CACHES, CLEAR_COOKIES, CLEAR_DOM_STORAGES } = Ci.nsIClearDataService;
  Services.clearData.deleteData(CLEAR_ALL_CACHES | CLEAR_COOKIES | CLEAR_DOM_STORAGES, { onDataDeleted: done });
})`;

/** Tickets stay. */
const forgetConnections = `Services.dns.clearCache(true);
  Services.obs.notifyObservers(null, "net:cancel-all-connections");`;

/** Over that of two round trips, so that the last packets of the closed connections are off the link. */
const quiet_ms = 100;

/** Firefox is killed at its end, perhaps in the middle of a record: readers of JSON text sequences want whole ones. */
async function cutToRecords(path: string): Promise<void> {
  await truncate(path, (await readFile(path)).lastIndexOf("\n") + 1);
}

function refusal({ lane, films, video, frequentAcks, hosts, isLive = false }: EngineNeeds): string | null {
  const { clear, repeat, quic } = laneFacts[lane];
  if (clear) return `Firefox has no lane ${lane}: leave that lane out, or measure it with Chromium`;
  // On most pages it opens a new QUIC connection without the first visit's ticket (cause not known).
  if (repeat && quic !== "off")
    return `Firefox rarely resumes QUIC: leave the lane ${lane} out, or measure it with Chromium`;
  if (isLive) return "--outside: is Chromium's: leave it out, or measure with Chromium";
  if (films) return "Firefox films no page: leave films and the Speed Index out, or measure with Chromium";
  if (video) return "Firefox's videos are not watched: measure pages that play one with Chromium";
  if (frequentAcks) return "--client-acks frequent: is Chromium's: leave it out, or measure with Chromium";
  if (standInRules(hosts).length > 0)
    return "the recording has localhost among its hosts, which Firefox takes for its own machine: measure it with Chromium";
  return null;
}

export const firefoxEngine: Engine = {
  name: "Firefox",
  hasPreloadList: false,
  films: false,
  refusal,
  async command({ program, lane, profile, temporary, device = usualDevice, hosts = new Map(), ...options }) {
    refusePolicies(program);
    const preferences = preferencesOf({ lane, hosts: [...hosts.keys()], device, ...options });
    await writeFile(join(profile, "user.js"), preferencesText(preferences));
    return {
      through: bridgeCommand(),
      words: firefoxWords(program, profile, device),
      environment: firefoxEnvironment(profile, temporary),
    };
  },
  makeProfile,
  async qlogs(temporary) {
    const names = await readdir(temporary, { recursive: true });
    const paths = names.filter((name) => /^qlog_\d+\/[^/]+\.s?qlog$/.test(name)).map((name) => join(temporary, name));
    await Promise.all(paths.map(cutToRecords));
    return paths;
  },
  async start(options, signal): Promise<EngineBrowser> {
    const { bidi, version, ...started } = await startFirefox(options, signal);
    await bidi.send("session.subscribe", { events: ["network", "browsingContext"] });
    const pages = new WeakMap<EnginePage, FirefoxPage>();
    const known = (page: FirefoxPage): EnginePage => {
      pages.set(page, page);
      return page;
    };
    return {
      ...started,
      version: async () => version,
      async page(visit) {
        const [tab] = await contexts(bidi);
        const context = tab?.context ?? String((await bidi.send("browsingContext.create", { type: "tab" })).context);
        return known(await firefoxPage(bidi, context, visit));
      },
      sendInClear: () => Promise.reject(new Error("refused before")),
      async nextVisit(first, { keepCache, rtt_ms }, visit) {
        first.detach();
        const { context } = await bidi.send("browsingContext.create", { type: "tab" });
        const ended = pages.get(first);
        if (ended) await bidi.send("browsingContext.close", { context: ended.context });
        if (!keepCache) await inFirefox(bidi, emptyStores);
        await inFirefox(bidi, forgetConnections);
        await new Promise((resolve) => setTimeout(resolve, 2 * rtt_ms + quiet_ms));
        return known(await firefoxPage(bidi, String(context), visit));
      },
    };
  },
};
