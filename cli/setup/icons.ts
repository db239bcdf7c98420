// Draws extension/icons/SIZE.png from icon.svg (icon_16.svg at 16 pixels, on whole pixels) with Chromium. Run by hand
// when a drawing changes: `node cli/setup/icons.ts`. The pictures are committed, so that a build needs no browser.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout, chromiumPath } from "../programs.ts";

const icons = join(checkout, "extension", "icons");
const scratch = mkdtempSync(join(tmpdir(), "trilane-icons-"));
try {
  for (const size_px of [16, 32, 48, 128]) {
    const svg = readFileSync(join(icons, size_px === 16 ? "icon_16.svg" : "icon.svg"), "utf8");
    const html = join(scratch, "icon.html");
    const sized = svg.replace("<svg ", `<svg width="${size_px}" height="${size_px}" style="display:block" `);
    writeFileSync(html, `<!doctype html><style>body{margin:0}</style>${sized}`);
    execFileSync(
      chromiumPath(),
      [
        "--headless",
        "--no-sandbox",
        `--user-data-dir=${join(scratch, "profile")}`,
        `--window-size=${size_px},${size_px}`,
        "--force-device-scale-factor=1",
        "--default-background-color=00000000",
        `--screenshot=${join(icons, `${size_px}.png`)}`,
        `file://${html}`,
      ],
      { stdio: "ignore" },
    );
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
