// A stranger's text in every string of a profile, and in the page's own title and address, through the extension's views in a real Chromium:
// the result page, its requests and tables, the comparison, the popup. None of it becomes an element or runs.
// Wide: extension.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "puppeteer-core";
import { profileOfRequests } from "../extension/views/profile_fixture.ts";
import { filled, hostileTexts } from "../hostile_text.ts";
import { extension, openBefore } from "./extension_tests.ts";

const texts = Object.entries(hostileTexts).filter(([, text]) => text.length < 1 << 20);

/** What a view needs to show it at all. */
const structure =
  /^(id|startedDateTime|pageref|_connectionId|schema|version|httpVersion|_resourceType|protocol|url|status)$/;

/** Puts them into the history as the extension does; its page made the stores. */
async function store(profiles: readonly object[]): Promise<void> {
  const page = await extension.open("views/result/result.html");
  await page.waitForSelector("html[data-ready]");
  await page.evaluate(async (all) => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open("trilane");
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
    const transaction = database.transaction(["profiles"], "readwrite");
    for (const [at, profile] of all.entries()) transaction.objectStore("profiles").put(profile, `hostile-${at}`);
    await new Promise<void>((resolve) => {
      transaction.oncomplete = () => resolve();
    });
    database.close();
  }, profiles);
  await page.close();
}

/** Opens all that is folded and shows each request; what of a stranger's became more than text. */
async function becameMore(page: Page): Promise<string[]> {
  return (await page.evaluate(`(async () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    for (const row of [...document.querySelectorAll(".list [role=row], .list button, tbody tr")].slice(0, 12)) {
      row.click();
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    const found = [...document.querySelectorAll('img[src="x"], [onerror], script:not([src]), a[href^="javascript:"]')];
    return [...("ran" in globalThis ? ["it ran"] : []), ...found.map(({ outerHTML }) => outerHTML.slice(0, 200))];
  })()`)) as string[];
}

openBefore({}, async () => {
  await store(
    texts.map(([, text], at) => {
      const profile = filled(profileOfRequests(12), text, structure) as ReturnType<typeof profileOfRequests>;
      const entries = profile.log.entries.map((entry, index) =>
        index === 0
          ? entry
          : {
              ...entry,
              request: {
                ...entry.request,
                url: `${entry.request.url}&${encodeURI(text.replace(/\ud800/g, ""))}#${text}`,
              },
            },
      );
      const { _trilane, pages } = profile.log;
      const titled = pages.map((each) => ({ ...each, title: text }));
      return {
        ...profile,
        log: { ...profile.log, pages: titled, entries, _trilane: { ..._trilane, id: `hostile-${at}` } },
      };
    }),
  );
});

test("what would run in a page is found, so that finding nothing says something", async () => {
  const page = await extension.browser.newPage();
  await page.goto("http://shop.test/");
  await page.evaluate((markup) => {
    document.body.innerHTML = markup;
  }, hostileTexts.markup);
  assert.notDeepEqual(await becameMore(page), []);
  await page.close();
});

for (const [at, [name, text]] of texts.entries())
  test(`a profile with ${name} in its strings is shown as text`, async () => {
    const page = await extension.open(`views/result/result.html?profile=hostile-${at}`);
    await page.waitForSelector("html[data-ready]");
    assert.deepEqual(await becameMore(page), []);
    const shown = (await page.evaluate("document.body.textContent")) as string;
    assert.ok(shown.includes(text.slice(0, 5).toWellFormed()), `${name} is not shown: ${shown.slice(0, 500)}`);
    await page.close();
  });

test("the history, a comparison and the popup show it as text", async () => {
  for (const path of [
    "views/result/result.html",
    "views/result/result.html?profile=hostile-0&with=hostile-1",
    "views/popup/popup.html",
  ]) {
    const page = await extension.open(path);
    await page.waitForFunction("document.body.textContent.length > 20");
    assert.deepEqual(await becameMore(page), [], path);
    const title = await page.evaluate("document.querySelector('h1')?.textContent ?? ''");
    if (path.includes("&with=")) assert.equal(title, "Two profiles side by side");
    await page.close();
  }
});

test("the popup over a page whose title and address are a stranger's", async () => {
  const page = await extension.browser.newPage();
  await page.goto(`http://shop.test/?${encodeURI(hostileTexts.markup)}`);
  await page.evaluate((title) => {
    document.title = title;
  }, hostileTexts.markup);
  const popup = await extension.popup(page);
  await popup.waitForFunction("document.body.textContent.length > 20");
  assert.deepEqual(await becameMore(popup), []);
});
