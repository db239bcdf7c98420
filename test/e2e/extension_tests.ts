// The browser of a file's tests: opened with the extension beside a local site before the first of them, and closed after the last.
import { after, before } from "node:test";
import type { Page } from "puppeteer-core";
import { tempFolder } from "../temp_folder.ts";
import { type BrowserOptions, type ExtensionBrowser, startExtensionBrowser } from "./extension_browser.ts";
import { type LocalSite, startLocalSite } from "./extension_site.ts";

export const home = tempFolder("trilane-extension-");
export let site: LocalSite;
export let extension: ExtensionBrowser;
/** The extension's page that was asked for. */
export let view: Page;

interface Opened extends Omit<BrowserOptions, "home" | "port"> {
  /** Of a page of the extension. */
  readonly path?: string;
  readonly answers?: Parameters<typeof startLocalSite>[0];
}

/** `then`: what else comes before the tests. Hooks of a file itself do not wait for one another. */
export function openBefore({ path, answers, ...options }: Opened, then?: () => Promise<unknown>): void {
  before(async () => {
    site = await startLocalSite(answers);
    extension = await startExtensionBrowser({ home, port: site.port, ...options });
    if (path !== undefined) view = await extension.open(path);
    await then?.();
  });
  after(async () => {
    await extension?.close();
    await site?.close();
  });
}
