// node:test and puppeteer with the browser behind a link. The server stays outside, and so does the test.
import assert from "node:assert/strict";
import { test } from "node:test";
import puppeteer from "puppeteer-core";
import { openLab } from "trilane";

const port = process.env.PORT ?? "3000";

test("the page is there within three seconds on slow 4G, and on a slower link it still comes", async () => {
  await using lab = await openLab({ link: "slow-4g", reach: `localhost:${port}` });
  const browser = await puppeteer.launch({ executablePath: lab.executablePath, pipe: true });
  const page = await browser.newPage();
  await page.goto(`http://localhost:${port}/`, { timeout: 3000 });
  await lab.change({ down: "100kbit" });
  assert.equal((await page.reload())?.status(), 200);
  const [link] = await lab.stats();
  assert.ok(link && link.down.bytes_out > 0);
  await browser.close();
});
