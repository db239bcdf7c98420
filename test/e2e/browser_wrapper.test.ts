// `trilane browser-wrapper` and openLab: a browser alone behind a link, for test programs that take a browser's path. By a pipe and
// by the debugging port, with puppeteer outside; what it may reach, a link that is changed, and what is left when it is killed.
// The examples run as they stand, that of Playwright Test if it is installed.
// Wide: cli/api, cli/commands/browser_wrapper.ts, native-host/guard, shaper.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import puppeteer, { type Browser } from "puppeteer-core";
import { openLab } from "../../cli/api/open_lab.ts";
import { checkout, chromiumPath } from "../../cli/base/programs.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite } from "./site.ts";

const scratch = tempFolder("trilane-wrapper-");
const home = join(scratch, "home");
const trilane = join(checkout, "cli", "trilane");
const run = promisify(execFile);

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

let asked = 0;
const served = createServer((request, response) => {
  if (request.url === "/large") response.end(Buffer.alloc(200_000));
  else response.setHeader("content-type", "text/html").end("<!doctype html><title>served</title><p>hello");
});
const other = createServer((_, response) => {
  asked += 1;
  response.setHeader("access-control-allow-origin", "*").end("never");
});
let port = 0;
let otherPort = 0;
before(async () => {
  await recordSite(home, "site", [{ url: "https://site.test/", body: "<!doctype html><title>recorded</title>" }]);
  port = await listen(served);
  otherPort = await listen(other);
});
after(() => {
  for (const server of [served, other]) server.closeAllConnections();
  for (const server of [served, other]) server.close();
});

async function wrapper(name: string, ...words: string[]): Promise<string> {
  const path = join(scratch, name);
  const line = '"$0" browser-wrapper "$@" > "$WRAPPER"';
  await run("sh", ["-c", line, trilane, "--home", home, ...words], { env: { ...process.env, WRAPPER: path } });
  return path;
}

async function using<Result>(browser: Browser, work: (browser: Browser) => Promise<Result>): Promise<Result> {
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

test("by pipe and by debugging port a page is loaded through the link, and nothing else is reached", async () => {
  const executablePath = await wrapper("shaped", "--link", "10mbit/80ms", "--reach", `localhost:${port}`);
  assert.equal(statSync(executablePath).mode & 0o777, 0o755);
  for (const pipe of [true, false]) {
    const told = await using(await puppeteer.launch({ executablePath, pipe }), async (browser) => {
      const page = await browser.newPage();
      await page.goto(`http://localhost:${port}/`);
      // In the page, of whose types tests of Node know nothing.
      const timing = await page.evaluate('JSON.stringify(performance.getEntriesByType("navigation")[0])');
      const { requestStart, responseStart } = JSON.parse(String(timing)) as Record<string, number>;
      const wait_ms = (responseStart ?? 0) - (requestStart ?? 0);
      const reached = await page.evaluate(
        (url) =>
          fetch(url).then(
            () => "reached",
            () => "failed",
          ),
        `http://localhost:${otherPort}/`,
      );
      return { title: await page.title(), isThrough: wait_ms >= 80, reached };
    });
    assert.deepEqual(told, { title: "served", isThrough: true, reached: "failed" });
  }
  assert.equal(asked, 0);
});

test("a recording's origins are trusted", async () => {
  const executablePath = await wrapper("recorded", "--link", "10mbit/20ms", "--recording", "site");
  const title = await using(await puppeteer.launch({ executablePath, pipe: true }), async (browser) => {
    const page = await browser.newPage();
    await page.goto("https://site.test/");
    return await page.title();
  });
  assert.equal(title, "recorded");
});

test("a debugging port that is taken, or none, is refused in one line", async () => {
  const path = await wrapper("taken", "--link", "10mbit/20ms");
  for (const [word, line] of [
    [`${otherPort}`, /^trilane-guard: --remote-debugging-port=\d+: Address already in use: choose another.*\n$/],
    ["70000", /^trilane-guard: --remote-debugging-port=70000: write a port, or 0 for any\n$/],
  ] as const) {
    const { status, stderr } = spawnSync(path, [`--remote-debugging-port=${word}`], { encoding: "utf8" });
    assert.equal(status, 2);
    assert.match(stderr, line);
  }
});

test("bad input makes no wrapper", async () => {
  for (const [words, line] of [
    [["--link", "no-link"], /^trilane: link: .*\n$/],
    [["--link", "3mbit/50ms", "--browser", "/nowhere/chromium"], /^trilane: no program at \/nowhere\/chromium: .*\n$/],
    [["--link", "3mbit/50ms", "--recording", "nothing"], /^trilane: .*nothing.*\n$/],
    [
      ["--link", "3mbit/50ms", "--recording", "site", "--reach", "localhost:1"],
      /^trilane: --recording and --reach: .*\n$/,
    ],
  ] as const) {
    const { status, stdout, stderr } = spawnSync(trilane, ["browser-wrapper", "--home", home, ...words], {
      encoding: "utf8",
    });
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, line);
  }
});

const running = (words: string): string => spawnSync("pgrep", ["-f", words], { encoding: "utf8" }).stdout;

const debuggingFolders = (): string[] => readdirSync("/tmp").filter((name) => name.startsWith("trilane-debugging-"));

test("killed with -9 it leaves no process, no port and no file", async () => {
  const ofOthers = new Set(debuggingFolders());
  const path = await wrapper("killed", "--link", "10mbit/20ms", "--reach", `localhost:${port}`);
  const profile = join(scratch, "profile");
  mkdirSync(profile);
  const words = ["--headless=new", "--no-first-run", "--remote-debugging-port=0", `--user-data-dir=${profile}`];
  const child = spawn(path, words, { stdio: ["ignore", "ignore", "pipe"] });
  let told = "";
  for await (const chunk of child.stderr.setEncoding("utf8")) {
    told += String(chunk);
    if (told.includes("DevTools listening")) break;
  }
  const [, debugging = ""] = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(told) ?? [];
  assert.equal((await fetch(`http://127.0.0.1:${debugging}/json/version`)).status, 200);
  // Those that others begin meanwhile go again.
  const left = (): string[] => debuggingFolders().filter((name) => !ofOthers.has(name));
  for (let looks = 0; left().length > 0 && looks < 400; looks++) await delay(50);
  assert.deepEqual(left(), []);
  // Chromedriver learns the port from this file.
  assert.equal(readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n")[0], debugging);
  child.kill("SIGKILL");
  await once(child, "exit");
  for (let looks = 0; running(profile) !== "" && looks < 400; looks++) await delay(50);
  assert.equal(running(profile), "");
  await assert.rejects(fetch(`http://127.0.0.1:${debugging}/json/version`));
});

test("openLab: the link is changed and looked at while the browser runs, and is gone with the lab", async () => {
  const lab = await openLab({ link: "100mbit/2ms", reach: `localhost:${port}`, browser: chromiumPath(), home });
  assert.match(lab.reaches, new RegExp(`^localhost:${port} of this machine`));
  await lab.change({ down: "50mbit" });
  const browser = await puppeteer.launch({ executablePath: lab.executablePath, pipe: true });
  const page = await browser.newPage();
  await page.goto(`http://localhost:${port}/`);
  await lab.change({ down: "1mbit" });
  const took_ms = await page.evaluate(async () => {
    const started = performance.now();
    await (await fetch("/large")).arrayBuffer();
    return performance.now() - started;
  });
  assert.ok(took_ms > 1500, `${took_ms} ms for 1.6 Mbit at 1 Mbit/s`);
  const [stats, ...more] = await lab.stats();
  assert.ok(stats && more.length === 0);
  assert.equal(stats.link, "down=1mbit,up=100mbit,rtt=2ms");
  assert.ok(stats.down.bytes_out > 200_000);
  await assert.rejects(lab.change({ down: "0mbit" }), /^UserError: link: /);
  const ended = new Promise((resolve) => browser.once("disconnected", resolve));
  await lab.close();
  await ended;
  assert.ok(!existsSync(lab.executablePath));
  assert.deepEqual(await lab.stats().catch(() => []), []);
  assert.equal(running(lab.executablePath), "");
});

test("openLab refuses what is none", async () => {
  await assert.rejects(openLab({ link: "no-link" }), /^UserError: link: /);
  await assert.rejects(openLab({ link: "3mbit/50ms", reach: "localhost" }), /^UserError: --reach "localhost": /);
  await assert.rejects(openLab({ link: "3mbit/50ms", outside: true, recording: "site" }), /^UserError: .*one of them/);
});

const environment = (): NodeJS.ProcessEnv => {
  // Of the test runner around this one.
  const { NODE_TEST_CONTEXT: _, ...own } = process.env;
  return { ...own, PORT: String(port) };
};

test("the example of node:test", async () => {
  const words = ["--disable-warning=ExperimentalWarning", "--test", join(checkout, "examples", "node_test.mjs")];
  const { stdout } = await run(process.execPath, words, { env: environment() });
  assert.match(stdout, /pass 1\n/);
});

function playwright(): string | null {
  try {
    return createRequire(join(checkout, "package.json")).resolve("@playwright/test/cli");
  } catch {
    return null;
  }
}

const noPlaywright = playwright() ? false : "not installed: @playwright/test (npm install --no-save @playwright/test)";

test("the example of Playwright Test", { skip: noPlaywright }, async () => {
  // In the checkout, where it finds both packages.
  const folder = join(checkout, "build", `playwright-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    copyFileSync(join(checkout, "examples", "playwright.fixture.mjs"), join(folder, "fixture.mjs"));
    writeFileSync(
      join(folder, "page.spec.mjs"),
      `import { expect, test } from "./fixture.mjs";
      test("through the link", async ({ page, lab }) => {
        await page.goto("http://localhost:${port}/");
        await expect(page).toHaveTitle("served");
        expect((await lab.stats()).length).toBe(1);
      });\n`,
    );
    const { stdout } = await run(
      process.execPath,
      [playwright() ?? "", "test", "--reporter=line", `--output=${join(folder, "results")}`],
      {
        cwd: folder,
        env: environment(),
      },
    );
    assert.match(stdout, /1 passed/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
