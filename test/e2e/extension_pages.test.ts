// Pages that are hard to profile, in a real Chromium: each ends in a profile that says what was the matter, or in an error
// that says what to do; and the next page can be profiled as if nothing had been. The keyboard shortcut, too.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "puppeteer-core";
import type { LastProfile } from "../../extension/actions.ts";
import type { Profile } from "../../schemas/generated/profile.ts";
import { ask, profiled, stateOf, storedProfile, tabOf, until } from "./extension_browser.ts";
import { extension, home, openBefore, site, view } from "./extension_tests.ts";

openBefore({ path: "views/popup/popup.html" });

/** Does `work` with a tab that shows `url`, as far as that shows. */
async function withTab<T>(url: string, work: (page: Page) => Promise<T>): Promise<T> {
  const page = await extension.browser.newPage();
  try {
    await page.goto(url, { waitUntil: "domcontentloaded", timeout: 10_000 }).catch(() => {});
    return await work(page);
  } finally {
    await page.close().catch(() => {});
  }
}

const urls = ({ log }: Profile): string[] => log.entries.map((entry) => entry.request.url);
const note = ({ log }: Profile): string => log._trilane.notes.map(({ about, text }) => `${about}: ${text}`).join("\n");

/** Begins to profile, does `meanwhile` once requests are seen, and tells what came of it. */
async function disturbed(page: Page, meanwhile: (tabId: number) => Promise<unknown>): Promise<LastProfile> {
  const tabId = await tabOf(view, page);
  const { profile } = await ask(view, { do: "profile", tabId, cache: "off", keepBodies: false });
  await until("requests are seen", async () => ((await stateOf(view)).profiling?.requests ?? 0) > 3);
  await meanwhile(tabId);
  const last = await until("the profiling ends", async () => {
    const state = await stateOf(view);
    return state.profiling === null && state.last?.tabId === tabId ? state.last : null;
  });
  assert.ok(last.profile === profile || last.error !== null, JSON.stringify(last));
  return last;
}

/** The shop asks for its last request after its load event. */
const wholeShop = (page: Page): Promise<boolean> =>
  until("the page has its data", () =>
    page.evaluate(() => performance.getEntriesByName("http://shop.test/data.json").length > 0),
  );

async function refused(page: Page): Promise<{ code: string; message: string; remedy: string }> {
  const tabId = await tabOf(view, page);
  const action = { do: "profile", tabId, cache: "off", keepBodies: false };
  const answer = (await view.evaluate((message: unknown) => chrome.runtime.sendMessage(message), action)) as {
    ok: boolean;
    error: { code: string; message: string; remedy: string };
  };
  assert.equal(answer.ok, false);
  assert.ok(answer.error.message.length > 0 && answer.error.remedy.length > 0);
  assert.equal((await stateOf(view)).profiling, null);
  return answer.error;
}

test("an ordinary page is loaded anew, and every request of it is there", async () => {
  await withTab("http://shop.test/", async (page) => {
    await wholeShop(page);
    const before = site.asked.length;
    const profile = await profiled(view, page);
    const asked = site.asked.slice(before).filter((each) => !each.endsWith("favicon.ico"));
    assert.deepEqual(
      urls(profile)
        .filter((url) => !url.endsWith("favicon.ico"))
        .sort(),
      asked.map((each) => `http://${each}`).sort(),
    );
    assert.equal(profile.log._trilane.title, "Shop");
    assert.ok(profile.log.entries.every((entry) => entry.response.httpVersion === "http/1.1"));
    assert.equal(profile.log._trilane.protocols.find(({ requests }) => requests > 0)?.protocol, "http/1.1");
  });
});

test("with the browser's cache, what is in it is not asked for", async () => {
  await withTab("http://shop.test/", async (page) => {
    const profile = await profiled(view, page, { cache: "on" });
    assert.equal(profile.log._trilane.cache, "on");
    const cached = profile.log._trilane.protocols.find(({ protocol }) => protocol === "cache");
    assert.ok((cached?.requests ?? 0) > 0, JSON.stringify(profile.log._trilane.protocols));
  });
});

test("without reloading: the page's own timeline, and nothing is asked for", async () => {
  await withTab("http://shop.test/", async (page) => {
    await wholeShop(page);
    const popup = await extension.popup(page);
    const before = site.asked.length;
    const tabId = await tabOf(popup, page);
    const { profile } = await ask(popup, { do: "observe", tabId });
    const stored = await storedProfile(view, profile);
    assert.ok(stored);
    assert.equal(stored.log._trilane.kind, "observed");
    assert.ok(urls(stored).includes("http://shop.test/app.js"));
    assert.equal(site.asked.length, before);
  });
});

test("the browser's own pages and the store are refused", async () => {
  for (const url of ["chrome://version/", "chrome://newtab/"])
    assert.equal((await withTab(url, refused)).code, "page-not-allowed");
});

test("a file can be profiled where the browser lets the extension see files", async () => {
  const path = join(home, "page.html");
  writeFileSync(path, "<title>file</title>");
  const profile = await withTab(`file://${path}`, (page) => profiled(view, page));
  assert.equal(profile.log._trilane.url, `file://${path}`);
  // No request over HTTP, and so none to show.
  assert.deepEqual(urls(profile), []);
  assert.match(note(profile), /No HTTP request was made/);
  assert.ok((profile.log._trilane.metrics.plt_ms ?? 0) > 0);
});

test("a page that never fires load ends at its limit or when stopped, with what was seen", async () => {
  await withTab("http://shop.test/never", async (page) => {
    const tabId = await tabOf(view, page);
    const { profile } = await ask(view, { do: "profile", tabId, cache: "off", keepBodies: false });
    await until("requests are seen", async () => ((await stateOf(view)).profiling?.requests ?? 0) >= 2);
    await ask(view, { do: "stop-profile" });
    const stored = await until("the profile is stored", () => storedProfile(view, profile));
    assert.equal(stored.log._trilane.ended, "canceled");
    assert.equal(stored.log._trilane.metrics.plt_ms, null);
    assert.ok((stored.log._trilane.metrics.unavailable.plt_ms ?? "") !== "");
    assert.ok(urls(stored).includes("http://shop.test/silent.png"));
    assert.match(note(stored), /stopped/);
  });
});

test("an endless stream does not keep a profile from ending", async () => {
  const profile = await withTab("http://shop.test/stream", (page) => profiled(view, page));
  assert.equal(profile.log._trilane.ended, "quiet");
  assert.ok((profile.log._trilane.metrics.plt_ms ?? 0) > 0);
  assert.match(note(profile), /still under way/);
});

test("closed in the middle: what was seen is kept", async () => {
  const last = await withTab("http://shop.test/slow", (page) => disturbed(page, () => page.close()));
  const profile = last.profile === null ? null : await storedProfile(view, last.profile);
  assert.equal(profile?.log._trilane.ended, "closed");
  assert.match(note(profile), /closed/);
});

test("navigated in the middle: what was seen is kept", async () => {
  const last = await withTab("http://shop.test/slow", (page) =>
    disturbed(page, () => page.goto("http://other.test/landed").catch(() => {})),
  );
  const profile = last.profile === null ? null : await storedProfile(view, last.profile);
  assert.equal(profile?.log._trilane.ended, "navigated");
  assert.ok(!urls(profile).includes("http://other.test/landed"));
});

test("crashed in the middle: what was seen is kept", async () => {
  const last = await withTab("http://shop.test/slow", (page) =>
    disturbed(page, async () => {
      const session = await page.createCDPSession();
      session.send("Page.crash").catch(() => {});
    }),
  );
  const profile = last.profile === null ? null : await storedProfile(view, last.profile);
  assert.equal(profile?.log._trilane.ended, "crashed");
});

test("a redirect across sites and a frame of another site: every request is there", async () => {
  const landed = await withTab("http://shop.test/hop", (page) => profiled(view, page));
  assert.ok(urls(landed).includes("http://other.test/landed"));
  const framed = await withTab("http://shop.test/frames", (page) => profiled(view, page));
  for (const path of ["framed", "framed.js", "framed.json", "framed.png"])
    assert.ok(urls(framed).includes(`http://other.test/${path}`), path);
});

test("a page that a service worker made alone", async () => {
  await withTab("http://shop.test/worker/", async (page) => {
    await until("the service worker is in charge", () =>
      page.evaluate(() => navigator.serviceWorker.controller !== null),
    );
    const profile = await profiled(view, page, { cache: "on" });
    assert.ok(urls(profile).some((url) => url.endsWith("/worker/made.js")));
    const shares = profile.log._trilane.protocols;
    assert.ok(
      shares.some(({ protocol, requests }) => /service/.test(protocol) && requests > 0),
      JSON.stringify(shares),
    );
  });
});

test("a page that asks for a name and password", async () => {
  const profile = await withTab("http://auth.test/auth", (page) => profiled(view, page));
  assert.equal(profile.log.entries[0]?.response.status, 401);
});

test("a name and password that were given: the page behind them, and neither in its URLs", async () => {
  const profile = await withTab("http://me:s3cret@auth.test/auth", (page) => profiled(view, page));
  const answers = profile.log.entries.filter(({ request }) => request.url.endsWith("/auth"));
  assert.equal(answers.at(-1)?.response.status, 200);
  assert.equal(profile.log._trilane.title, "In");
  assert.ok(!JSON.stringify(profile).includes("s3cret"));
});

test("a download in the place of a page ends, and says so", async () => {
  await withTab("http://shop.test/", async (page) => {
    await page.goto("http://shop.test/file").catch(() => {});
    // The tab stays where it was: what is profiled is the page that is shown.
    assert.ok(urls(await profiled(view, page)).includes("http://shop.test/"));
  });
});

test("1000 requests", async () => {
  const patience_ms = 90_000;
  const profile = await withTab("http://shop.test/many?n=1000", (page) => profiled(view, page, { patience_ms }));
  assert.ok(urls(profile).filter((url) => url.includes("/object-")).length === 1000);
});

test("the service worker is stopped in the middle: said, and the next profile works", async () => {
  await withTab("http://shop.test/slow", async (page) => {
    const last = await disturbed(page, async () => {
      await extension.stopWorker();
      // As whoever opens the popup next does.
      await view.evaluate(() => chrome.runtime.sendMessage({ do: "host" }).catch(() => {}));
    });
    assert.equal(last.profile, null);
    assert.match(last.error?.message ?? "", /service worker/);
  });
  const profile = await withTab("http://shop.test/", (page) => profiled(view, page));
  assert.equal(profile.log._trilane.ended, "quiet");
});

test("another debugger is attached: said, and it stays attached", async () => {
  await withTab("http://shop.test/", async (page) => {
    const tabId = await tabOf(view, page);
    // Two of one extension are to the browser as of two.
    await view.evaluate((id) => chrome.debugger.attach({ tabId: id }, "1.3"), tabId);
    assert.equal((await refused(page)).code, "debugger-taken");
    await view.evaluate((id) => chrome.debugger.detach({ tabId: id }), tabId);
    assert.equal((await profiled(view, page)).log._trilane.ended, "quiet");
  });
});

test("a page that never fires load ends at the limit that is set", async () => {
  await view.evaluate(() => chrome.storage.local.set({ loadTimeout_s: 2 }));
  try {
    const profile = await withTab("http://shop.test/never", (page) => profiled(view, page));
    assert.equal(profile.log._trilane.ended, "timeout");
    assert.match(note(profile), /did not come in time/);
    assert.equal(profile.log._trilane.metrics.unavailable.plt_ms, "the load event did not come in time");
  } finally {
    await view.evaluate(() => chrome.storage.local.remove("loadTimeout_s"));
  }
});

test("a page that sends the browser on before it has loaded", async () => {
  await withTab("http://shop.test/onward", async (page) => {
    const profile = await profiled(view, page);
    assert.equal(profile.log._trilane.url, "http://other.test/landed");
    assert.deepEqual(urls(profile).slice(0, 2), ["http://shop.test/onward", "http://other.test/landed"]);
    assert.match(note(profile), /redirected the browser/);
  });
});

test("a download in the place of the page: said", async () => {
  await withTab("http://shop.test/once", async (page) => {
    const profile = await profiled(view, page);
    assert.equal(profile.log._trilane.ended, "download");
    assert.match(note(profile), /no page came/);
    assert.equal(profile.log._trilane.metrics.plt_ms, null);
  });
});

test("a page that does not come: said, with the error", async () => {
  await withTab("http://127.0.0.1:59999/", async (page) => {
    const tabId = await tabOf(view, page);
    const action = { do: "profile", tabId, cache: "off", keepBodies: false };
    const answer = (await view.evaluate((message: unknown) => chrome.runtime.sendMessage(message), action)) as {
      ok: boolean;
      profile?: string;
      error?: { code: string };
    };
    if (!answer.ok) assert.equal(answer.error?.code, "page-not-allowed");
    else {
      const stored = await until("it is stored", () => storedProfile(view, answer.profile ?? ""));
      assert.match(note(stored), /ERR_CONNECTION_REFUSED/);
      assert.equal(stored.log._trilane.metrics.plt_ms, null);
    }
  });
});

/** As a key of the browser's own, which cannot be pressed without a window. */
async function press(page: Page): Promise<void> {
  const tabId = await tabOf(view, page);
  const worker = await extension.worker();
  await worker.evaluate(async (id) => {
    const event = chrome.commands.onCommand as unknown as { dispatch(command: string, tab: unknown): void };
    event.dispatch("profile-page", await chrome.tabs.get(id));
  }, tabId);
}

const badge = (): Promise<string> => view.evaluate(() => chrome.action.getBadgeText({}));

test("the keyboard shortcut: the page in front is profiled, and its result opens", async () => {
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

test("the keyboard shortcut on a page that may not be profiled: said on the button", async () => {
  const page = await extension.browser.newPage();
  await page.goto("chrome://version/");
  await press(page);
  await until("the button says so", async () => (await badge()) === "!");
  assert.match(await view.evaluate(() => chrome.action.getTitle({})), /own pages/);
  await page.close();
});
