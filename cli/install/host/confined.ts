// Browsers that start no program outside their own sandbox, so that no manifest helps: snaps (bug 1741074 of Ubuntu's
// chromium-browser) and Flatpaks. Known by the folders that they leave; starts nothing.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const packages = [
  { title: "Chromium's snap", folder: "snap/chromium" },
  { title: "Brave's snap", folder: "snap/brave" },
  { title: "Chromium's Flatpak", folder: ".var/app/org.chromium.Chromium" },
  { title: "Chrome's Flatpak", folder: ".var/app/com.google.Chrome" },
  { title: "Edge's Flatpak", folder: ".var/app/com.microsoft.Edge" },
  { title: "Brave's Flatpak", folder: ".var/app/com.brave.Browser" },
] as const;

/** What people call those that this user has. */
export function confinedBrowsers(environment: NodeJS.ProcessEnv = process.env): string[] {
  const home = environment.HOME || homedir();
  return packages.filter(({ folder }) => existsSync(join(home, folder))).map(({ title }) => title);
}

export const confinedRemedy =
  "it starts no program of this machine: use a browser from its maker's .deb, or Debian's chromium, to race pages from it";
