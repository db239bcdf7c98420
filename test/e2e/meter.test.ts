// A running lab, watched and changed from other processes: `trilane shell` with a control socket, `meter` and `steer`
// on it, and the files that it leaves behind, held to their schemas.
// Wide: cli/link, shaper.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Ajv } from "ajv";
import { tempFolder } from "../temp_folder.ts";

const checkout = join(import.meta.dirname, "..", "..");
const trilane = join(checkout, "cli", "trilane");
const folder = tempFolder("trilane-meter-");
const file = (name: string) => join(folder, name);

const ajv = new Ajv({ strict: true, allErrors: true });
const schema = (name: string): object =>
  JSON.parse(readFileSync(join(checkout, "schemas", `${name}.schema.json`), "utf8"));
ajv.addSchema(schema("shaper-stats"), "shaper-stats.schema.json");

function assertFollows(name: string, document: unknown): void {
  const validate = ajv.getSchema(`${name}.schema.json`) ?? ajv.compile(schema(name));
  assert.ok(validate(document), `${name}: ${ajv.errorsText(validate.errors)}`);
}

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function finished(child: ChildProcess): Promise<Outcome> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => child.once("close", (status) => resolve({ status, stdout, stderr })));
}

function start(...words: string[]): ChildProcess {
  return spawn(trilane, words, { stdio: ["ignore", "pipe", "pipe"] });
}

const run = (...words: string[]): Promise<Outcome> => finished(start(...words));

async function appears(path: string): Promise<void> {
  for (let i = 0; i < 600 && !existsSync(path); i++) await pause(20);
  assert.ok(existsSync(path), `${path} appears`);
}

test("a lab is watched and changed while its command runs", async () => {
  const socket = file("lab");
  const options = [
    "--control",
    socket,
    "--log",
    file("log"),
    "--flow-counters",
    file("flows"),
    "--pcapng",
    file("capture"),
  ];
  // As long as it takes here to say what the lab is to do; SIGINT makes it count.
  const ping = `ping -q -i 0.05 100.64.0.1 & while [ ! -e ${file("enough")} ]; do sleep 0.05; done; kill -INT $!; wait $!`;
  const lab = finished(start("shell", "--link", "3mbit/50ms", ...options, "--", "bash", "-c", ping));
  await appears(socket);
  const meter = start("meter", socket, "--json", "--interval", "200");
  const watching = finished(meter);
  let shown = "";
  meter.stdout?.on("data", (text: string) => {
    shown += text;
  });
  const looksOf = (text: string) =>
    text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const untilShown = async (holds: (looks: ReturnType<typeof looksOf>) => boolean): Promise<void> => {
    while (!holds(looksOf(shown)) && meter.exitCode === null && meter.signalCode === null) await pause(20);
  };
  await untilShown(({ length }) => length >= 3);
  const steered = await run("steer", socket, "rtt=10ms,loss_down=100%", "--json");
  assert.equal(steered.status, 0);
  assertFollows("shaper-control", JSON.parse(steered.stdout));
  const refused = await run("steer", socket, "colour=red");
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /^trilane: link: no setting "colour".*\n$/);
  await untilShown((looks) => looks.length >= 5 && looks.at(-1).changes === 1 && looks.at(-1).down.drops.loss > 0);
  writeFileSync(file("enough"), "");

  const ended = await lab;
  assert.equal(ended.status, 0);
  const [, sent, received] = (/([0-9]+) packets transmitted, ([0-9]+) received/.exec(ended.stdout) ?? []).map(Number);
  assert.ok(sent && received && received < sent, ended.stdout);

  const watched = await watching;
  assert.equal(watched.status, 0);
  const looks = looksOf(watched.stdout);
  assert.ok(looks.length >= 5);
  for (const look of looks) assertFollows("shaper-stats", look);
  assert.deepEqual([looks[0].changes, looks.at(-1).changes], [0, 1]);
  assert.ok(looks.at(-1).down.drops.loss > 0);
  assert.match(looks.at(-1).link, /rtt=10ms/);

  const flows = JSON.parse(readFileSync(file("flows"), "utf8"));
  assertFollows("flow-counters", flows);
  assert.equal(flows.down.received_packets, received);
  assert.equal(flows.flows[0].protocol, "icmp");
  assert.match(readFileSync(file("log.up"), "utf8"), /^# [0-9]+ steer rtt=10ms,loss_down=100%$/m);
  assert.equal(readFileSync(file("capture")).readUInt32LE(0), 0x0a0d0d0a);
  assert.equal(existsSync(socket), false);
});

test("no lab, no socket: one line", async () => {
  for (const command of [
    ["meter", file("none")],
    ["steer", file("none"), "loss=1%"],
  ]) {
    const { status, stdout, stderr } = await run(...command);
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, /^trilane: control: no socket at .*none: is the lab running\?\n$/);
  }
});

test("the live line leaves output and exit status to the command", async () => {
  const { status, stdout, stderr } = await run(
    "shell",
    "--link",
    "3mbit/50ms",
    "--meter",
    "--",
    "sh",
    "-c",
    "echo out; exit 7",
  );
  assert.deepEqual([status, stdout], [7, "out\n"]);
  assert.match(stderr, /^trilane shell: 3mbit\/50ms;.*\n$/);
});

test("on a terminal the command has a row less, and the row below it tells of the link", async () => {
  const inner = `stty rows 20 cols 110; '${trilane}' shell --link 3mbit/50ms --meter -- sh -c 'stty size; ping -q -i 0.1 -c 25 100.64.0.1; exit 5'; echo status $?; stty size`;
  const { stdout: raw } = await finished(
    spawn("script", ["-qec", inner, "/dev/null"], { stdio: ["ignore", "pipe", "pipe"] }),
  );
  const stdout = raw.replaceAll("\x1b", "<ESC>");
  assert.match(stdout, /19 110\r\n/);
  assert.ok(stdout.includes("<ESC>[1;19r"), "the terminal scrolls above the row");
  assert.match(
    stdout,
    /<ESC>7<ESC>\[20;1H<ESC>\[0;7mdown [0-9.]+ [kM]bit\/s, queue empty, 0 drops \| up [0-9.]+ [kM]bit\/s, /,
  );
  assert.match(stdout, /25 packets transmitted, 25 received/);
  assert.match(stdout, /<ESC>\[r.*status 5\r\n20 110\r\n$/s);
});
