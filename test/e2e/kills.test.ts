// Kills with -9 in one sweep, at moments of chance, of whatever has a part in an attempt: the sweep ends as if there had been none.
// `npm run bench -- kills` makes a hundred. A sweep of each instrument, stopped and killed as a whole: interrupted.test.ts.
// Beside others: nothing here depends on how busy the machine is.
// Long: some thirty attempts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { tempFolder } from "../temp_folder.ts";
import { interruptibles, tasksWrong } from "./interruptible.ts";
import { killedSweep } from "./killed_sweep.ts";

for (const name of ["pages", "flows"] as const)
  test(`killed at any moment, a sweep of ${name} has each attempt once, a whole database, and leaves nothing behind`, async () => {
    const seed = Date.now() % 1_000_000;
    const instrument = interruptibles[name];
    const repetitions = 12 / instrument.each;
    const home = tempFolder("trilane-kills-");
    const outcome = await killedSweep({ home, instrument, kills: 6, repetitions, seed, pause_ms: 800 });
    const { kills, sweeps, rows, integrity, left, failures } = outcome;
    const told = `seed ${seed}: ${JSON.stringify(kills)}`;
    assert.deepEqual(failures, [], told);
    // The last ones may come after the last attempt on a fast machine.
    for (const victim of ["runner", ...Object.keys(instrument.parts)]) assert.ok((kills[victim] ?? 0) >= 1, told);
    assert.equal(sweeps.length, 1, told);
    assert.notEqual(sweeps[0]?.finished_at, null, told);
    assert.deepEqual(tasksWrong(rows, 12), [], told);
    assert.equal(integrity, "ok", told);
    assert.deepEqual(left, [], told);
    // An attempt of which a part was killed says so.
    const reasons = rows.flatMap(({ status, reasons: its }) => (status === "failed" ? its : []));
    assert.ok(
      reasons.length >= 2 && reasons.some((reason) => /killed|ended/.test(reason)),
      `${told} ${reasons.join("; ")}`,
    );
  });
