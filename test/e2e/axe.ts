// axe-core in a page: all that it finds, as lines that name rule and place.
import axe from "axe-core";
import type { Page } from "puppeteer-core";

interface Finding {
  readonly id: string;
  readonly impact?: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

/** In light and in dark; empty if there is nothing. `isMinorLeft`: only what axe calls serious or critical. */
export async function axeFindings(page: Page, isMinorLeft = false): Promise<string[]> {
  const lines: string[] = [];
  for (const scheme of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.evaluate(axe.source);
    const violations = (await page.evaluate(
      "axe.run(document, { resultTypes: ['violations'] }).then((results) => results.violations)",
    )) as Finding[];
    for (const { id, impact, help, nodes } of violations)
      if (!isMinorLeft || impact === "serious" || impact === "critical")
        for (const node of nodes)
          lines.push(`${scheme}: ${id} (${impact}): ${help}: ${node.target.join(" ")}: ${node.failureSummary}`);
  }
  await page.emulateMediaFeatures([]);
  return lines;
}
