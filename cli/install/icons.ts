// Draws extension/icons/SIZE.png from icon.svg (icon_16.svg at 16 pixels, on whole pixels) with Chromium. Run by hand
// when a drawing changes: `node cli/install/icons.ts`. The pictures are committed, so that a build needs no browser.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout, chromiumPath } from "../base/programs.ts";
import { startBrowser } from "../browser/browser.ts";

const icons = join(checkout, "extension", "icons");
const scratch = mkdtempSync(join(tmpdir(), "trilane-icons-"));
const browser = await startBrowser({
  commandLine: [
    chromiumPath(),
    "--headless",
    "--no-sandbox",
    "--remote-debugging-pipe",
    `--user-data-dir=${scratch}`,
    "about:blank",
  ],
  environment: { PATH: process.env.PATH ?? "", HOME: scratch },
  timeout_ms: 30_000,
});
try {
  const { connection } = browser;
  const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
  const { targetInfo } = await connection.send("Target.getTargetInfo", { targetId });
  const page = await connection.createSession(targetInfo);
  await page.send("Emulation.setDefaultBackgroundColorOverride", { color: { r: 0, g: 0, b: 0, a: 0 } });
  const { frameTree } = await page.send("Page.getFrameTree");
  for (const size_px of [16, 32, 48, 128]) {
    const svg = readFileSync(join(icons, size_px === 16 ? "icon_16.svg" : "icon.svg"), "utf8");
    const sized = svg.replace("<svg ", `<svg width="${size_px}" height="${size_px}" style="display:block" `);
    const html = `<!doctype html><style>body{margin:0}</style>${sized}`;
    await page.send("Page.setDocumentContent", { frameId: frameTree.frame.id, html });
    const clip = { x: 0, y: 0, width: size_px, height: size_px, scale: 1 };
    const { data } = await page.send("Page.captureScreenshot", { format: "png", clip });
    writeFileSync(join(icons, `${size_px}.png`), Buffer.from(data, "base64"));
  }
} finally {
  await browser.stop();
  rmSync(scratch, { recursive: true, force: true });
}
