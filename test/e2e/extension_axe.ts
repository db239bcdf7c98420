// axe-core in a page of the extension: what it finds serious or critical, as lines that name rule and place.
import axe from "axe-core";
import type { Page } from "puppeteer-core";

interface Finding {
  readonly id: string;
  readonly impact?: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

/** In light and in dark; empty where there is nothing. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const lines: string[] = [];
  for (const scheme of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.evaluate(axe.source);
    const violations = (await page.evaluate(
      "axe.run(document, { resultTypes: ['violations'] }).then((results) => results.violations)",
    )) as Finding[];
    for (const { id, impact, help, nodes } of violations)
      if (impact === "serious" || impact === "critical")
        for (const node of nodes)
          lines.push(`${scheme}: ${id}: ${help}: ${node.target.join(" ")}: ${node.failureSummary}`);
  }
  await page.emulateMediaFeatures([]);
  return lines;
}
