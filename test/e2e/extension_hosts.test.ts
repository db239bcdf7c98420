// Every way in which trilane-host can be missing, wrong or gone, in a real Chromium: each is told with what to do, nothing
// hangs, and what was saved stays. The hosts are scripts; races with the real one are in extension_race.test.ts.
// Wide: extension, native-host/messaging.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Answers, Failure, RaceState } from "../../extension/actions.ts";
import type { RaceRecord } from "../../extension/history/records.ts";
import { ask, extensionUrl, profiled, stateOf, stored, tabOf, until } from "./extension_browser.ts";
import { extension, home, openBefore, view } from "./extension_tests.ts";

let manifest = "";
let folders = 0;

openBefore({ path: "views/popup/popup.html" }, async () => {
  mkdirSync(join(extension.userData, "NativeMessagingHosts"), { recursive: true });
  manifest = join(extension.userData, "NativeMessagingHosts", "dev.trilane.host.json");
});

/** Installs a host; the folder in which it keeps what it was asked. What was connected before is let go. */
async function install(mode: string, change: object = {}): Promise<string> {
  await extension.stopWorker();
  const folder = join(home, `${mode}-${folders++}`);
  mkdirSync(folder);
  const program = join(folder, "host");
  const script = join(import.meta.dirname, "scripted_host.ts");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${script}' '${mode}' '${folder}' 2>/dev/null\n`);
  chmodSync(program, 0o755);
  const text = {
    name: "dev.trilane.host",
    description: "x",
    path: program,
    type: "stdio",
    allowed_origins: [extensionUrl],
    ...change,
  };
  writeFileSync(manifest, JSON.stringify(text));
  return folder;
}

/** The messages that it was asked. */
function asked(folder: string): { type: string; [field: string]: unknown }[] {
  const path = join(folder, "asked");
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
}

async function hostIs(): Promise<Answers["host"]["host"]> {
  return (await ask(view, { do: "host" })).host;
}

async function refusal(action: object): Promise<Failure> {
  const answer = (await view.evaluate((message: unknown) => chrome.runtime.sendMessage(message), action)) as {
    ok: boolean;
    error: Failure;
  };
  assert.equal(answer.ok, false, JSON.stringify(answer));
  assert.ok(answer.error.message !== "" && answer.error.remedy !== "");
  return answer.error;
}

/** A profile with contents in memory. */
async function profile(): Promise<string> {
  const page = await extension.browser.newPage();
  try {
    await page.goto("http://shop.test/");
    const tabId = await tabOf(view, page);
    const { profile: id } = await ask(view, { do: "profile", tabId, cache: "off", keepBodies: true });
    await until("contents are in memory", async () => (await stateOf(view)).bodies[id] !== undefined);
    return id;
  } finally {
    await page.close();
  }
}

const race = (id: string) =>
  ({ do: "race", profile: id, lanes: ["h2", "h3"], link: "3g", runs: 2, keepCredentials: false }) as const;

async function ended(id: string): Promise<RaceState> {
  return until("the race ends", async () => {
    const state = (await stateOf(view)).races[id];
    return state && ["finished", "failed", "canceled"].includes(state.phase) ? state : null;
  });
}

test("missing: said, with how to install it; profiles work without", async () => {
  const state = await hostIs();
  assert.equal(state.state, "missing");
  assert.match("remedy" in state ? state.remedy : "", /install-host/);
  assert.equal((await refusal(race(await profile()))).code, "host-missing");
});

for (const [mode, code, state] of [
  ["other-version", "host-version", "other-version"],
  ["garbage", "host-garbage", "failed"],
  ["no-object", "host-garbage", "failed"],
  ["no-id", "host-garbage", "failed"],
  ["neither", "host-garbage", "failed"],
  ["ends", "host-ended", "failed"],
  ["silent", "host-silent", "failed"],
] as const) {
  test(`${mode}: ${code}, with what to do`, async () => {
    await install(mode);
    const host = await hostIs();
    assert.equal(host.state, state, JSON.stringify(host));
    assert.equal("code" in host ? host.code : "", code);
    assert.ok("remedy" in host && host.remedy !== "");
  });
}

test("installed for another extension, or a program that is not there: said", async () => {
  await install("fine", { allowed_origins: ["chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"] });
  assert.equal((await hostIs()).state, "missing");
  await install("fine", { path: "/nowhere/trilane-host" });
  assert.notEqual((await hostIs()).state, "ready");
});

test("documents in parts are joined; parts that do not fit are garbage; a refusal is passed on", async () => {
  await install("fine");
  assert.equal((await ask(view, { do: "links" })).links[0]?.name, "3g");
  await install("parts");
  assert.equal((await refusal({ do: "links" })).code, "host-garbage");
  await install("refuses");
  assert.deepEqual(await refusal({ do: "links" }), { code: "failed", message: "links: none", remedy: "look for some" });
});

test("a race hands over contents without credentials, and is kept", async () => {
  const folder = await install("fine");
  const id = (await ask(view, race(await profile()))).race;
  const state = await ended(id);
  assert.equal(state.phase, "finished");
  assert.deepEqual(state.plts, { h2: [200, 400], h3: [100, 300] });
  const messages = asked(folder);
  const har = messages.flatMap(({ type, text }) => (type === "profile.data" ? [String(text)] : [])).join("");
  const { entries } = (JSON.parse(har) as { log: { entries: { response: { content: { text?: string } } }[] } }).log;
  assert.ok(entries.some(({ response }) => response.content.text?.includes("<h1>Shop</h1>")));
  assert.ok(!har.includes("s3cret"));
  const start = messages.find(({ type }) => type === "race.start");
  assert.deepEqual([start?.lanes, start?.link, start?.runs], [["h2", "h3"], "3g", 2]);
  // The contents are gone when they have been handed over.
  assert.deepEqual((await stateOf(view)).bodies, {});
  assert.equal((await refusal(race(state.profile))).code, "no-bodies");
});

test("the host ends in the middle of a race: it is followed again, and nothing is counted twice", async () => {
  await install("dies");
  const state = await ended((await ask(view, race(await profile()))).race);
  assert.equal(state.phase, "finished", JSON.stringify(state));
  assert.deepEqual(state.lanesDone, { h2: 2, h3: 2 });
});

test("the service worker is stopped in the middle of a race: the next one goes on with it", async () => {
  const folder = await install("waits");
  const id = (await ask(view, race(await profile()))).race;
  await until("loads are told", async () => (await stateOf(view)).races[id]?.done === 4);
  await extension.stopWorker();
  writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll(folder, join(home, "resumed")));
  mkdirSync(join(home, "resumed"));
  writeFileSync(
    join(home, "resumed", "host"),
    readFileSync(join(folder, "host"), "utf8").replace("'waits'", "'fine'").replaceAll(folder, join(home, "resumed")),
  );
  chmodSync(join(home, "resumed", "host"), 0o755);
  await ask(view, { do: "wake" });
  const state = await ended(id);
  assert.equal(state.phase, "finished", JSON.stringify(state));
  assert.deepEqual(state.lanesDone, { h2: 2, h3: 2 });
});

test("a race whose host cannot be reached any more ends as not known, and is asked for anew when it is opened", async () => {
  await install("waits");
  const id = (await ask(view, race(await profile()))).race;
  await until("loads are told", async () => (await stateOf(view)).races[id]?.done === 4);
  await extension.stopWorker();
  const installed = readFileSync(manifest, "utf8");
  rmSync(manifest);
  await ask(view, { do: "wake" });
  const kept = (outcome: string) =>
    until(`it is kept as ${outcome}`, async () => {
      const record = await stored<RaceRecord>(view, "race-rows", id);
      return record?.outcome === outcome ? record : null;
    });
  const { error } = await kept("failed");
  assert.equal(error?.code, "host-missing");
  assert.match(`${error?.message} ${error?.remedy}`, /unknown.*install-host.*open this race again/);

  await extension.stopWorker();
  const { path: program } = JSON.parse(installed) as { path: string };
  writeFileSync(program, readFileSync(program, "utf8").replace("'waits'", "'fine'"));
  writeFileSync(manifest, installed);
  const page = await extension.open(`views/race/race.html?race=${id}`);
  await kept("finished");
  await page.waitForFunction(() => document.querySelector("#outcome")?.textContent?.includes("None."));
  await page.close();
});

test("raced from a result page whose contents are gone: the page is loaded anew, and its race shown", async () => {
  const folder = await install("fine");
  const shop = await extension.browser.newPage();
  await shop.goto("http://shop.test/");
  const first = await profiled(view, shop);
  await shop.close();
  const result = await extension.open(`views/result/result.html?profile=${first.log._trilane.id}`);
  await result.waitForSelector("html[data-ready=yes]");
  await result.click("#race");
  await result.waitForSelector("#race-form button.main");
  const form = await result.evaluate(() => document.querySelector("#race-form")?.textContent ?? "");
  assert.match(form, /loaded once more/);
  assert.match(form, /passwords or tokens/);
  await result.click("#race-form button.main");
  await result.waitForFunction(() => location.pathname.endsWith("/race.html"));
  const id = new URL(result.url()).searchParams.get("race") ?? "";
  const state = await ended(id);
  assert.equal(state.phase, "finished", JSON.stringify(state));
  assert.notEqual(state.profile, first.log._trilane.id);
  const har = asked(folder)
    .flatMap(({ type, text }) => (type === "profile.data" ? [String(text)] : []))
    .join("");
  assert.match(har, /<h1>Shop<\/h1>/);
  await result.close();
  for (const each of await extension.browser.pages()) if (each.url() === "http://shop.test/") await each.close();
});

test("the disk is full while it is handed over: the race failed, the upload is dropped, the profile is kept", async () => {
  const folder = await install("full");
  const kept = await profile();
  const state = await ended((await ask(view, race(kept))).race);
  assert.deepEqual([state.phase, state.error?.code], ["failed", "disk-full"]);
  assert.equal(asked(folder).at(-1)?.type, "profile.abort");
  assert.equal((await refusal({ do: "race-result", race: "none" })).code, "no-race");
});

test("what is no action is refused", async () => {
  for (const action of [
    3,
    null,
    {},
    { do: "format-disk" },
    { do: "profile" },
    { do: "race", profile: "../x" },
    { ...race("a"), lanes: ["h9"] },
  ])
    assert.equal((await refusal(action as object)).code, "malformed", JSON.stringify(action));
});
