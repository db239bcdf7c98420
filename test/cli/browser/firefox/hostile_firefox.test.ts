// Firefox as it should not be, by small programs in its place: each ends in one line, and nothing of it is left.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startFirefox } from "../../../../cli/browser/firefox/bidi.ts";
import { bridgeCommand } from "../../../../cli/browser/firefox/bridge.ts";
import { firefoxEngine } from "../../../../cli/browser/firefox/firefox_engine.ts";
import { tempFolder } from "../../../temp_folder.ts";

const folder = tempFolder("trilane-hostile-firefox-");

/** The text of a program that answers as WebDriver BiDi does, by its environment's HOW; it takes no SIGTERM. */
function fake(): void {
  const { createServer } = require("node:http") as typeof import("node:http");
  const { createHash } = require("node:crypto") as typeof import("node:crypto");
  const { writeFileSync } = require("node:fs") as typeof import("node:fs");
  const { HOW = "", PID_FILE = "" } = process.env;
  writeFileSync(PID_FILE, String(process.pid));
  process.on("SIGTERM", () => {});
  if (HOW === "too old") {
    console.error("Error: unknown argument --remote-debugging-port");
    process.exit(1);
  }
  const server = createServer().on("upgrade", ({ headers }, socket) => {
    const key = `${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.on("error", () => {});
    socket.on("data", (frame: Buffer) => {
      // Short messages in one frame each, masked as clients have to.
      const length = (frame[1] ?? 0) & 127;
      const from = length === 126 ? 4 : 2;
      const mask = frame.subarray(from, from + 4);
      const text = frame.subarray(from + 4).map((byte, at) => byte ^ (mask[at % 4] ?? 0));
      const { id, method } = JSON.parse(text.toString()) as { id: number; method: string };
      if (HOW === "dies" && method !== "session.new") process.kill(process.pid, "SIGKILL");
      const answer =
        HOW === "refuses"
          ? { type: "error", id, error: "session not created", message: "Maximum number of active sessions" }
          : { type: "success", id, result: { capabilities: { browserVersion: "153.0" } } };
      const bytes = Buffer.from(JSON.stringify(answer));
      socket.write(Buffer.concat([Buffer.from([0x81, 126, bytes.length >> 8, bytes.length & 255]), bytes]));
    });
  });
  if (HOW === "mute") setInterval(() => {}, 1000);
  else
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as import("node:net").AddressInfo;
      console.error(`WebDriver BiDi listening on ws://127.0.0.1:${port}`);
    });
}

const program = join(folder, "firefox");
writeFileSync(program, `#!${process.execPath}\n(${fake})()\n`);
chmodSync(program, 0o755);

const pidFile = (how: string): string => join(folder, `${how}.pid`);
const start = (how: string, timeout_ms = 60_000) =>
  startFirefox({
    commandLine: [...bridgeCommand(), program],
    environment: { PATH: process.env.PATH ?? "", HOW: how, PID_FILE: pidFile(how) },
    timeout_ms,
  });

function assertGone(how: string): void {
  const pid = Number(readFileSync(pidFile(how), "utf8"));
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" }, `${how}: process ${pid} is left`);
}

test("one that knows no WebDriver BiDi says so by its own last line", async () => {
  await assert.rejects(start("too old"), { message: /^it ended before it answered: Error: unknown argument --remote/ });
  assertGone("too old");
});

test("one that never listens is waited for as long as a start may take", async () => {
  // On a busy machine the program that stands in for it may begin later than that.
  for (let time_ms = 2_000; !existsSync(pidFile("mute")) && time_ms <= 32_000; time_ms *= 4)
    await assert.rejects(start("mute", time_ms), { message: `it did not answer within ${time_ms} ms` });
  assertGone("mute");
});

test("one that refuses a session says why", async () => {
  await assert.rejects(start("refuses"), { message: /no WebDriver BiDi session: .*Maximum number of active sessions/ });
  assertGone("refuses");
});

test("one that crashes ends what waits for it, and is named", async () => {
  const firefox = await start("dies");
  await assert.rejects(firefox.bidi.send("session.subscribe"), { message: "Firefox closed its connection" });
  const { code, stderr } = await firefox.exited;
  assert.equal(code, 128 + constants.signals.SIGKILL);
  assert.match(stderr, /Firefox was killed \(SIGKILL\)\n$/);
  assertGone("dies");
});

test("one that does not end when it is asked to is killed; two at once do not meet", async () => {
  const [one, two] = await Promise.all([start("hangs"), start("hangs too")]);
  assert.deepEqual([one.version, two.version], ["153.0", "153.0"]);
  await one.stop();
  assertGone("hangs");
  await two.bidi.send("session.status");
  await two.stop();
  assertGone("hangs too");
});

test("one that an administrator's policies manage is refused: they may decide what it loads, and how", async () => {
  const managed = join(folder, "managed");
  mkdirSync(join(managed, "distribution"), { recursive: true });
  writeFileSync(join(managed, "distribution", "policies.json"), "{}");
  const options = { program: join(managed, "firefox"), lane: "h2", profile: folder, temporary: folder, spkiList: "" };
  await assert.rejects(firefoxEngine.command({ ...options, lane: "h2" }), {
    message: /^Firefox is managed by \S+policies\.json, which may change how it loads pages: .* another Firefox/,
  });
});
