// `trilane trace`: its documents by their schemas, its files whole or not at all, its errors in one line.
// Wide: cli/commands/trace.ts, cli/link/trace.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Ajv } from "ajv";
import type { TraceInfo } from "../../../../schemas/generated/trace_info.ts";
import type { TraceWritten } from "../../../../schemas/generated/trace_written.ts";
import { run } from "../../../product.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { assertRefused } from "../../refusal.ts";

const root = join(import.meta.dirname, "..", "..", "..", "..");
const ajv = new Ajv();
for (const name of ["trace-info", "trace-written"])
  ajv.addSchema(JSON.parse(readFileSync(join(root, "schemas", `${name}.schema.json`), "utf8")), name);
let folder: string;

beforeEach(() => {
  folder = tempFolder("trilane-trace-");
});

const trace = (...words: string[]) => run(folder, ["trace", ...words], { cwd: folder });

function documentOf<T>(schema: string, ...words: string[]): T {
  const { status, stdout, stderr } = trace(...words, "--json");
  assert.equal(status, 0, stderr);
  const document: unknown = JSON.parse(stdout);
  assert.ok(ajv.validate(schema, document), ajv.errorsText());
  return document as T;
}

test("synth writes both directions of a preset, and info finds its means in them", () => {
  const written = documentOf<TraceWritten>("trace-written", "synth", "att-lte", "--out", "att", "--length", "30s");
  assert.deepEqual(
    written.files.map(({ path, length_ms }) => [path, length_ms]),
    [
      [join(folder, "att.down"), 30_000],
      [join(folder, "att.up"), 30_000],
    ],
  );
  const { traces } = documentOf<TraceInfo>("trace-info", "info", "att.down", "att.up");
  assert.ok(Math.abs((traces[0]?.mean_bps ?? 0) - 6.7e6) < 400);
  assert.ok(Math.abs((traces[1]?.mean_bps ?? 0) - 1.1e6) < 400);
  assert.notDeepEqual(readFileSync(join(folder, "att.down")), readFileSync(join(folder, "att.up")));
});

test("info draws in at most 80 columns, without colour where there is no terminal", () => {
  trace("synth", "--mean", "3mbit", "--out", "t", "--length", "20s", "--outage-every", "5s");
  const { status, stdout } = trace("info", "t");
  assert.equal(status, 0);
  for (const line of stdout.split("\n")) assert.ok(line.length <= 80, line);
  assert.match(stdout, /^t: 5000 opportunities in 20 s, mean 3 Mbit\/s$/m);
  assert.match(stdout, /█.*\n/);
  assert.ok(!stdout.includes("\x1b"));
});

test("convert goes to a table and back", () => {
  trace("synth", "--mean", "3mbit", "--out", "t.down", "--length", "20s", "--outage-every", "never");
  const table = documentOf<TraceWritten>("trace-written", "convert", "t.down", "t.csv", "--window", "500ms");
  assert.deepEqual([table.from, table.files[0]?.opportunities], ["mahimahi", 5000]);
  assert.match(readFileSync(join(folder, "t.csv"), "utf8"), /^time_s,rate_mbps\n0,[\d.]+\n0\.5,[\d.]+\n1,/);
  const back = documentOf<TraceWritten>("trace-written", "convert", "t.csv", "again.down");
  assert.deepEqual([back.from, back.files[0]?.opportunities, back.files[0]?.length_ms], ["csv", 5000, 20_000]);
  const pensieve = documentOf<TraceWritten>("trace-written", "convert", "t.down", "t.txt", "--to", "pensieve");
  assert.equal(pensieve.files[0]?.opportunities, 5000);
  const again = documentOf<TraceWritten>("trace-written", "convert", "t.txt", "third.down");
  assert.deepEqual([again.from, again.files[0]?.opportunities], ["pensieve", 5000]);
});

test("a file that cannot be converted to its end leaves what was there", () => {
  writeFileSync(join(folder, "out"), "kept");
  writeFileSync(join(folder, "bad.csv"), `time_s,rate_mbps\n${"0,1\n".slice(0, 4)}1,1\n2,1\n3,oops\n`);
  const { status, stderr } = trace("convert", "bad.csv", "out");
  assert.equal(status, 2);
  assert.equal(stderr, 'trilane: bad.csv:5: "oops" is no rate: write a number\n');
  assert.equal(readFileSync(join(folder, "out"), "utf8"), "kept");
  assert.deepEqual(readdirSync(folder).sort(), ["bad.csv", "out"]);
});

test("an interrupted synth leaves nothing", async () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const words = ["trace", "synth", "--mean", "1gbit", "--length", "30min", "--out", "t"];
    const child = spawn(join(root, "cli", "trilane"), words, { cwd: folder, stdio: "ignore" });
    const ended = new Promise((resolve) => child.once("exit", (_, how) => resolve(how)));
    while (readdirSync(folder).length === 0 && child.exitCode === null && child.signalCode === null) await delay(20);
    child.kill(signal);
    assert.equal(await ended, signal);
    assert.deepEqual(readdirSync(folder), []);
  }
});

test("bad words are one line and exit status 2, and write nothing", async () => {
  writeFileSync(join(folder, "t"), "1\n2\n");
  writeFileSync(join(folder, "days"), "1\n4000000000\n");
  writeFileSync(join(folder, "bits.csv"), "time_s,rate_mbps\n0,50000000\n60,50000000\n");
  writeFileSync(join(folder, "much.csv"), "time_s,rate_mbps\n0,1e300\n60,1\n");
  assert.equal(spawnSync("mkfifo", [join(folder, "fifo")]).status, 0);
  for (const [words, problem] of [
    [["info", "fifo"], /fifo: is not a regular file/],
    [["convert", "fifo", "x"], /fifo: is not a regular file/],
    [["convert", "bits.csv", "x"], /opportunities up to 60000 ms: lower the rate \(its unit\?\)/],
    [["convert", "much.csv", "x"], /opportunities up to 60000 ms/],
    [["convert", "days", "x", "--window", "1ms"], /windows of 1 ms .* take longer ones/],
    [["synth", "att-lte", "--out", "x", "--out", "y"], /--out is given more than once/],
    [[], /name an action/],
    [["info"], /trace info: <\w+> is missing/],
    [["info", "nosuch"], /nosuch/],
    [["info", "t", "--window", "5"], /--window "5" is no time/],
    [["info", "t", "--outage", "0s"], /--outage/],
    [["synth", "--out", "x"], /name a preset \(verizon-lte, att-lte\) or give --mean/],
    [["synth", "nosuch", "--out", "x"], /no preset "nosuch"/],
    [["synth", "att-lte"], /--out/],
    [["synth", "att-lte", "--out", "x", "--mean", "3mbit"], /--mean/],
    [["synth", "--out", "x", "--mean", "0mbit"], /--mean must be above 0/],
    [["synth", "--out", "x", "--mean", "unlimited"], /--mean/],
    [["synth", "--out", "x", "--mean", "3mbit", "--spread", "-1"], /--spread/],
    [["synth", "--out", "x", "--mean", "3mbit", "--seed", "1.5"], /--seed/],
    [["synth", "--out", "x", "--mean", "3mbit", "--length", "0s"], /length/],
    [["convert", "t", "t"], /name another file to write/],
    [["convert", "t", "x", "--to", "nosuch"], /--to must be one of/],
    [["convert", "t", "x", "--columns", "time_s,rate_bps"], /--columns is for csv/],
  ] as const) {
    const isFile = (word: string): boolean => /^(?:[txy]|fifo|days|\w+\.csv)$/.test(word);
    const named = words.map((word) => (isFile(word) ? join(folder, word) : word));
    await assertRefused(["trace", ...named], problem);
    assert.equal(existsSync(join(folder, "x")), false);
  }
});
