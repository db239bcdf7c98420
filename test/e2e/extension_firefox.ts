// A real Firefox with the extension installed for the time, driven by WebDriver BiDi. With every *.test host at one local server, or in a lab
// that serves a recording over one lane and link.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Lane } from "../../cli/base/lanes.ts";
import { browserProgram, checkout } from "../../cli/base/programs.ts";
import { usualDevice } from "../../cli/browser/device.ts";
import { type Bidi, type Params, startFirefox } from "../../cli/browser/firefox/bidi.ts";
import { bridgeCommand } from "../../cli/browser/firefox/bridge.ts";
import { firefoxEnvironment, firefoxWords, preferencesOf, preferencesText } from "../../cli/browser/firefox/profile.ts";
import { buildExtension } from "../../cli/install/extension.ts";
import { parseLink } from "../../cli/link/link.ts";
import { labCommand } from "../../cli/load/lab.ts";
import { laneOriginOptions } from "../../cli/load/lane_origins.ts";
import type { Action, Answers, State } from "../../extension/actions.ts";
import identity from "../../schemas/extension.json" with { type: "json" };
import type { Profile } from "../../schemas/generated/profile.ts";
import { tempFolder } from "../temp_folder.ts";

/** Why there is no Firefox to test with; false: there is one. */
export function noFirefox(): string | false {
  try {
    browserProgram("firefox");
    return false;
  } catch {
    return "no Firefox is installed (apt install firefox-esr)";
  }
}

const uuid = "5c1f2a3e-7d44-4b5a-9f60-3f2b8f5d7a10";
export const firefoxUrl = `moz-extension://${uuid}/`;

export interface FirefoxOptions {
  readonly home: string;
  readonly lab?: {
    readonly recording: string;
    readonly lane: Lane;
    readonly link: string;
    readonly hosts: readonly string[];
  };
  readonly hosts?: readonly string[];
  /** Whether the native host is installed for it. Default: no. */
  readonly host?: boolean;
}

/** In a window where there is a screen (`xvfb-run`), as a person has it; headless elsewhere. */
const { DISPLAY: screen, XAUTHORITY: authority = "" } = process.env;
const wordsHere = (words: readonly string[]): string[] =>
  words.filter((word) => screen === undefined || word !== "--headless");
const environmentHere = (environment: Record<string, string>): Record<string, string> =>
  screen === undefined ? environment : { ...environment, DISPLAY: screen, XAUTHORITY: authority };

export interface FirefoxTab {
  readonly context: string;
  goto(url: string): Promise<void>;
  /** The value of a function's call in the page, as JSON. */
  evaluate<T, A extends readonly unknown[]>(call: (...words: A) => T | Promise<T>, ...words: A): Promise<T>;
  /** As a person presses it. */
  click(selector: string): Promise<void>;
  /** PNG, base64. */
  screenshot(): Promise<string>;
  close(): Promise<void>;
}

export interface ExtensionFirefox {
  readonly bidi: Bidi;
  /** Its home folder, which is its profile, too. */
  readonly folder: string;
  open(url: string): Promise<FirefoxTab>;
  ask<A extends Action["do"]>(view: FirefoxTab, action: Extract<Action, { do: A }>): Promise<Answers[A] & { ok: true }>;
  close(): Promise<void>;
}

function tabOf(bidi: Bidi, context: string): FirefoxTab {
  return {
    context,
    async goto(url) {
      await bidi.send("browsingContext.navigate", { context, url, wait: "complete" });
    },
    async evaluate<T, A extends readonly unknown[]>(call: (...words: A) => T | Promise<T>, ...words: A): Promise<T> {
      const text = `(${call})(...${JSON.stringify(words)})`;
      const answer = await bidi.send("script.evaluate", {
        expression: `(async () => JSON.stringify(await ${text} ?? null))()`,
        target: { context },
        awaitPromise: true,
      });
      if (answer.type !== "success") throw new Error(JSON.stringify(answer.exceptionDetails));
      return JSON.parse((answer.result as { value: string }).value) as T;
    },
    async click(selector) {
      const { nodes } = (await bidi.send("browsingContext.locateNodes", {
        context,
        locator: { type: "css", value: selector },
      })) as unknown as { nodes: { sharedId: string }[] };
      const [element] = nodes;
      if (!element) throw new Error(`there is no ${selector}`);
      const origin = { type: "element", element: { sharedId: element.sharedId } };
      await bidi.send("input.performActions", {
        context,
        actions: [
          {
            type: "pointer",
            id: "mouse",
            actions: [
              { type: "pointerMove", x: 0, y: 0, origin },
              { type: "pointerDown", button: 0 },
              { type: "pointerUp", button: 0 },
            ],
          },
        ],
      });
    },
    async screenshot() {
      return String((await bidi.send("browsingContext.captureScreenshot", { context })).data);
    },
    async close() {
      await bidi.send("browsingContext.close", { context });
    },
  };
}

export async function startExtensionFirefox(options: FirefoxOptions): Promise<ExtensionFirefox> {
  const { home, lab, hosts = [] } = options;
  const folder = tempFolder("trilane-firefox-extension-");
  const [profile, temporary, extension] = ["profile", "tmp", "extension"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(profile);
  mkdirSync(temporary);
  await buildExtension({ firefox: true, out: extension });
  const preferences = preferencesOf({ lane: lab?.lane ?? "h2", hosts: lab?.hosts ?? [] });
  const own = {
    ...preferences,
    "network.dns.localDomains": [preferences["network.dns.localDomains"], ...hosts].join(","),
    "extensions.webextensions.uuids": JSON.stringify({ [identity.firefox_id]: uuid }),
    // Nobody could press the button of its question.
    "extensions.webextOptionalPermissionPrompts": false,
  };
  writeFileSync(join(profile, "user.js"), preferencesText(own));
  if (options.host)
    execFileSync(join(checkout, "cli", "trilane"), ["install-host", "--browser", "firefox", "--home", home], {
      env: { ...process.env, HOME: profile },
      stdio: ["ignore", "ignore", "inherit"],
    });
  const inLab =
    lab &&
    labCommand({
      home,
      recording: lab.recording,
      link: parseLink(lab.link),
      reports: null,
      replayOptions: laneOriginOptions(lab.lane),
    });
  const firefox = await startFirefox({
    commandLine: [
      ...(inLab ? [...inLab.replay, ...inLab.shaper] : []),
      ...bridgeCommand(),
      ...wordsHere(firefoxWords(browserProgram("firefox"), profile, usualDevice)),
    ],
    environment: environmentHere(firefoxEnvironment(profile, temporary)),
    timeout_ms: 60_000,
  });
  const { bidi } = firefox;
  const close = async (): Promise<void> => {
    await firefox.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { extension: id } = await bidi.send("webExtension.install", {
      extensionData: { type: "path", path: extension },
    });
    if (id !== identity.firefox_id) throw new Error(`the extension's id is ${String(id)}`);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    bidi,
    folder: profile,
    close,
    async open(url) {
      const { context } = await bidi.send("browsingContext.create", { type: "tab" });
      const tab = tabOf(bidi, String(context));
      await tab.goto(url);
      return tab;
    },
    async ask(view, action) {
      const answer = await view.evaluate((message) => chrome.runtime.sendMessage(message), action as Params);
      if (!(answer as { ok: boolean }).ok) throw new Error(JSON.stringify(answer));
      return answer as never;
    },
  };
}

export const stateIn = (view: FirefoxTab): Promise<State> =>
  view.evaluate(async () => (await chrome.storage.session.get("status")).status as State);

/** A profile of the history, as a page of the extension reads it. */
export const profileIn = (view: FirefoxTab, id: string): Promise<Profile | null> =>
  view.evaluate(
    (key) =>
      new Promise<Profile | null>((resolve, reject) => {
        const opening = indexedDB.open("trilane");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const getting = opening.result.transaction("profiles").objectStore("profiles").get(key);
          getting.onerror = () => reject(getting.error);
          getting.onsuccess = () => resolve((getting.result as Profile | undefined) ?? null);
        };
      }),
    id,
  );

/** Of the tab that shows this. */
export async function tabIdOf(view: FirefoxTab, url: string): Promise<number> {
  const id = await view.evaluate(async (wanted) => {
    const tabs = await chrome.tabs.query({});
    return tabs.find((tab) => tab.url === wanted)?.id ?? null;
  }, url);
  if (id === null) throw new Error(`no tab shows ${url}`);
  return id;
}
