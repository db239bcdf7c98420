// Whether the browser makes https:// of a page's http:// URL by itself: it ships a list of sites that it opens over TLS only (HSTS
// preload), which no option turns off. The lane h1 serves such a page upgraded, as the other lanes do: its http:// scripts would
// be blocked as mixed content otherwise, on that lane alone. Asks a browser that has no network; once for each site.
import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { oncePerFile } from "../base/once_per_file.ts";
import { startBrowser } from "../browser/browser.ts";
import { userAgentOf } from "../browser/browser_binary.ts";
import { chromiumArguments, chromiumEnvironment } from "../browser/chromium.ts";
import { watchPage } from "../browser/page.ts";
import { makeScratchFolder } from "../browser/scratch.ts";
import { parseLink } from "../link/link.ts";
import { labCommand } from "./lab.ts";

const timeout_ms = 40_000;

async function ask(chromium: string, url: string): Promise<boolean> {
  const userAgent = await userAgentOf(chromium);
  const scratch = await makeScratchFolder();
  try {
    await mkdir(scratch.profile);
    const { profile, folder } = scratch;
    const lab = labCommand({ home: "", recording: null, link: parseLink("unlimited"), reports: null });
    const words = chromiumArguments({ lane: "h1", profile, spkiList: "", userAgent });
    const browser = await startBrowser({
      // No one would answer for names: it need not wait for that.
      commandLine: [...lab.shaper, chromium, "--host-resolver-rules=MAP * ^NOTFOUND", ...words],
      environment: chromiumEnvironment(profile, folder, process.env),
      timeout_ms,
    });
    const watched = async (): Promise<boolean> => {
      const page = await watchPage(browser.connection);
      // Nothing answers; what the browser does before it asks anybody is what counts.
      await page.load(url).catch(() => {});
      return page.capture.requests.some(
        ({ sent, redirectedTo }) => sent.request.url === url && redirectedTo?.startsWith("https:"),
      );
    };
    const given = delay(timeout_ms, undefined, { ref: false }).then(() => {
      throw new Error(`the browser did not answer within ${timeout_ms} ms`);
    });
    try {
      return await Promise.race([watched(), given]);
    } finally {
      await browser.stop();
    }
  } finally {
    await scratch.remove();
  }
}

const known = new Map<string, (chromium: string) => Promise<boolean>>();

/**
 * Of the browser at the path `chromium`. False for a URL that is https:// already, and where the browser gave no answer: whatever
 * is wrong is the load's to say, which has its own chance, and the next load asks again.
 */
export async function upgradesByItself(chromium: string, url: string): Promise<boolean> {
  const { protocol, origin } = new URL(url);
  if (protocol !== "http:") return false;
  const answer = known.get(origin) ?? oncePerFile((path) => ask(path, `${origin}/`));
  known.set(origin, answer);
  return answer(chromium).catch(() => false);
}
