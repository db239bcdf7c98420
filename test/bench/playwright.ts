// A suite of Playwright's behind slow-4g, unchanged: the whole suite in `trilane shell`, and its browser alone by `trilane browser-wrapper`. Each
// navigation beside arithmetic, with what the browser takes without a link. Installs Playwright and Express from npm into a scratch folder; the browser is this machine's.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { RunError } from "../../cli/base/errors.ts";
import { checkout, chromiumPath } from "../../cli/base/programs.ts";
import { median } from "../../cli/base/quantile.ts";
import { textTable } from "../../cli/base/text_table.ts";
import { parseLink } from "../../cli/link/link.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const packages = ["@playwright/test@1.65", "express@5.3"];
const usualLink = "slow-4g";
const trilane = join(checkout, "cli", "trilane");
const own = join(import.meta.dirname, "playwright");

interface Navigation {
  readonly size: number;
  readonly time_ms: number;
  /** What the application read and wrote on its connections. */
  readonly up: number;
  readonly down: number;
}

/** IPv4, TCP and its time stamps; and what one packet carries beside. */
const heads_bytes = 52;
const payload_bytes = 1448;

/** A round trip each for the connection, the document and the image, which fits an initial window; and each byte at its rate. */
function theory_ms(link: string, { up, down }: Navigation): number {
  const profile = parseLink(link);
  const at = (bytes: number, rate_bps: number | null): number => (rate_bps === null ? 0 : (bytes * 8e3) / rate_bps);
  const onWire = (bytes: number): number => bytes + Math.ceil(bytes / payload_bytes) * heads_bytes;
  const syn_bytes = 60;
  const down_ms = at(onWire(down) + syn_bytes, profile.down.rate_bps);
  // Two requests, each a packet.
  return 3 * profile.rtt_ms + down_ms + at(up + 2 * heads_bytes + syn_bytes, profile.up.rate_bps);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new RangeError("no port");
  return address.port;
}

async function startApplication(folder: string, port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["app.mjs", String(port)], { cwd: folder, stdio: "ignore" });
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/bytes`).catch(() => null);
    if (answer?.ok) return child;
    await delay(50);
  }
  child.kill();
  throw new RunError("the Express application does not answer");
}

function makeSuite(folder: string): void {
  for (const name of ["app.mjs", "suite.spec.mjs"]) copyFileSync(join(own, name), join(folder, name));
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }\n');
  writeFileSync(
    join(folder, "playwright.config.mjs"),
    "export default { workers: 1, timeout: 60_000, use: { launchOptions: { executablePath: process.env.CHROMIUM } } };\n",
  );
  const env = { ...process.env, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" };
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder, env, stdio: "pipe" });
}

export const bench: Bench = async (say, only, { runs, ...chosen }) => {
  const link = chosen.link ?? usualLink;
  const folder = tempFolder("trilane-bench-playwright-");
  let application: ChildProcess | null = null;
  try {
    say(`installing ${packages.join(" and ")}`);
    makeSuite(folder);
    const port = await freePort();
    application = await startApplication(folder, port);
    const reach = ["--link", link, "--reach", `localhost:${port}`];
    const wrapper = join(folder, "shaped-chromium");
    writeFileSync(wrapper, execFileSync(trilane, ["browser-wrapper", ...reach], { stdio: ["ignore", "pipe", "pipe"] }));
    chmodSync(wrapper, 0o755);
    const suite = [join(folder, "node_modules", ".bin", "playwright"), "test"];
    const ways = {
      // What the browser itself takes: it is in all others, too.
      alone: { words: suite, browser: chromiumPath() },
      shell: { words: [trilane, "shell", ...reach, "--", ...suite], browser: chromiumPath() },
      wrapper: { words: suite, browser: wrapper },
    };
    const measured: Measurement[] = [];
    const alone_ms = new Map<number, number>();
    for (const [name, { words, browser }] of Object.entries(ways)) {
      const isAlone = name === "alone";
      if (!isAlone && !name.includes(only)) continue;
      const times = join(folder, `times-${name}`);
      for (let run = 0; run < (runs ?? 3); run++) {
        const env = { ...process.env, PORT: String(port), TIMES: times, CHROMIUM: browser };
        const [program = "", ...rest] = words;
        execFileSync(program, rest, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
      }
      const lines = readFileSync(times, "utf8").trim().split("\n");
      const navigations = lines.map((line) => JSON.parse(line) as Navigation);
      if (isAlone) {
        for (const [size, own] of Map.groupBy(navigations, (each) => each.size))
          alone_ms.set(size, median(own.map(({ time_ms }) => time_ms)));
        measured.push(measurement("alone: navigation", [...alone_ms.values()], null));
        continue;
      }
      const rows = navigations.map((each) => {
        const expected_ms = theory_ms(link, each) + (alone_ms.get(each.size) ?? 0);
        const percent = (each.time_ms / expected_ms - 1) * 100;
        return { percent, cells: [each.size, each.time_ms.toFixed(1), expected_ms.toFixed(1), percent.toFixed(2)] };
      });
      const heads = ["page", "navigation, ms", "theory and alone, ms", "difference, %"];
      say(`${name}, ${link}:\n${textTable([heads, ...rows.map(({ cells }) => cells.map(String))]).join("\n")}`);
      const apart = rows.map(({ percent }) => Math.abs(percent));
      measured.push(measurement(`${name}: navigation against theory and alone`, apart, 3, { unit: "%" }));
    }
    return measured;
  } finally {
    application?.kill();
  }
};
