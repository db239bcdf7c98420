// Races and sweeps as a person runs them: the command line, real labs, real Chromium. Interrupted, and with a browser shot down; what
// is printed, what is stored, and that nothing is left behind. Killed with -9: kills.test.ts.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Load, openResults } from "../../cli/results/store/results.ts";
import type { LoadFinished, SweepEvent, SweepFinished, SweepStarted } from "../../schemas/generated/sweep_event.ts";
import { tempFolder } from "../temp_folder.ts";
import { anyDisturbance } from "./untimed_load.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");
const homes: string[] = [];
after(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

function newHome(): string {
  const home = tempFolder("trilane-race-");
  homes.push(home);
  return home;
}

interface Run {
  readonly child: ChildProcess;
  readonly events: SweepEvent[];
  readonly ended: Promise<{ status: number | null; out: string; err: string }>;
}

/** Starts the command line in a process group of its own, as a shell does. */
function start(home: string, words: readonly string[]): Run {
  const child = spawn(trilane, [...words, "--home", home], { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const texts = { out: "", err: "" };
  const events: SweepEvent[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    texts.out += text;
    if (!words.includes("--json")) return;
    const lines = texts.out.split("\n");
    for (const line of lines.slice(events.length, -1)) events.push(JSON.parse(line) as SweepEvent);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    texts.err += text;
  });
  return { child, events, ended: once(child, "close").then(([status]) => ({ status, ...texts })) };
}

/** Processes of this command line's labs: each has the load's folder, named after our process, in its command line. */
function labProcesses(pid: number | undefined): { pid: number; commandLine: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const commandLine = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        return commandLine.includes(`trilane-load-${pid}-`) ? [{ pid: Number(name), commandLine }] : [];
      } catch {
        return [];
      }
    });
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!holds()) {
    assert.ok(Date.now() < deadline, `within a minute: ${what}`);
    await delay(5);
  }
}

function storedLoads(home: string): Load[] {
  using results = openResults(home);
  return results.listSweeps().flatMap((sweep) => results.loadsOf(sweep.id));
}

const valid = (home: string): string[] =>
  storedLoads(home)
    .filter((load) => load.status === "valid")
    .map((load) => `${load.lane} ${load.block}`)
    .sort();

// A busy machine makes loads invalid, so there are attempts enough.
const race = ["race", "object-10kB", "--link", "20mbit/20ms", "--retries", "8", "--no-filmstrip", ...anyDisturbance];

test("a race: events, the answer, a table within 80 columns, a report; every request on its lane", async () => {
  const home = newHome();
  const { child, events, ended } = start(home, [...race, "--runs", "1", "--json"]);
  const { status, err } = await ended;
  assert.equal(status, 0, err);
  const last = events.at(-1) as SweepFinished;
  assert.equal(last.event, "sweep-finished");
  assert.ok(existsSync(last.report));
  assert.equal(last.given_up, 0);
  assert.deepEqual(
    last.cells.map((cell) => cell.lane),
    ["h1", "h2", "h3"],
  );
  assert.deepEqual(valid(home), ["h1 0", "h2 0", "h3 0"]);
  for (const load of storedLoads(home).filter((stored) => stored.status === "valid")) {
    assert.deepEqual([load.off_lane, load.missed, load.failed, load.matched], [0, 0, 0, load.requests]);
  }
  assert.deepEqual(labProcesses(child.pid), []);

  const plain = await start(home, [...race, "--lanes", "h1,h3", "--runs", "1", "--new"]).ended;
  assert.equal(plain.status, 0, plain.err);
  const lines = plain.out.trimEnd().split("\n");
  const answer = lines.slice(0, 2).join(" ");
  assert.match(answer, /^No verdict yet on object-10kB \(20 Mbit\/s, 20 ms RTT\): 1 of at least 5 runs per lane\. /);
  assert.match(
    lines.find((line) => line.startsWith("lane ")) ?? "",
    /^lane +median PLT +95 % interval +against h1 +loads +invalid$/,
  );
  assert.match(lines.at(-1) ?? "", /^report: .*\.html$/);
  assert.ok(existsSync((lines.at(-1) ?? "").replace("report: ", "")));
  assert.ok(lines.slice(0, -1).every((line) => line.length <= 80));
});

// What it goes on from is stored: alike whatever ended it.
for (const [signal, expected, goesOn] of [
  ["SIGINT", 130, true],
  ["SIGTERM", 143, false],
  ["SIGHUP", 129, false],
] as const) {
  test(`${signal} in a load: nothing is left behind${goesOn ? ", and the same command goes on" : ""}`, async () => {
    const home = newHome();
    const words = [...race, "--lanes", "h1,h3", "--runs", "2", "--json"];
    const { child, events, ended } = start(home, words);
    await until("a second load is under way in its browser", () => {
      const begun = events.findLastIndex((event) => event.event === "load-started");
      const stored = events.findLastIndex((event) => event.event === "load-finished");
      return (
        stored >= 0 &&
        begun > stored &&
        labProcesses(child.pid).some((each) => / --type=renderer /.test(each.commandLine))
      );
    });
    // As a terminal does it for Ctrl-C: to the whole process group.
    process.kill(-(child.pid ?? 0), signal);
    const { status, err } = await ended;
    assert.equal(status, expected, err);
    assert.deepEqual(labProcesses(child.pid), []);
    assert.equal(events.at(-1)?.event, "sweep-stopped");
    const before = storedLoads(home);
    assert.ok(before.length >= 1 && !before.some((load) => load.status === "failed"), "the cut-off load is not stored");
    if (!goesOn) return;

    const again = start(home, words);
    const { status: second, err: secondErr } = await again.ended;
    assert.equal(second, 0, secondErr);
    const resumed = again.events.find((event) => event.event === "sweep-started") as SweepStarted;
    assert.ok(resumed.resumed && resumed.done >= 0 && resumed.sweep === 1);
    assert.deepEqual(valid(home), ["h1 0", "h1 1", "h3 0", "h3 1"]);
  });
}

const scratchFolders = (pid: number | undefined): string[] =>
  ["/dev/shm", tmpdir()].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(`trilane-load-${pid}-`)) : [],
  );

// npm passes on a Ctrl-C that has reached us already, some ms later; a person who presses it again takes longer.
for (const gap_ms of [20, 320]) {
  test(`two Ctrl-C ${gap_ms} ms apart: nothing is left behind, in /dev/shm neither`, async () => {
    const home = newHome();
    for (const wait_ms of [0, 60, 150]) {
      const { child, ended } = start(home, [...race, "--runs", "1", "--json", "--new"]);
      await until("a load has its folder", () => scratchFolders(child.pid).length > 0 || child.exitCode !== null);
      await delay(wait_ms);
      process.kill(-(child.pid ?? 0), "SIGINT");
      await delay(gap_ms);
      child.kill("SIGINT");
      const { status, err } = await ended;
      // The second one may come when the first has done its work, and nobody is there to take it.
      assert.ok(status === 130 || child.signalCode === "SIGINT", `${status} ${child.signalCode}: ${err}`);
      assert.deepEqual(scratchFolders(child.pid), [], `${wait_ms} ms after the load's folder`);
      await until("no process of the lab is left", () => labProcesses(child.pid).length === 0);
      assert.deepEqual(scratchFolders(child.pid), [], `${wait_ms} ms after the load's folder, later`);
    }
  });
}

test("kill -9 in a load: the lab dies with us, and the same command goes on", async () => {
  const home = newHome();
  const words = [...race, "--lanes", "h1", "--runs", "2", "--json"];
  const { child, events, ended } = start(home, words);
  await until("a load is stored and another under way", () => {
    const stored = events.some((event) => event.event === "load-finished");
    return stored && labProcesses(child.pid).some((each) => / --type=renderer /.test(each.commandLine));
  });
  child.kill("SIGKILL");
  await ended;
  await until("no process of the lab is left", () => labProcesses(child.pid).length === 0);
  const { status, err } = await start(home, words).ended;
  assert.equal(status, 0, err);
  assert.deepEqual(valid(home), ["h1 0", "h1 1"]);
});

test("a browser that is shot down costs one load, which is tried again", async () => {
  const home = newHome();
  const { child, events, ended } = start(home, [...race, "--lanes", "h1,h2", "--runs", "1", "--json"]);
  const browser = () =>
    labProcesses(child.pid).find(
      ({ commandLine }) => /^\S*chrom\S* .*--user-data-dir/.test(commandLine) && !/ --type=/.test(commandLine),
    );
  await until("a browser is there", () => browser() !== undefined);
  const shot = browser();
  assert.ok(shot);
  process.kill(shot.pid, "SIGKILL");
  const { status, err } = await ended;
  assert.equal(status, 0, err);
  const failed = events.find((event) => event.event === "load-finished" && event.status === "failed") as LoadFinished;
  assert.ok(failed, "the attempt is stored as failed");
  assert.match(failed.reasons.join(), /browser/);
  assert.deepEqual(valid(home), ["h1 0", "h2 0"]);
});

test("bad input: one line, exit status 2, nothing made", async () => {
  const home = newHome();
  const plan = join(home, "plan.json");
  writeFileSync(
    plan,
    JSON.stringify({ name: "x", pages: ["not-there"], lanes: ["h1"], links: ["1mbit/9ms"], repetitions: 1 }),
  );
  const cases: [string[], RegExp][] = [
    [["race", "not-there"], /^trilane: no page not-there: /],
    [
      ["race", "object-1kB", "--lanes", "h4"],
      /^trilane: lane "h4" is not known: did you mean h1\? use h1, h1-clear, .*, h3-0rtt$/,
    ],
    [["race", "object-1kB", "--link", "0mbit/50ms"], /^trilane: link: rate must be above 0 \(got "0mbit"\)$/],
    [["race", "object-1kB", "--runs", "0"], /^trilane: --runs: must be a whole number from 1/],
    [["race", join(home, "none.har")], /^trilane: .*none.har: no such file/],
    [["sweep", "not-there.json"], /^trilane: no plan not-there.json: /],
    [["sweep", plan], /^trilane: no recording is called not-there: see `trilane list`/],
  ];
  for (const [words, message] of cases) {
    const { status, out, err } = await start(home, words).ended;
    assert.equal(status, 2, `${words.join(" ")}: ${err}`);
    assert.match(err.trimEnd(), message);
    assert.equal(out, "");
  }
  assert.deepEqual(storedLoads(home), []);
});

test("a run that cannot begin leaves no sweep", async () => {
  const home = newHome();
  const begun = (program: string, words: string[], environment: NodeJS.ProcessEnv = {}) =>
    spawnSync(program, words, { encoding: "utf8", env: { ...process.env, TRILANE_HOME: home, ...environment } });
  const browserless = (path: string) => begun(trilane, race, { TRILANE_CHROMIUM: path });
  // In a user namespace of its own, whose root forbids any further one.
  const forbidding = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@"';
  for (const [{ status, stderr }, line] of [
    [browserless(join(home, "none")), /^trilane: no program at \/.*none \(TRILANE_CHROMIUM\): name Chromium's binary/m],
    [browserless(home), /^trilane: no program at \/.* \(TRILANE_CHROMIUM\): name Chromium's binary/m],
    [begun("unshare", ["-Ur", "sh", "-c", forbidding, trilane, ...race]), /^trilane: user namespaces are not allowed/m],
  ] as const) {
    assert.equal(status, 2, stderr);
    assert.match(stderr, line);
  }
  const results = openResults(home);
  assert.deepEqual(results.listSweeps(), []);
  results.close();
});

test("--dry-run tells cells, loads and time, and makes nothing", async () => {
  const home = newHome();
  const { status, out, err } = await start(home, ["sweep", "carlucci-2015-s3", "--dry-run", "--json"]).ended;
  assert.equal(status, 0, err);
  const planned = JSON.parse(out);
  assert.deepEqual([planned.cells, planned.loads, planned.done], [54, 540, 0]);
  assert.ok(planned.expected_s > 400);
  assert.equal(existsSync(join(home, "results.db")), false);
});
