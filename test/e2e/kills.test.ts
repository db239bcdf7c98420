// Six kills with -9 in one sweep, at moments of chance, of whatever has a part in a load: the sweep ends as if there had been
// none. `npm run bench -- kills` makes a hundred.
// Beside others: nothing here depends on how busy the machine is.
// Long: some twenty loads.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { killedSweep, placesWrong, storiesOf } from "./killed_sweep.ts";

const home = mkdtempSync(join(tmpdir(), "trilane-kills-"));
after(() => rmSync(home, { recursive: true, force: true }));

test("killed at any moment, a sweep has each planned load once, a whole database, and leaves nothing behind", async () => {
  const seed = Date.now() % 1_000_000;
  const outcome = await killedSweep({ home, kills: 6, repetitions: 4, seed, pause_ms: 800 });
  const { kills, sweeps, loads, planned, integrity, left, failures } = outcome;
  const told = `seed ${seed}: ${JSON.stringify(kills)} ${storiesOf(loads).join("\n")}`;
  assert.deepEqual(failures, [], told);
  // The last ones may come after the last load on a fast machine.
  assert.ok(kills.runner >= 1 && kills.browser >= 1 && kills.shaper >= 1 && kills.server >= 1, told);
  assert.equal(sweeps.length, 1, told);
  assert.notEqual(sweeps[0]?.finished_at, null, told);
  assert.equal(planned, 12);
  assert.equal(placesWrong(loads, planned), 0, told);
  assert.equal(integrity, "ok", told);
  assert.deepEqual(left, [], told);
});
