// How a browser is stored and shown in words: results and plans knew one engine before they knew two, so Chromium's version stands alone in
// them, and another engine's behind its name.

/** As results keep it: "156.0.7000.1", "Firefox 153.8.0". */
export const keptBrowser = (engine: string, version: string): string =>
  engine === "Chromium" ? version : `${engine} ${version}`;

/** For a reader, of what is kept: "Chromium 156.0.7000.1". */
export const browserInWords = (kept: string): string => (/^[A-Z]/i.test(kept) ? kept : `Chromium ${kept}`);

/** Versions by product, of a load's environment or a machine's facts, as they are kept. */
export function keptBrowsers(versions: Readonly<Record<string, string | readonly string[] | undefined>>): string[] {
  const { chromium = [], firefox = [] } = versions;
  const of = (engine: string, versions: string | readonly string[]): string[] =>
    [versions].flat().map((version) => keptBrowser(engine, version));
  return [...of("Chromium", chromium), ...of("Firefox", firefox)];
}
