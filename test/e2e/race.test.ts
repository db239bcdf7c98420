// Races and sweeps as a person runs them: the command line, real labs, real Chromium; what is printed, what is stored, and that nothing
// is left behind. Stopped and resumed: interrupted.test.ts; killed in parts: kills.test.ts.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Load, openResults } from "../../cli/results/store/results.ts";
import type { SweepFinished } from "../../schemas/generated/sweep_event.ts";
import { homeByOption, labFolders, labProcesses, living, run, start } from "../product.ts";
import { schemaErrors } from "../schemas/schema_errors.ts";
import { tempFolder } from "../temp_folder.ts";
import { anyDisturbance } from "./untimed_load.ts";

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

test("a race: events, the answer, a table within 80 columns, a report; every request on its lane", () => {
  const home = tempFolder("trilane-race-");
  const option = homeByOption(home);
  const words = [...race, ...option.words, "--runs", "1", "--json"];
  const { pid, events, status, stderr } = run(home, words, { env: option.env });
  assert.equal(status, 0, stderr);
  assert.ok(!existsSync(option.elsewhere), "a child was not given --home");
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
  assert.deepEqual(labProcesses(pid), []);

  const plain = run(home, [...race, "--lanes", "h1,h3", "--runs", "1", "--new"]);
  assert.equal(plain.status, 0, plain.stderr);
  const lines = plain.stdout.trimEnd().split("\n");
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

// npm passes on a Ctrl-C that has reached us already, some ms later; a person who presses it again takes longer.
for (const gap_ms of [20, 320]) {
  test(`two Ctrl-C ${gap_ms} ms apart: nothing is left behind, in /dev/shm neither`, async () => {
    const home = tempFolder("trilane-race-");
    for (const wait_ms of [0, 60, 150]) {
      const { child, pid, until, ended } = start(home, [...race, "--runs", "1", "--json", "--new"]);
      await until("a load has its folder", () => labFolders(pid).length > 0);
      await delay(wait_ms);
      const seen = labProcesses(pid);
      process.kill(-pid, "SIGINT");
      await delay(gap_ms);
      child.kill("SIGINT");
      const { status, signal, stderr } = await ended;
      // The second one may come when the first has done its work, and nobody is there to take it.
      assert.ok(status === 130 || signal === "SIGINT", `${status} ${signal}: ${stderr}`);
      assert.deepEqual(labFolders(pid), [], `${wait_ms} ms after the load's folder`);
      assert.deepEqual([await living(seen), labProcesses(pid)], [[], []]);
      assert.deepEqual(labFolders(pid), [], `${wait_ms} ms after the load's folder, later`);
    }
  });
}

test("bad input: one line, exit status 2, nothing made", () => {
  const home = tempFolder("trilane-race-");
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
    const { status, stdout, stderr } = run(home, words);
    assert.equal(status, 2, `${words.join(" ")}: ${stderr}`);
    assert.match(stderr.trimEnd(), message);
    assert.equal(stdout, "");
  }
  assert.deepEqual(storedLoads(home), []);
});

test("a run that cannot begin leaves no sweep", () => {
  const home = tempFolder("trilane-race-");
  const browserless = (path: string) => run(home, race, { env: { TRILANE_CHROMIUM: path } });
  // In a user namespace of its own, whose root forbids any further one.
  const forbidding = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@"';
  for (const [{ status, stderr }, line] of [
    [browserless(join(home, "none")), /^trilane: no program at \/.*none \(TRILANE_CHROMIUM\): name Chromium's binary/m],
    [browserless(home), /^trilane: no program at \/.* \(TRILANE_CHROMIUM\): name Chromium's binary/m],
    [
      run(home, race, { around: ["unshare", "-Ur", "sh", "-c", forbidding] }),
      /^trilane: user namespaces are not allowed/m,
    ],
  ] as const) {
    assert.equal(status, 2, stderr);
    assert.match(stderr, line);
  }
  const results = openResults(home);
  assert.deepEqual(results.listSweeps(), []);
  results.close();
});

// A browser that never starts makes all of its loads fail.
test("`trilane start` without an answer: status 1 after a few attempts, one line, one remedy", () => {
  const folder = tempFolder("trilane-start-test-");
  const home = join(folder, "home");
  const browser = join(folder, "browser");
  const script = '#!/bin/sh\n[ "$1" != --version ] || { echo Chromium 156.0.0.0; exit 0; }\necho broken >&2\nexit 7\n';
  writeFileSync(browser, script, { mode: 0o755 });
  const { status, stdout, stderr } = run(home, ["start"], { env: { TRILANE_CHROMIUM: browser } });
  assert.equal(status, 1, stderr);
  const [line, ...more] = stderr.split("\n").filter((each) => each.startsWith("trilane: "));
  assert.deepEqual(more, []);
  assert.match(
    line ?? "",
    /^trilane: no load of sweep 1 was valid: the browser did not start: see its report, and what `trilane doctor` finds$/,
  );
  assert.match(stdout, /^No answer/m);
  assert.equal(`${stdout}${stderr}`.match(/trilane doctor|--evidence|--runs|run it again/g)?.length, 1);
  const { length } = storedLoads(home);
  assert.ok(length >= 12 && length <= 36, `${length} attempts`);
});

test("--dry-run tells cells, loads and time, and makes nothing", () => {
  const home = tempFolder("trilane-race-");
  const { status, stdout, stderr } = run(home, ["sweep", "carlucci-2015-s3", "--dry-run", "--json"]);
  assert.equal(status, 0, stderr);
  const planned = JSON.parse(stdout);
  assert.deepEqual([planned.cells, planned.loads, planned.done], [54, 540, 0]);
  assert.ok(planned.expected_s > 400);
  const raced = run(home, ["race", "carlucci-small", "--lanes", "h2,h3", "--runs", "12", "--dry-run", "--json"]);
  assert.equal(raced.status, 0, raced.stderr);
  const race = JSON.parse(raced.stdout);
  assert.equal(schemaErrors("sweep-event", race), null);
  assert.deepEqual([race.name, race.pages, race.cells, race.loads], ["race-carlucci-small", ["carlucci-small"], 2, 24]);
  const har = join(import.meta.dirname, "..", "fixtures", "har", "chrome-devtools.har");
  const words = run(home, ["race", har, "--lanes", "h2,h3", "--runs", "12", "--dry-run"]);
  assert.match(words.stdout, /^ *size +2 cells x 12 repetitions = 24 loads$/m);
  assert.match(run(home, ["list"]).stdout, /^no recordings in /m);
  assert.equal(existsSync(join(home, "results.db")), false);
});
