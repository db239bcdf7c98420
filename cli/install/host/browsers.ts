// Where the browsers that we know look for native messaging hosts on Linux. Reads the environment that is given; touches
// no file.
//
// Chrome and Chromium: developer.chrome.com, "Native messaging"; Edge: learn.microsoft.com, "Native messaging". Brave
// reads its own folder of a user, but Chrome's of the system. Firefox: MDN, "Native manifests"; it names extensions in its own way.
import { homedir } from "node:os";
import { join } from "node:path";

interface Places {
  /** What people call it. */
  readonly title: string;
  /** Of a user: below the folder of settings. */
  readonly user: string;
  readonly system: string;
}

/** Below a user's home folder. */
const firefoxFolder = ".mozilla/native-messaging-hosts";

/** The one maker whose browsers share a folder. */
export const makerFolder = "BraveSoftware";

const places = {
  chrome: { title: "Chrome", user: "google-chrome", system: "/etc/opt/chrome/native-messaging-hosts" },
  chromium: { title: "Chromium", user: "chromium", system: "/etc/chromium/native-messaging-hosts" },
  edge: { title: "Edge", user: "microsoft-edge", system: "/etc/opt/edge/native-messaging-hosts" },
  brave: {
    title: "Brave",
    user: `${makerFolder}/Brave-Browser`,
    system: "/etc/opt/chrome/native-messaging-hosts",
  },
  firefox: { title: "Firefox", user: firefoxFolder, system: "/usr/lib/mozilla/native-messaging-hosts" },
} as const satisfies Record<string, Places>;

export type Browser = keyof typeof places;

export const browsers = Object.keys(places) as readonly Browser[];

export const browserTitle = (browser: Browser): string => places[browser].title;

/** For whom: one user, all users of the machine, or one profile that a browser is started with (--user-data-dir). */
export type Level = { readonly kind: "user" | "system" } | { readonly kind: "profile"; readonly folder: string };

/** A folder that is looked into, and by whom. */
export interface HostsFolder {
  readonly path: string;
  /** Empty: whoever is started with that profile. */
  readonly browsers: readonly Browser[];
}

/** Whether its manifest names the extension as Firefox does. */
export const isFirefox = ({ browsers: of }: HostsFolder): boolean => of.includes("firefox");

/** Chromium's own rule for where settings are (the XDG specification says that programs ignore relative paths). */
export function settingsFolder(environment: NodeJS.ProcessEnv): string {
  const named = environment.CHROME_CONFIG_HOME || environment.XDG_CONFIG_HOME;
  return named?.startsWith("/") ? named : join(environment.HOME || homedir(), ".config");
}

/** The folders for these browsers, each once. */
export function hostsFolders(
  level: Level,
  chosen: readonly Browser[],
  environment: NodeJS.ProcessEnv = process.env,
): HostsFolder[] {
  if (level.kind === "profile") return [{ path: join(level.folder, "NativeMessagingHosts"), browsers: [] }];
  const pathOf = (browser: Browser): string => {
    if (level.kind === "system") return places[browser].system;
    if (browser === "firefox") return join(environment.HOME || homedir(), firefoxFolder);
    return join(settingsFolder(environment), places[browser].user, "NativeMessagingHosts");
  };
  return [...Map.groupBy(chosen, pathOf)].map(([path, of]) => ({ path, browsers: of }));
}
