// `trilane time`: what a command does is what is said of it, whatever it does; nothing of it is left; behind a link it is the link that is
// timed. Times are held to one another, not to a clock.
// Beside others: all but tests of time.
import assert from "node:assert/strict";
import { once } from "node:events";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { before, describe, test } from "node:test";
import type { CommandExport } from "../../schemas/generated/command_export.ts";
import { captureFacts } from "../bench/capture_facts.ts";
import { timedTest } from "../calm_machine.ts";
import { run as runIn, running, start } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { anyDisturbance } from "./untimed_load.ts";

/**
 * Of 1 MB over a link and TCP, as arithmetic: a round trip each for the name, the connection, TLS 1.3 and the request; the pauses of slow
 * start from ten packets on, doubled each round trip until the link is never idle; and every byte that crossed the link, headers too.
 */
function theory_ms(rate_bps: number, rtt_ms: number, down_bytes: number): number {
  const packet_ms = (1500 * 8e3) / rate_bps;
  let pauses_ms = 0;
  for (let window = 10; window * packet_ms < rtt_ms + packet_ms; window *= 2)
    pauses_ms += rtt_ms + packet_ms - window * packet_ms;
  return 4 * rtt_ms + pauses_ms + (down_bytes * 8e3) / rate_bps;
}

describe("trilane time", () => {
  let home: string;
  before(() => {
    home = tempFolder("trilane-time-");
  });

  const run = (...words: string[]) => runIn(home, words, { cwd: home });
  /** Of this run of the tests and no other's beside it. */
  const longSleep = (number: number): string => `sleep ${50_000_000 + 10 * process.pid + number}`;
  const time = (...words: string[]) => run("time", "--new", ...words);
  const exported = (): CommandExport => JSON.parse(run("export", "--format", "json").stdout) as CommandExport;

  test("what fails is a failed run with the end of its output, and the others count", () => {
    const commands = {
      good: "true",
      status: `sh -c "echo first; echo last >&2; exit 3"`,
      signal: `sh -c 'kill -SEGV $$'`,
      endless: `sh -c 'echo here; exec ${longSleep(1)}'`,
      flood: `sh -c 'yes | head -c 3000000'`,
      terminal: `sh -c 'exec 3</dev/tty'`,
    };
    const words = Object.entries(commands).flatMap(([name, command]) => ["--command", `${name}=${command}`]);
    const { status, stdout, stderr } = time("--runs", "1", "--timeout", "2", ...words);
    assert.equal(status, 0, stderr);
    const runs = Object.fromEntries(exported().runs.map((each) => [each.command, each]));
    assert.equal(runs.good?.status, "valid");
    assert.equal(runs.status?.reasons[0], "exit status 3: last");
    assert.equal(runs.status?.record?.output_end, "first\nlast\n");
    assert.match(runs.signal?.reasons[0] ?? "", /^killed by SIGSEGV/);
    assert.equal(runs.endless?.reasons[0], "not done after 2 s: here");
    assert.deepEqual([runs.flood?.status, runs.flood?.record?.process.output_bytes], ["valid", 3_000_000]);
    assert.equal(runs.flood?.record?.process.output_cut, true);
    assert.match(runs.terminal?.reasons[0] ?? "", /^exit status \d+: .*\/dev\/tty/);
    assert.match(stdout, /status: 1 of 1 run failed: exit status 3: last\./);
    assert.deepEqual(running(new RegExp(longSleep(1))), []);
  });

  test("no process is left, in whatever session, and how many there were is stored", () => {
    const { status, stderr } = time(
      "--runs",
      "1",
      "--",
      "sh",
      "-c",
      `${longSleep(2)} & setsid ${longSleep(3)} & sh -c 'setsid ${longSleep(4)} &'`,
    );
    assert.equal(status, 0, stderr);
    assert.deepEqual(running(new RegExp([2, 3, 4].map(longSleep).join("|"))), []);
    assert.ok((exported().runs[0]?.record?.process.left_behind ?? 0) >= 3);
  });

  test("a program that there is not, and words that cannot be, are one line and exit status 2", () => {
    for (const [words, message] of [
      [["--", "no-such-program"], /^trilane: no-such-program: No such file or directory$/],
      [["--link", "10mbit/0ms", "--", "no-such-program"], /^trilane: no-such-program: No such file or directory$/],
      [["--recording", "none", "--link", "3g", "--", "true"], /none/],
      [[], /^trilane: time: no command/],
    ] as const) {
      const { status, stderr } = time("--runs", "1", ...words);
      const lines = stderr.trimEnd().split("\n");
      assert.equal(status, 2, stderr);
      assert.match(lines.at(-1) ?? "", message);
    }
  });

  test("behind a link its round trip is timed, packets are counted, and numbers read; report, CSV and list know the sweep", () => {
    const { status, stdout, stderr } = time(
      ...["--link", "10mbit/60ms", "--runs", "5", "--number", "rtt=time=([0-9.]+) ms", ...anyDisturbance],
      ...["--command", "one=ping -c 1 100.64.0.1", "--command", "two=ping -c 2 -i 0.2 100.64.0.1"],
      ...["--evidence", join(home, "kept")],
    );
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^two takes \d+ ms \(/);
    const document = exported();
    const one = document.runs.filter((each) => each.command === "one" && each.status === "valid");
    assert.ok(one.length >= 3, JSON.stringify(document.runs.map((each) => each.reasons)));
    for (const { record } of one) {
      const rtt = record?.numbers[0]?.value ?? 0;
      assert.ok(rtt >= 59 && (record?.process.wall_ms ?? 0) >= rtt, JSON.stringify(record));
      assert.deepEqual([record?.link?.down_packets, record?.link?.up_packets], [1, 1]);
    }
    const kept = globSync(join(home, "kept", "sweep-*", "*", "*", "*"));
    assert.equal(kept.length, document.runs.length);
    for (const folder of kept) {
      const { record } = JSON.parse(
        readFileSync(join(folder, "command.json"), "utf8"),
      ) as CommandExport["runs"][number];
      const { down, up } = captureFacts(readFileSync(join(folder, "packets.pcapng")));
      const pings = basename(dirname(dirname(folder))) === "two" ? 2 : 1;
      assert.deepEqual([down, up, record?.link?.down_packets], [pings, pings, pings]);
      assert.match(readFileSync(join(folder, "output"), "utf8"), /^PING 100\.64\.0\.1/);
      assert.match(readFileSync(join(folder, "shaper.json"), "utf8"), /trilane\/shaper-report\/1/);
    }
    assert.match(run("export", "--format", "csv").stdout, /^run_id,command,link,.*,printed rtt\r\n/);
    assert.match(run("list").stdout, /time one two +2 commands/);
    const html = readFileSync(/report: (.*)/.exec(run("report").stdout)?.[1] ?? "", "utf8");
    assert.match(html, /<p class="answer">two takes/);
  });

  test("a server of this machine is reached through the link, and no other of its ports", async () => {
    const servers = [1, 2].map(() => createServer((_, response) => response.end("here")));
    for (const server of servers) await once(server.listen(0, "127.0.0.1"), "listening");
    const [open = 0, closed = 0] = servers.map((server) => (server.address() as AddressInfo).port);
    const get = (port: number): string =>
      `${process.execPath} -e "fetch('http://localhost:${port}/').then((r) => r.text()).then(console.log)"`;
    const terms = ["--link", "1mbit/200ms", "--reach", `localhost:${open}`, "--runs", "1"];
    const commands = ["--command", `open=${get(open)}`, "--command", `closed=${get(closed)}`];
    // Beside this process, in which the servers answer.
    const { stderr: said } = await start(home, ["time", "--new", ...terms, ...commands]).ended;
    for (const server of servers) server.close();
    assert.match(said, new RegExp(`at the other end of the link: localhost:${open} of this machine, and nothing else`));
    const runs = Object.fromEntries(exported().runs.map((each) => [each.command, each]));
    assert.equal(runs.open?.status, "valid", said + JSON.stringify(runs.open?.reasons));
    // Two round trips: the connection, and the answer.
    const took_ms = runs.open?.record?.process.wall_ms ?? 0;
    assert.ok(took_ms >= 398, `${took_ms} ms`);
    assert.equal(runs.closed?.status, "failed");
    const silent = time("--link", "3g", "--reach", `localhost:${closed}`, "--", "true");
    assert.deepEqual(
      [silent.status, silent.stderr],
      [2, `trilane: --reach localhost:${closed}: nothing listens there: start the server first\n`],
    );
  });

  test("a budget is exceeded, or not shown by so few runs, and a sweep is compared with another", () => {
    const budget = join(home, "budget.json");
    const limits = (at_most_ms: number) =>
      writeFileSync(budget, JSON.stringify({ budgets: [{ metric: "time", at_most_ms }] }));
    limits(30);
    const exceeded = time("--runs", "6", "--budget", budget, "--", "sleep", "0.05");
    assert.equal(exceeded.status, 1, exceeded.stderr);
    assert.match(exceeded.stderr, /1 of 1 budgets exceeded: time at most 30\.0 ms: exceeded \(median /);
    const few = time("--runs", "1", "--budget", budget, "--", "sleep", "0.2");
    assert.equal(few.status, 3, few.stderr);
    assert.match(
      few.stdout,
      /Budget, commands over no link, sleep: time at most 30\.0 ms: not shown \(median \d+ ms, 1 run,/,
    );
    limits(60_000);
    assert.equal(time("--runs", "6", "--budget", budget, "--", "sleep", "0.2").status, 0);
    const [newest = 0] = [...run("list").stdout.matchAll(/^ *(\d+) /gm)]
      .map(([, id]) => Number(id))
      .toSorted((a, b) => b - a);
    const kept = run("report", String(newest), "--budget", budget);
    assert.deepEqual([kept.status, kept.stdout.includes(": kept (")], [0, true], kept.stderr);
    const compared = run("compare", String(newest - 2), String(newest), "--occasion-spread", "1");
    assert.match(compared.stdout, /^cell +command .*\ncommands no link +sleep .* slower$/m);
    assert.equal(compared.status, 1, compared.stderr);
    writeFileSync(budget, JSON.stringify({ budgets: [{ metric: "lcp", at_most_ms: 1 }] }));
    const wrong = time("--budget", budget, "--", "true");
    assert.deepEqual([wrong.status, wrong.stderr.includes('their metric is "time"')], [2, true]);
  });

  test("a plan's file is run by sweep, too, and a stale file of numbers is not read", () => {
    const plan = {
      name: "written",
      commands: [{ name: "w", words: ["sh", "-c", "[ -e n.json ] && exit 1; echo '{\"a\": 7}' > n.json"] }],
    };
    writeFileSync(join(home, "plan.json"), JSON.stringify({ ...plan, repetitions: 2, numbers_file: "n.json" }));
    const { status, stdout, stderr } = run("sweep", "plan.json", "--new");
    assert.equal(status, 0, stderr + stdout);
    assert.deepEqual(
      exported().runs.map(({ status: its, record }) => [its, record?.numbers[0]?.value]),
      [
        ["valid", 7],
        ["valid", 7],
      ],
    );
  });

  timedTest(
    "curl of 1 MB takes within 1 % of arithmetic: round trips, slow start, bytes, and curl's own time on a fast link without a delay",
    async (calm) => {
      assert.equal(run("synth", "object-1MB").status, 0);
      const [slow, free] = ["10mbit/50ms", "400mbit/0ms"];
      const { status, stderr } = time(
        ...["--link", slow, "--link", free, "--recording", "object-1MB", "--runs", "3"],
        ...["--", "curl", "--http1.1", "-sfo", "/dev/null", "https://object-1mb.synth.test/"],
      );
      assert.equal(status, 0, stderr);
      const { runs } = exported();
      // The least, because what else the machine does only adds.
      const least = (link: string): number =>
        Math.min(
          ...runs.filter((each) => each.link === link).map(({ record }) => record?.process.wall_ms ?? Number.NaN),
        );
      const bytes = runs.find((each) => each.link === slow)?.record?.link?.down_bytes ?? 0;
      assert.ok(bytes > 1_030_000 && bytes < 1_060_000, `${bytes} bytes with headers`);
      const own_ms = least(free) - theory_ms(400e6, 0, bytes);
      const expected_ms = theory_ms(10e6, 50, bytes) + own_ms;
      const said = `${least(slow)} ms, by arithmetic ${expected_ms} ms, of which ${own_ms} ms curl's own`;
      if (stderr.includes("invalid")) calm.disturbed("other programs held runs up");
      assert.ok(Math.abs(least(slow) / expected_ms - 1) <= 0.01, said);
    },
  );
});
