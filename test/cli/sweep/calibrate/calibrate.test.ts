// The calibration on machines whose truth is known: it finds how many labs they bear, and does not claim more by chance.

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { command, usualMost } from "../../../../cli/commands/calibrate.ts";
import { pages as source } from "../../../../cli/pages/source.ts";
import { openResults } from "../../../../cli/results/store/results.ts";
import { calibrate } from "../../../../cli/sweep/calibrate/calibrate.ts";
import { calibrationPath, readCalibration, writeCalibration } from "../../../../cli/sweep/calibrate/store.ts";
import type { Calibration } from "../../../../schemas/generated/calibration.ts";
import { run } from "../../../product.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { fastPlan, sweepOf } from "../../instruments/page/run/fast_runner.ts";

const least = { lanes: ["h1", "h2", "h3"], rounds: 12, margin_percent: 1, report: () => undefined } as const;
const signal = new AbortController().signal;

/** A machine on which loads take so much longer when so many run at once; `place`: which of these it is, from 0, in the order of their start. */
function machineOf(slowdown: (running: number, place: number) => number, spread: number, seed: number) {
  const random = randomSource(seed, "calibrate");
  let running = 0;
  return async (lane: string): Promise<number> => {
    const place = running++;
    await new Promise((resolve) => setImmediate(resolve));
    const factor = slowdown(running, place);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return (lane === "h1" ? 3000 : 2800) * factor * (1 + spread * (random() - 0.5));
  };
}

test("the largest number of labs that changes nothing", async () => {
  const load = machineOf((running) => (running <= 3 ? 1 : 1.05), 0.005, 1);
  const { labs, steps } = await calibrate({ ...least, load, mostLabs: 8, signal });
  assert.equal(labs, 3);
  assert.deepEqual(
    steps.map((step) => step.equivalent),
    [true, true, false],
  );
  assert.ok(Math.abs((steps[2]?.percent ?? 0) - 5) < 0.5);
});

test("one slow lab of several is found, whose loads a median over the labs would hide", async () => {
  for (const slow of [0, 1, 2]) {
    const load = machineOf((running, place) => (running === 3 && place === slow ? 1.04 : 1), 0.005, 7);
    const { labs, steps } = await calibrate({ ...least, load, mostLabs: 3, signal });
    assert.equal(labs, 2, `lab ${slow}`);
    // What is told is the slow one's.
    assert.ok(Math.abs((steps.at(-1)?.percent ?? 0) - 4) < 0.5, JSON.stringify(steps.at(-1)));
  }
});

test("a slow lab is found that is another one in each round", async () => {
  const random = randomSource(8, "which lab is slow");
  let slow = 0;
  const load = machineOf(
    (running, place) => {
      if (place === 0) slow = Math.floor(random() * 3);
      return running === 3 && place === slow ? 1.06 : 1;
    },
    0.005,
    9,
  );
  assert.equal((await calibrate({ ...least, rounds: 20, load, mostLabs: 3, signal })).labs, 2);
});

test("labs that change nothing are shown not to, up to eight of them", async () => {
  let shown = 0;
  const trials = 20;
  for (let trial = 0; trial < trials; trial++) {
    const load = machineOf(() => 1, 0.01, 500 + trial);
    if ((await calibrate({ ...least, rounds: 20, load, mostLabs: 8, signal })).labs === 8) shown++;
  }
  assert.ok(shown >= trials * 0.9, `${shown} of ${trials}`);
});

test("loads that vary too much to tell are not called the same", async () => {
  const load = machineOf(() => 1, 0.3, 2);
  assert.equal((await calibrate({ ...least, load, mostLabs: 2, signal })).labs, 1);
});

test("a slowdown of just the margin is called none in at most 5 %", async () => {
  let wrong = 0;
  const trials = 120;
  for (let trial = 0; trial < trials; trial++) {
    const load = machineOf((running) => (running === 1 ? 1 : 1.01), 0.01, 100 + trial);
    if ((await calibrate({ ...least, load, mostLabs: 2, signal })).labs > 1) wrong++;
  }
  assert.ok(wrong / trials <= 0.09, `${wrong} of ${trials}`);
});

test("labs whose loads do not count end the search early", async () => {
  let running = 0;
  const load = async () => {
    running++;
    await new Promise((resolve) => setImmediate(resolve));
    const many = running > 1;
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return many ? null : 1000;
  };
  const { labs, steps } = await calibrate({ ...least, load, mostLabs: 4, signal });
  assert.deepEqual([labs, steps.length, steps[0]?.equivalent, steps[0]?.percent], [1, 1, false, null]);
  assert.ok((steps[0]?.rounds ?? 12) < 12);
});

test("interrupted, it rejects with the signal's reason", async () => {
  const stop = new AbortController();
  const load = async () => {
    stop.abort(new Error("interrupted"));
    return 1000;
  };
  await assert.rejects(calibrate({ ...least, load, mostLabs: 2, signal: stop.signal }), /interrupted/);
});

test("stored for its machine only; anything else in its place counts as none", async () => {
  const home = tempFolder("trilane-calibrate-");
  const calibration: Calibration = {
    schema: "trilane/calibration/1",
    machine: "this one",
    made_at: "2026-01-01T00:00:00.000Z",
    page: "carlucci-small",
    link: "1mbit/50ms",
    rate_bps: 1e6,
    margin_percent: 1,
    labs: 2,
    steps: [],
  };
  assert.equal(readCalibration(home, "this one"), null);
  await writeCalibration(home, calibration);
  assert.deepEqual(readCalibration(home, "this one"), calibration);
  assert.equal(readCalibration(home, "another"), null);
  for (const text of ["{", "[]", JSON.stringify({ ...calibration, labs: 0 })]) {
    writeFileSync(calibrationPath(home), text);
    assert.equal(readCalibration(home, "this one"), null);
  }
});

test("without a number two labs for each CPU are tried, and no more than may be asked for", () => {
  assert.deepEqual([1, 2, 32, 33, 128].map(usualMost), [2, 4, 64, 64, 64]);
});

test("a link that says no delay is refused, as race refuses it", async () => {
  // A folder that cannot be made: nothing is ever measured here.
  const options = { home: "/proc/none", json: false, link: "1mbit", page: "none", rounds: 5, most: 2, margin: 1 };
  await assert.rejects(
    command.run(options, {
      pageSource: async () => source,
      report: async () => "",
      plannedPages: assert.fail,
      bundled: async () => null,
    }),
    /--link 1mbit: says no round-trip time: write 1mbit\/50ms/,
  );
});

test("nothing is measured while a sweep of the folder runs", () => {
  const home = tempFolder("trilane-calibrate-");
  using results = openResults(home);
  // A page that there is not, so that nothing is ever measured here.
  const refused = () => run(home, ["calibrate", "--page", "none"]);
  const { sweep } = results.beginSweep(sweepOf(fastPlan()), false);
  const beside = refused();
  assert.equal(beside.status, 2);
  assert.equal(
    beside.stderr,
    `trilane: sweep 1 is being run by process ${process.pid}: wait for it, or stop it first\n`,
  );
  assert.equal(existsSync(join(home, "archive.db")), false);
  results.release(sweep.id);
  assert.match(refused().stderr, /no synth page is called none/);
});
