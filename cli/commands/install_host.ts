// `trilane install-host`: lets the extension reach this installation. The work is cli/install/host's.
import { resolve } from "node:path";
import type { HostInstalled } from "../../schemas/generated/host_installed.ts";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { count } from "../base/numbers.ts";
import { flag } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { type Browser, browsers, browserTitle, type Level } from "../install/host/browsers.ts";
import { confinedBrowsers, confinedRemedy } from "../install/host/confined.ts";
import { type HostPlace, installHost, uninstallHost } from "../install/host/install.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .option("browser", { describe: `${browsers.join(", ")}; several separated by commas (default: all of them)` })
    .option("system", flag("for all users of this machine (as root)"))
    .option("user-data-dir", { describe: "only for the browser that is started with this profile" })
    .option("uninstall", flag("take it away again"))
    .example("trilane install-host", "for Chrome, Chromium, Edge, Brave and Firefox of this user")
    .example("trilane install-host --browser chromium --uninstall", "Chromium no longer")
    .example("sudo trilane install-host --system", "for all users");

type InstallHostOptions = OptionsOf<typeof define>;

function readBrowsers(text: string | undefined): Browser[] {
  if (text === undefined) return [...browsers];
  return text.split(",").map((word) => {
    const name = word.trim().toLowerCase();
    const known = browsers.find((browser) => browser === name);
    if (!known) throw new UserError(`--browser ${JSON.stringify(word)}: is none of ${browsers.join(", ")}`);
    return known;
  });
}

function readLevel({ system, "user-data-dir": folder, browser }: InstallHostOptions): Level {
  if (folder === undefined) return { kind: system ? "system" : "user" };
  if (system) throw new UserError("--user-data-dir is one profile, --system all users: give one of them");
  if (browser !== undefined)
    throw new UserError("--user-data-dir is read by whichever browser has it: leave out --browser");
  return { kind: "profile", folder: resolve(folder) };
}

function placeOf(options: InstallHostOptions): HostPlace {
  const level = readLevel(options);
  const { home: option } = options;
  if (level.kind === "system" && option !== undefined)
    throw new UserError("--system is for all users, each with a data folder of their own: leave out --home");
  // The host gets what this call got: a browser passes on neither words nor a shell's variables.
  const named = option || process.env.TRILANE_HOME;
  const home = homeFolder(option);
  const settings =
    level.kind === "system"
      ? { home: null, chromium: null }
      : { home: named ? home : null, chromium: process.env.TRILANE_BROWSER || process.env.TRILANE_CHROMIUM || null };
  return { level, browsers: readBrowsers(options.browser), settings, home };
}

function lines({ action, program, version, extension, manifests }: HostInstalled): string[] {
  const shown = manifests.map(({ path, browsers: readers, state }) => {
    const who = readers.map(browserTitle).join(", ");
    return `${state.padEnd(9)}  ${path}${who === "" ? "" : `  (${who})`}`;
  });
  if (action === "removed") {
    const removed = manifests.filter(({ state }) => state === "removed").length;
    return [...shown, removed === 0 ? "nothing to remove" : `removed ${count(removed, "manifest")}`];
  }
  const confined = confinedBrowsers().map((title) => `not for ${title}: ${confinedRemedy}`);
  return [...shown, ...confined, `${program} answers (${version}), and only the extension ${extension}`];
}

export const command: Command<InstallHostOptions> = {
  usage: "install-host",
  summary: "Let the browser extension use this installation",
  define,
  run: async (options) => {
    const place = placeOf(options);
    const installed = options.uninstall ? uninstallHost(place) : await installHost(place);
    if (options.json) printJson(installed);
    else printLines(lines(installed));
  },
};
