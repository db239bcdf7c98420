// A real Chromium with the extension installed, as a person has it: the toolbar button is pressed, popups and pages are
// looked at through puppeteer. In a lab that serves a recording over one lane and link, or on this machine's own network
// with every *.test host at one local server. With the native host, where a test asks for it.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Browser, type Extension, launch, type Page, type Target, type WebWorker } from "puppeteer-core";
import type { Lane } from "../../cli/base/lanes.ts";
import { checkout, chromiumPath } from "../../cli/base/programs.ts";
import { userAgentOf } from "../../cli/browser/browser_binary.ts";
import { chromiumArguments, chromiumEnvironment } from "../../cli/browser/chromium.ts";
import { buildExtension } from "../../cli/install/extension.ts";
import { parseLink } from "../../cli/link/link.ts";
import { labCommand, spkiList } from "../../cli/load/lab.ts";
import { laneOriginOptions } from "../../cli/load/lane_origins.ts";
import type { Action, Answers, State } from "../../extension/actions.ts";
import identity from "../../schemas/extension.json" with { type: "json" };
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import type { Profile } from "../../schemas/generated/profile.ts";
import { tempFolder } from "../temp_folder.ts";

export const extensionUrl = `chrome-extension://${identity.id}/`;

export interface BrowserOptions {
  /** The data folder: recordings, profiles that were handed over, races. */
  readonly home: string;
  /** A lab that serves this recording; else the machine's own network. */
  readonly lab?: { readonly recording: string; readonly lane: Lane; readonly link: string };
  /** Port of the local server that has every *.test host, where there is no lab. */
  readonly port?: number;
  /** Whether the native host is installed for this browser. Default: no. */
  readonly host?: boolean;
  /**
   * The permission to talk to the host: had from the start, or the browser says yes when it is asked (as it does again once a
   * user has; nobody could press a button of its question here). Default: had.
   */
  readonly permission?: "had" | "given when asked";
  readonly width?: number;
  readonly height?: number;
}

export interface ExtensionBrowser {
  readonly browser: Browser;
  /** The browser's own folder, with NativeMessagingHosts in it. */
  readonly userData: string;
  /** The service worker; started where it sleeps. */
  worker(): Promise<WebWorker>;
  /** A page of the extension in a tab of its own. */
  open(path: string): Promise<Page>;
  /** Presses the toolbar button while `page` is in front; the popup. */
  popup(page: Page): Promise<Page>;
  /** Stops the service worker, as the browser does after 30 idle seconds. */
  stopWorker(): Promise<void>;
  close(): Promise<void>;
}

const optional = ["nativeMessaging"] as const;
const built = new Map<number, Promise<string>>();

/** The extension with these optional permissions from the start, built once a process. */
function extensionFolder(granted: readonly string[]): Promise<string> {
  const before = built.get(granted.length);
  if (before) return before;
  const building = (async () => {
    const folder = tempFolder("trilane-extension-");
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const out = join(folder, "extension");
    await buildExtension({ out, granted });
    return out;
  })();
  built.set(granted.length, building);
  return building;
}

/** What the browser keeps of a user's yes; and of developer mode, without which no unpacked extension starts anew. */
function writeConsent(userData: string): void {
  const granted = { api: optional, explicit_host: [], manifest_permissions: [], scriptable_host: [] };
  const settings = { [identity.id]: { granted_permissions: granted, runtime_granted_permissions: granted } };
  mkdirSync(join(userData, "Default"));
  for (const name of ["Preferences", "Secure Preferences"])
    writeFileSync(
      join(userData, "Default", name),
      JSON.stringify({ extensions: { settings, ui: { developer_mode: true } } }),
    );
}

const withExtensions = (word: string): boolean => word !== "--disable-extensions" && word !== "about:blank";

async function commandLine(options: BrowserOptions, userData: string): Promise<string[]> {
  const { home, lab, port } = options;
  const lane = lab?.lane ?? "h2";
  const chromium = chromiumPath();
  const asked = { lane, profile: userData, spkiList: await spkiList(home), userAgent: await userAgentOf(chromium) };
  const words = [
    chromium,
    ...chromiumArguments(asked).filter(withExtensions),
    "--enable-unsafe-extension-debugging",
    ...(options.width === undefined ? [] : [`--window-size=${options.width},${options.height ?? 900}`]),
    // A lab's browser runs as nobody special; on this machine root has no sandbox.
    ...(lab === undefined && process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    ...(port === undefined
      ? []
      : [
          `--host-resolver-rules=MAP *.test 127.0.0.1:${port}`,
          // Service workers are for secure pages, which a server without certificates cannot have.
          "--unsafely-treat-insecure-origin-as-secure=http://shop.test",
        ]),
    "about:blank",
  ];
  if (lab === undefined) return words;
  const { replay, shaper } = labCommand({
    home,
    recording: lab.recording,
    link: parseLink(lab.link),
    reports: null,
    replayOptions: laneOriginOptions(lab.lane),
  });
  return [...replay, ...shaper, ...words];
}

export async function startExtensionBrowser(options: BrowserOptions): Promise<ExtensionBrowser> {
  const folder = tempFolder("trilane-browser-");
  const userData = join(folder, "profile");
  const temporary = join(folder, "tmp");
  mkdirSync(userData);
  mkdirSync(temporary);
  if (options.host) {
    const words = ["install-host", "--user-data-dir", userData, "--home", options.home];
    execFileSync(join(checkout, "cli", "trilane"), words, { stdio: ["ignore", "ignore", "inherit"] });
  }
  const asks = options.permission === "given when asked";
  if (asks) writeConsent(userData);
  const [program = "", ...words] = await commandLine(options, userData);
  const browser = await launch({
    executablePath: program,
    args: words,
    ignoreDefaultArgs: true,
    pipe: true,
    env: chromiumEnvironment(userData, temporary, process.env),
    defaultViewport: null,
    timeout: 60_000,
    protocolTimeout: 120_000,
    // A second listener to every request would cost the page time.
    networkEnabled: false,
  });
  try {
    const id = await browser.installExtension(await extensionFolder(asks ? [] : optional));
    if (id !== identity.id) throw new Error(`the extension's id is ${id}, not ${identity.id}`);
    const extension = (await browser.extensions()).get(id);
    if (!extension) throw new Error("the extension is not installed");
    await answers(browser);
    return controls(browser, extension, userData, folder);
  } catch (error) {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

const isWorker = (target: Target): boolean =>
  target.type() === "service_worker" && target.url().startsWith(extensionUrl);

/** The service worker's first start: a press of the button before it would be lost. */
async function answers(browser: Browser): Promise<void> {
  const target = await browser.waitForTarget(isWorker, { timeout: 60_000 });
  const worker = await target.worker();
  await worker?.evaluate(() => chrome.runtime.id);
}

function controls(browser: Browser, extension: Extension, userData: string, folder: string): ExtensionBrowser {
  const open = async (path: string): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(extensionUrl + path);
    return page;
  };
  return {
    browser,
    userData,
    open,
    async worker() {
      const target = browser.targets().find(isWorker);
      if (target) {
        const worker = await target.worker();
        if (worker) return worker;
      }
      // A message from any page of ours wakes it.
      const page = await open("manifest.json");
      try {
        const waiting = browser.waitForTarget(isWorker, { timeout: 60_000 });
        await page.evaluate(() => void chrome.runtime.sendMessage({ do: "wake" }).catch(() => {}));
        const worker = await (await waiting).worker();
        if (!worker) throw new Error("the service worker does not start");
        return worker;
      } finally {
        await page.close();
      }
    },
    async popup(page) {
      await page.bringToFront();
      const isPopup = (target: Target): boolean => target.url().startsWith(`${extensionUrl}views/popup/`);
      const waiting = browser.waitForTarget(isPopup, { timeout: 60_000 });
      await page.triggerExtensionAction(extension);
      return await (await waiting).asPage();
    },
    async stopWorker() {
      const target = browser.targets().find(isWorker);
      if (!target) return;
      const gone = new Promise<void>((resolve) => {
        browser.on("targetdestroyed", function gone(destroyed: Target) {
          if (destroyed !== target) return;
          browser.off("targetdestroyed", gone);
          resolve();
        });
      });
      const worker = await target.worker();
      await worker?.close();
      await gone;
    },
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the page of the extension is answered to a message, as its own code would be. Throws where it is refused. */
export async function ask<A extends Action["do"]>(
  page: Page,
  action: Extract<Action, { do: A }>,
): Promise<Answers[A] & { ok: true }> {
  const answer = await page.evaluate((message: unknown) => chrome.runtime.sendMessage(message), action);
  if (!(answer as { ok: boolean }).ok) throw new Error(JSON.stringify(answer));
  return answer as Answers[A] & { ok: true };
}

/** The state that views watch. */
export async function stateOf(page: Page): Promise<State> {
  return await page.evaluate(async () => (await chrome.storage.session.get("status")).status as State);
}

/** Looks until it holds, for some time. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  patience_ms = 60_000,
): Promise<T> {
  const deadline = Date.now() + patience_ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`within ${patience_ms / 1000} s: ${what}`);
    await delay(50);
  }
}

/** What two captures of one page must agree in, request by request, in an order of their own. */
export function requestFacts(entries: readonly HarEntry[]): string[] {
  return entries
    .map(
      (entry) => `${entry.request.method} ${entry.request.url} ${entry.response.status} ${entry.response.httpVersion}`,
    )
    .sort();
}

/** A document of the extension's history, as `page`, one of its own, reads it; null: not there (yet). */
export async function stored<T>(page: Page, store: string, id: string): Promise<T | null> {
  return (await page.evaluate(
    (name, key) =>
      new Promise<unknown>((resolve, reject) => {
        const opening = indexedDB.open("trilane");
        opening.onerror = () => reject(opening.error);
        // Nothing was ever kept: the extension is to make its stores itself.
        opening.onupgradeneeded = () => opening.transaction?.abort();
        opening.onsuccess = () => {
          const database = opening.result;
          const getting = database.transaction(name).objectStore(name).get(key);
          getting.onerror = () => reject(getting.error);
          getting.onsuccess = () => {
            database.close();
            resolve(getting.result ?? null);
          };
        };
      }),
    store,
    id,
  )) as T | null;
}

export const storedProfile = (page: Page, id: string): Promise<Profile | null> => stored(page, "profiles", id);

/** Profiles the tab of `page` as the popup does, and waits for what comes of it. */
export async function profiled(
  view: Page,
  page: Page,
  {
    cache = "off",
    keepBodies = false,
    patience_ms = 60_000,
  }: { cache?: "off" | "on"; keepBodies?: boolean; patience_ms?: number } = {},
): Promise<Profile> {
  const tabId = await tabOf(view, page);
  const { profile } = await ask(view, { do: "profile", tabId, cache, keepBodies });
  const last = await until(
    `profile ${profile} of ${page.url()}`,
    async () => {
      const state = await stateOf(view);
      return state.profiling === null && state.last?.tabId === tabId ? state.last : null;
    },
    patience_ms,
  );
  if (last.profile !== profile) throw new Error(`no profile: ${JSON.stringify(last)}`);
  const stored = await storedProfile(view, profile);
  if (!stored) throw new Error(`profile ${profile} is not in the history`);
  return stored;
}

/** chrome.tabs' number for the tab that is in front. */
export async function tabOf(view: Page, page: Page): Promise<number> {
  await page.bringToFront();
  const id = await view.evaluate(async () => (await chrome.tabs.query({ active: true, currentWindow: true }))[0]?.id);
  if (id === undefined) throw new Error("no tab is in front");
  return id;
}
