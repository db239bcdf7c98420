// Playwright Test with its browser behind a link: import `test` from here in place of @playwright/test.
import { test as base } from "@playwright/test";
import { openLab } from "trilane";

export { expect } from "@playwright/test";
export const test = base.extend({
  lab: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture uses from its first argument
    async ({}, use) => {
      await using lab = await openLab({
        link: process.env.LINK ?? "slow-4g",
        reach: `localhost:${process.env.PORT ?? 3000}`,
      });
      await use(lab);
    },
    { scope: "worker" },
  ],
  launchOptions: [({ lab }, use) => use({ executablePath: lab.executablePath }), { scope: "worker" }],
});
