// `trilane shell`: any command behind a link, with its own exit status, reaching what the note says and nothing else.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { once } from "node:events";
import { before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { running, start } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite } from "./site.ts";

const home = tempFolder("trilane-shell-");
before(() => recordSite(home, "site", [{ url: "https://site.test/", body: "hello" }]));

const shell = (...words: string[]) => start(home, ["shell", ...words]).ended;

test("the exit status and the output are the command's", async () => {
  const { status, stdout, stderr } = await shell("--link", "3mbit/50ms", "--", "sh", "-c", "echo out; exit 7");
  assert.deepEqual([status, stdout], [7, "out\n"]);
  assert.match(stderr, /^trilane shell: 3mbit\/50ms; at the other end: 100\.64\.0\.1, .*nothing else\n$/);
});

test("a command that is killed has 128 and the signal", async () => {
  assert.equal((await shell("--link", "3mbit/50ms", "--", "sh", "-c", "kill -TERM $$")).status, 143);
});

test("killed with -9 it leaves no lab", async () => {
  const sleep = `sleep ${7_000_000 + process.pid}`;
  const words = ["shell", "--link", "3mbit/50ms", "--", "sh", "-c", `echo started; exec ${sleep}`];
  const { child } = start(home, words);
  assert.ok(child.stdout);
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  const left = () => running(new RegExp(sleep));
  for (let looks = 0; left().length > 0 && looks < 400; looks++) await delay(50);
  assert.deepEqual(left(), []);
});

// Thirty times on the open connection: the least of them is not the machine's business.
const fetchTwice = `
const started = performance.now();
const response = await fetch("https://site.test/");
const text = await response.text();
const again = [];
for (let i = 0; i < 30; i++) {
  const t = performance.now();
  await (await fetch("https://site.test/")).text();
  again.push(performance.now() - t);
}
console.log(JSON.stringify({ text, again_ms: Math.min(...again) }));
`;

test("a recorded origin answers through the link, trusted by its authority", async () => {
  const node = [process.execPath, "--input-type=module", "-e", fetchTwice];
  const { status, stdout, stderr } = await shell(
    "--link",
    "10mbit/80ms",
    "--recording",
    "site",
    "--json",
    "--",
    ...node,
  );
  assert.equal(status, 0, stderr);
  const { text, again_ms } = JSON.parse(stdout) as { text: string; again_ms: number };
  assert.equal(text, "hello");
  assert.ok(again_ms >= 80 && again_ms < 160, `${again_ms} ms for one round trip of 80 ms`);
  assert.deepEqual(JSON.parse(stderr.split("\n")[0] ?? ""), {
    schema: "trilane/shell/1",
    link: "10mbit/80ms",
    recording: "site",
    reach: "recording",
    reachable: ["https://site.test"],
    nameserver: "100.64.0.53",
  });
});

test("what is not recorded is answered as live: a name of the internet with 404, any other not at all", async () => {
  const ask = (host: string): string =>
    `fetch("https://${host}/").then(({ status }) => console.log(status), (error) => console.log(error.cause.code))`;
  for (const [host, told] of [
    ["elsewhere.test", "404"],
    ["elsewhere", "ENOTFOUND"],
  ] as const) {
    const words = ["--recording", "site", "--", process.execPath, "-e", ask(host)];
    const { stdout } = await shell("--link", "10mbit/0ms", ...words);
    assert.equal(stdout, `${told}\n`);
  }
});

test("bad input is refused in one line", async () => {
  for (const [words, line] of [
    [["--link", "0mbit/50ms", "--", "true"], /^trilane: link: rate must be above 0 \(got "0mbit"\)\n$/],
    [["--link", "3mbit/50ms"], /^trilane: shell: no command: .*\n$/],
    [["--link", "3mbit/50ms", "--recording", "nothing", "--", "true"], /^trilane: .*nothing.*\n$/],
  ] as const) {
    const { status, stderr } = await shell(...words);
    assert.equal(status, 2);
    assert.match(stderr, line);
  }
});

test("the origins serve as asked, and what has nothing to work on is refused", async () => {
  const curl = [
    "curl",
    "-s",
    "-o",
    "/dev/null",
    "-w",
    "%{time_starttransfer} %{time_pretransfer}",
    "https://site.test/",
  ];
  const { status, stdout, stderr } = await shell(
    ...["--link", "100mbit/4ms", "--recording", "site", "--think", "500", "--tcp-congestion", "reno"],
    "--",
    ...curl,
  );
  assert.equal(status, 0, stderr);
  const [first_s, before_s] = stdout.split(" ").map(Number);
  assert.ok((first_s ?? 0) - (before_s ?? 0) > 0.5, stdout);
  const none = await shell("--link", "3mbit/50ms", "--think", "20", "--", "true");
  assert.equal(none.status, 2);
  assert.match(none.stderr, /nothing is served: name a --recording/);
  const pinned = await shell("--link", "3mbit/50ms", "--recording", "site", "--pin-time", "--", "true");
  assert.equal(pinned.status, 2);
  assert.match(pinned.stderr, /--pin-time: is for pages that are loaded/);
});
