// Ten tests as people write them; each notes how long its navigation took by the browser's own clock.
import { appendFileSync } from "node:fs";
import { expect, test } from "@playwright/test";

const { PORT, TIMES } = process.env;

for (let size = 1; size <= 10; size++)
  test(`page ${size} shows its title`, async ({ page }) => {
    await page.goto(`http://localhost:${PORT}/page/${size}`);
    await expect(page).toHaveTitle(`Page ${size}`);
    const { loadEventEnd: end_ms } = await page.evaluate(() => performance.getEntriesByType("navigation")[0].toJSON());
    const bytes = await page.request.get(`http://localhost:${PORT}/bytes`);
    appendFileSync(TIMES, `${JSON.stringify({ size, time_ms: end_ms, ...(await bytes.json()) })}\n`);
  });
