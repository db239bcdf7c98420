// Kills with -9 in one sweep, at moments of chance, of whatever has a part in an attempt: the sweep ends as if there had been none.
// `npm run bench -- kills` makes a hundred. A sweep of each instrument, stopped and killed as a whole: interrupted.test.ts.
// Beside others: nothing here depends on how busy the machine is.
// Long: some thirty attempts.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { familyOf, start } from "../product.ts";
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

test("whichever end of a run of flows is killed, or its link, that run fails, says so, and the next one runs", async () => {
  const home = tempFolder("trilane-kills-");
  const plan = join(home, "plan.json");
  const parts = Object.values(interruptibles.flows.parts);
  writeFileSync(plan, JSON.stringify({ ...interruptibles.flows.plan(parts.length), retries: 0 }));
  const { pid, events, until, ended } = start(home, ["sweep", plan, "--json"]);
  const eventOf = (name: "flow-run-started" | "flow-run-finished", position: number) =>
    events.find((each) => each.event === name && each.position === position);
  for (const [position, part] of parts.entries()) {
    await until(`run ${position} begins`, () => eventOf("flow-run-started", position) !== undefined);
    const victims = () => familyOf(pid).filter(({ commandLine }) => part.test(commandLine));
    await until(`${part} runs`, () => victims().length > 0);
    for (const victim of victims()) process.kill(victim.pid, "SIGKILL");
    await until(`run ${position} ends`, () => eventOf("flow-run-finished", position) !== undefined);
    const run = eventOf("flow-run-finished", position);
    assert.ok(run?.event === "flow-run-finished" && run.status === "failed", JSON.stringify(run));
    assert.match(run.reasons[0] ?? "", /killed/, String(part));
  }
  assert.equal((await ended).status, 1);
});
