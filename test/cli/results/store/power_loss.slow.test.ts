// The power goes while loads are stored in results: whatever arrived on the disk, the database is whole, and each load that was stored before is
// there. The same for an archive while a recording is stored. What is found is made by test/power_loss.ts.
// Wide: cli/results/store, native-host/archive, native-host/messaging.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openResults } from "../../../../cli/results/store/results.ts";
import { hostWith, storeRecording, wholeRecordings } from "../../../native-host/stored_recordings.ts";
import { eachLoss, promisedLine, readSteps, recorderVariables } from "../../../power_loss.ts";
import { tempFolder } from "../../../temp_folder.ts";

const scratch = tempFolder("trilane-power-");

/** What a child does, which is started with the recorder. */
const writer = `
  import { appendFileSync } from "node:fs";
  import { Results } from ${JSON.stringify(join(import.meta.dirname, "../../../../cli/results/store/results.ts"))};
  import { storeFixture } from ${JSON.stringify(join(import.meta.dirname, "../../report/fixture.ts"))};
  const { recordLoad } = Results.prototype;
  Results.prototype.recordLoad = function (load) {
    const id = recordLoad.call(this, load);
    appendFileSync(process.env.TRILANE_DISK_RECORD, ${JSON.stringify(promisedLine)});
    return id;
  };
  storeFixture(process.env.TRILANE_DISK_FOLDER, { name: "power", pages: ["a"], links: ["3mbit/50ms"], repetitions: 4 });
`;

test("results are whole after any loss of power, with each load that was stored", async () => {
  const home = join(scratch, "results");
  const record = join(scratch, "results.record");
  mkdirSync(home, { mode: 0o700 });
  const words = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", writer];
  const variables = recorderVariables(scratch, home, record);
  const { status, stderr } = spawnSync(process.execPath, words, {
    env: { ...process.env, ...variables },
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const steps = readSteps(record);
  let most = 0;
  const found = await eachLoss(steps, join(scratch, "found"), 3, ({ folder, promised, what }) => {
    using results = openResults(folder);
    assert.equal(results.damage(), null, what);
    const loads = results.listSweeps().flatMap(({ id }) => results.loadsOf(id));
    assert.ok(loads.length >= promised, `${what}: ${loads.length} loads of ${promised}`);
    for (const { id } of loads) results.harOf(id);
    most = Math.max(most, loads.length);
  });
  assert.ok(found > 100 && most === 12, `${found} disks, ${most} loads`);
});

for (const { bodies, every } of [
  { bodies: 4, every: 1 },
  // Above so many bodies that they are synced together.
  { bodies: 70, every: 40 },
])
  test(`an archive is whole after any loss of power while ${bodies} bodies are stored`, async () => {
    const home = join(scratch, `archive-${bodies}`);
    const record = join(scratch, `archive-${bodies}.record`);
    mkdirSync(home, { mode: 0o700 });
    const program = hostWith(join(scratch, "host"), recorderVariables(scratch, home, record));
    for (const name of ["kept", "new"]) {
      await storeRecording(home, name, program, bodies);
      appendFileSync(record, promisedLine);
    }
    const steps = readSteps(record);
    const seen = new Set<number>();
    const found = await eachLoss(steps, join(scratch, "found"), every, async ({ folder, promised, what }) => {
      const names = await wholeRecordings(folder).catch((error: unknown) => assert.fail(`${what}: ${error}`));
      assert.ok(names.length >= promised, `${what}: ${names.length} recordings of ${promised}`);
      seen.add(names.length);
    });
    assert.ok(found > 100 && seen.size === 3, `${found} disks, ${[...seen]} recordings`);
    const syncs = steps.filter(({ kind }) => kind === "sync" || kind === "sync all").length;
    assert.ok(syncs < 2 * (64 + 256 + 20), `${syncs} syncs`);
  });
