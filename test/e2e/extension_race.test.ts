// A race from the toolbar button: the page is profiled, handed to the native host, raced in labs beside the browser; it
// outlives the popup, the service worker and the host, can be canceled, and ends in a verdict on the race page.
// Beside others: all but tests of time.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "puppeteer-core";
import type { RaceRecord } from "../../extension/history/records.ts";
import { timedTest } from "../calm_machine.ts";
import { type Process, running } from "../product.ts";
import { axeFindings } from "./axe.ts";
import { noteDisturbed } from "./calm_load.ts";
import { ask, stateOf, stored, until } from "./extension_browser.ts";
import { extension, home, openBefore, view } from "./extension_tests.ts";

openBefore({ path: "views/result/result.html", host: true });

const raceTime_ms = 240_000;

/** Fills in the popup's form as a person does, and starts; the race's id. */
async function raceFromPopup(page: Page, lanes: readonly string[], runs: number): Promise<string> {
  const popup = await extension.popup(page);
  await popup.waitForSelector("#race");
  await popup.click("#race");
  await popup.waitForSelector("#race-form button.main", { timeout: 300_000 });
  const known = new Set(Object.keys((await stateOf(popup))?.races ?? {}));
  await popup.evaluate(
    (wanted, count) => {
      const form = document.querySelector<HTMLFormElement>("#race-form");
      const input = (name: string): HTMLInputElement | null | undefined => form?.querySelector(`[name=${name}]`);
      for (const box of form?.querySelectorAll<HTMLInputElement>("[name=lane]") ?? [])
        box.checked = wanted.includes(box.value);
      const link = form?.querySelector<HTMLSelectElement>("[name=link]");
      if (!link) throw new Error("the form has no link");
      link.value = "other";
      link.dispatchEvent(new Event("change", { bubbles: true }));
      for (const [name, value] of [
        ["form", "20mbit/20ms"],
        ["runs", String(count)],
      ] as const) {
        const field = input(name);
        if (field) field.value = value;
      }
    },
    lanes,
    runs,
  );
  await popup.click("#race-form button.main");
  const begun = await until("the race is begun", async () => {
    const state = await stateOf(view);
    return Object.keys(state?.races ?? {}).find((id) => !known.has(id));
  });
  await popup.close().catch(() => {});
  return begun;
}

const recordOf = (id: string): Promise<RaceRecord | null> => stored<RaceRecord>(view, "race-rows", id);

/** The hosts of this test's data folder. */
const hosts = (): Process[] =>
  running(/^\S*\/trilane-host .*chrome-extension:/).filter(({ commandLine }) => commandLine.includes(` ${home} `));

/** The HAR files in the data folder. */
function handedOver(): string[] {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".har")).map((name) => join(home, name));
}

timedTest("a race from the popup ends in a verdict, whatever is closed, stopped and killed meanwhile", async (calm) => {
  const page = await extension.browser.newPage();
  await page.goto("http://shop.test/");
  const id = await raceFromPopup(page, ["h1", "h2", "h3"], 1);
  const racePage = await extension.open(`views/race/race.html?race=${id}`);
  const phase = async (): Promise<string | undefined> => (await stateOf(view)).races[id]?.phase;
  await until("it races", async () => (await phase()) === "racing", raceTime_ms);
  // What was handed over has no cookies' values: the server set session=s3cret.
  const pages = handedOver();
  assert.ok(pages.length > 0 && pages.every((path) => !readFileSync(path, "utf8").includes("s3cret")));
  await extension.stopWorker();
  await ask(view, { do: "host" });
  const found = hosts();
  assert.ok(found.length > 0, "a host runs");
  for (const { pid } of found) process.kill(pid, "SIGKILL");
  const record = await until(
    "the race ends",
    async () => {
      const found = await recordOf(id);
      return found && found.outcome !== "running" ? found : null;
    },
    raceTime_ms,
  );
  noteDisturbed(record.error, calm);
  assert.equal(record.outcome, "finished", JSON.stringify(record.error));
  const text = await until("the verdict is shown", async () => {
    const shown = await racePage.evaluate(() => document.querySelector("#outcome")?.textContent ?? "");
    return shown.includes("h3") && shown;
  });
  assert.match(text, /faster|slower|no difference/);
  const result = await stored<RaceRecord["result"]>(view, "race-results", id);
  // What is left out, of some lanes only.
  noteDisturbed(text, calm);
  assert.deepEqual(
    result?.lanes.map(({ lane, loads }) => [lane, loads]),
    [
      ["h1", 1],
      ["h2", 1],
      ["h3", 1],
    ],
  );
  assert.ok(
    result?.lanes.every(({ filmstrip }) => (filmstrip?.length ?? 0) > 0),
    "each lane was filmed",
  );
  assert.match(readFileSync(result?.report_path ?? "", "utf8"), /<!doctype html>/i);
  assert.deepEqual(await axeFindings(racePage, true), []);
  assert.deepEqual(handedOver(), [], "what was handed over is forgotten");
  await racePage.close();
  await page.close();
});

test("a race that is canceled stops, and says so", async () => {
  const page = await extension.browser.newPage();
  await page.goto("http://shop.test/");
  const id = await raceFromPopup(page, ["h1", "h2", "h3"], 50);
  await until("it races", async () => (await stateOf(view)).races[id]?.phase === "racing", raceTime_ms);
  const racePage = await extension.open(`views/race/race.html?race=${id}`);
  await racePage.waitForSelector("#cancel");
  assert.deepEqual(await axeFindings(racePage, true), []);
  await racePage.click("#cancel");
  const record = await until(
    "it ends",
    async () => {
      const found = await recordOf(id);
      return found && found.outcome !== "running" ? found : null;
    },
    60_000,
  );
  assert.equal(record.outcome, "canceled");
  await racePage.close();
  await page.close();
});
