// `trilane open`: the page comes over its lane in a browser that stays, with the extension in it; its link can be steered;
// and nothing is left when it ends.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { visibleArguments, visibleEnvironment } from "../../cli/load/open/visible_chromium.ts";
import identity from "../../schemas/extension.json" with { type: "json" };
import type { PageOpened } from "../../schemas/generated/page_opened.ts";
import { labFolders, labProcesses, run, trilane } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";

const home = tempFolder("trilane-open-");
const started = new Set<ChildProcess>();
after(() => {
  // Of a test that failed: nothing waits for a browser that nobody closes.
  for (const child of started) if (child.exitCode === null) child.kill("SIGTERM");
  rmSync(home, { recursive: true, force: true });
});

/** Starts it, and gives its first line. */
async function start(...words: string[]): Promise<{ child: ChildProcess; opened: PageOpened }> {
  const child = spawn(trilane, ["open", ...words, "--home", home, "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  started.add(child);
  const ended = once(child, "exit").then(([status]) => assert.fail(`ended with status ${status}`));
  let out = "";
  const line = (async () => {
    for await (const text of child.stdout) {
      out += String(text);
      if (out.includes("\n")) return out;
    }
    return await ended;
  })();
  return { child, opened: JSON.parse(await Promise.race([line, ended])) as PageOpened };
}

test("the page over its lane, with the extension, a link that can be steered, and an end without a trace", async () => {
  const control = join(home, "control");
  const { child, opened } = await start(
    "carlucci-small",
    "--headless",
    "--lane",
    "h2",
    "--link",
    "3mbit/40ms",
    "--control",
    control,
  );
  assert.deepEqual(
    [opened.page, opened.url, opened.lane, opened.link, opened.control, opened.extension],
    ["carlucci-small", "https://carlucci-small.synth.test/", "h2", "3mbit/40ms", control, identity.id],
  );
  assert.ok(labProcesses(child.pid ?? 0).length > 0);
  const steered = run(home, ["steer", control, "rtt=80ms", "--json"]);
  assert.equal(steered.status, 0, steered.stderr);
  assert.equal((JSON.parse(steered.stdout) as { link: string }).link, "rate=3mbit,rtt=80ms");
  const ended = once(child, "exit");
  child.kill("SIGINT");
  assert.deepEqual(await ended, [0, null]);
  assert.deepEqual([labProcesses(child.pid ?? 0), labFolders(child.pid ?? 0), existsSync(control)], [[], [], false]);
});

test("a live page of this machine behind the link, and no other port of it", async () => {
  const seen: string[] = [];
  const servers = [1, 2].map((number) =>
    createServer((request, response) => {
      seen.push(`${number} ${request.url}`);
      response.setHeader("content-type", "text/html").end(`<img src="http://localhost:${ports()[1]}/other">`);
    }),
  );
  const ports = (): number[] => servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://localhost:${ports()[0]}/`;
  const { child, opened } = await start(url, "--headless", "--reach", `localhost:${ports()[0]}`);
  assert.deepEqual([opened.page, opened.url, opened.lane], [null, url, null]);
  // Beside the page a browser asks for its icon, by then the picture has been tried.
  while (!seen.some((line) => line.includes("favicon"))) await delay(50);
  const ended = once(child, "exit");
  child.kill("SIGINT");
  assert.deepEqual(await ended, [0, null]);
  for (const server of servers) server.close();
  assert.deepEqual(
    seen.filter((line) => !line.includes("favicon")),
    ["1 /"],
  );
});

test("a browser that is closed ends the command", async () => {
  const { child } = await start("carlucci-small", "--headless", "--lane", "h3");
  const ended = once(child, "exit");
  // The browser's own process has no kind, and no parent without one: what it is about to start looks like it for a moment, and may be gone.
  const kindless = labProcesses(child.pid ?? 0).filter(({ commandLine }) =>
    /^\S*chrom\S* (?!.*--type=)/.test(commandLine),
  );
  const browser = kindless.find(({ parent }) => !kindless.some(({ pid }) => pid === parent));
  assert.ok(browser);
  process.kill(browser.pid, "SIGTERM");
  const [status] = (await Promise.race([ended, delay(20_000, ["still there"], { ref: false })])) as [unknown];
  assert.ok(status === 0 || status === 1, String(status));
  assert.deepEqual([labProcesses(child.pid ?? 0), labFolders(child.pid ?? 0)], [[], []]);
});

test("what cannot be opened is one line", () => {
  const environment = { DISPLAY: undefined, WAYLAND_DISPLAY: undefined };
  const cases: [string[], NodeJS.ProcessEnv, RegExp][] = [
    [["carlucci-small", "--lane", "h4"], environment, /--lane: must be h1, .* \(got "h4"\)/],
    [["no-such-page"], environment, /no page no-such-page/],
    [["carlucci-small"], environment, /no display .*--headless/],
    [["carlucci-small"], { ...environment, DISPLAY: "far:0" }, /DISPLAY=far:0: is reached over a network.*--headless/],
    [["localhost:1", "--reach", "localhost:1"], environment, /nothing listens there: start the server first/],
    [["localhost:1", "--reach", "localhost:1", "--lane", "h2"], environment, /--lane: is of a recording/],
    [["carlucci-small", "--pin-time"], environment, /--pin-time/],
  ];
  for (const [words, env, message] of cases) {
    const { status, stderr } = run(home, ["open", ...words], { env });
    assert.equal(status, 2, words.join(" "));
    assert.match(stderr, message);
    assert.match(stderr, /^trilane: [^\n]+\n$/);
  }
});

test("a window: the lane's arguments stay, what hides the browser goes, and the display is found", () => {
  const asked = { lane: "h3", profile: "/profile", spkiList: "key", userAgent: "a browser" } as const;
  const words = visibleArguments({ ...asked, headless: false });
  assert.ok(words.includes("--origin-to-force-quic-on=*") && words.includes("--user-data-dir=/profile"));
  for (const gone of ["--headless=new", "--disable-extensions", "--mute-audio"]) assert.ok(!words.includes(gone), gone);
  assert.equal(words.at(-1), "about:blank");
  assert.ok(visibleArguments({ ...asked, headless: true }).includes("--headless=new"));
  const environment = visibleEnvironment("/profile", "/tmp", {
    DISPLAY: ":1",
    XDG_RUNTIME_DIR: "/run/user/1",
    HOME: "/none",
  });
  assert.deepEqual(
    [environment.DISPLAY, environment.HOME, environment.XDG_RUNTIME_DIR],
    [":1", "/profile", "/run/user/1"],
  );
});
