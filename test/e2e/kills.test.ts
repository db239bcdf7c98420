// Kills with -9 in one sweep, at moments of chance, of whatever has a part in an attempt: the sweep ends as if there had been none.
// `npm run bench -- kills` makes a hundred. A sweep of each instrument, stopped and killed as a whole: interrupted.test.ts.
// Beside others: nothing here depends on how busy the machine is.
// Long: some twenty attempts.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { familyOf, type Process, start } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Interruptible, interruptibles, isBegun, isEnded, tasksWrong } from "./interruptible.ts";
import { killedSweep } from "./killed_sweep.ts";

/** As many as the kills leave time for: one of each victim, every second one after an attempt was stored. */
const tasks = 9;

for (const name of ["pages", "flows"] as const)
  test(`killed at any moment, a sweep of ${name} has each attempt once, a whole database, and leaves nothing behind`, async () => {
    const seed = Date.now() % 1_000_000;
    const instrument = interruptibles[name];
    const repetitions = tasks / instrument.each;
    const home = tempFolder("trilane-kills-");
    const outcome = await killedSweep({ home, instrument, kills: 5, repetitions, seed, pause_ms: 800 });
    const { kills, sweeps, rows, integrity, left, failures } = outcome;
    const told = `seed ${seed}: ${JSON.stringify(kills)}`;
    assert.deepEqual(failures, [], told);
    // The last ones may come after the last attempt on a fast machine.
    for (const victim of ["runner", ...Object.keys(instrument.parts)]) assert.ok((kills[victim] ?? 0) >= 1, told);
    assert.equal(sweeps.length, 1, told);
    assert.notEqual(sweeps[0]?.finished_at, null, told);
    assert.deepEqual(tasksWrong(rows, tasks), [], told);
    assert.equal(integrity, "ok", told);
    assert.deepEqual(left, [], told);
    // An attempt of which a part was killed says so.
    const reasons = rows.flatMap(({ status, reasons: its }) => (status === "failed" ? its : []));
    assert.ok(
      reasons.length >= 2 && reasons.some((reason) => /killed|ended/.test(reason)),
      `${told} ${reasons.join("; ")}`,
    );
  });

/** What is said of the victim. */
const reasons = { pages: /browser|killed|ended/, flows: /killed/ } as const;

for (const name of ["pages", "flows"] as const)
  test(`whichever part of an attempt of ${name} is killed, that attempt does not count and says so, and the next one runs`, async () => {
    const home = tempFolder("trilane-kills-");
    const plan = join(home, "plan.json");
    const instrument: Interruptible = interruptibles[name];
    const parts = Object.entries(instrument.parts);
    writeFileSync(plan, JSON.stringify({ ...instrument.plan(parts.length / instrument.each), retries: 0 }));
    const { pid, events, until, ended } = start(home, ["sweep", plan, "--json"]);
    for (const [position, [part, isPart]] of parts.entries()) {
      await until(`attempt ${position} begins`, () => events.filter(isBegun).length > position);
      let victims: readonly Process[] = [];
      await until(`${part} runs`, () => {
        victims = familyOf(pid).filter(({ commandLine }) => isPart.test(commandLine));
        return victims.length > 0;
      });
      for (const victim of victims) {
        try {
          process.kill(victim.pid, "SIGKILL");
        } catch {
          // It ended with another one.
        }
      }
      await until(`attempt ${position} ends`, () => events.filter(isEnded).length > position);
      const attempt = events.filter(isEnded)[position] as { status?: string; reasons?: string[] };
      assert.equal(attempt.status, "failed", JSON.stringify(attempt));
      assert.match(attempt.reasons?.join("; ") ?? "", part === "browser" ? /browser/ : reasons[name], part);
    }
    assert.equal((await ended).status, 1);
  });
