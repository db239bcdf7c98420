// What is brought to hosts and back, with a shell in another folder for ssh: nothing that a killed submit left stays.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { collect, packFolder, ship } from "../../../cli/cluster/ship.ts";
import { thisProcess } from "../../../cli/process_owner.ts";

const folder = mkdtempSync(join(tmpdir(), "trilane-ship-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const there = join(folder, "there");
mkdirSync(there);

// After -o BatchMode=yes and the host comes the line.
writeFileSync(join(folder, "ssh"), `cd '${there}' && exec sh -c "$4"\n`);
const remote = { host: "lab", ssh: ["sh", join(folder, "ssh")], folder: "study" };

test("a packed folder reaches the host once, and takes away what a killed submit left", async () => {
  const temporary = join(folder, "tmp");
  const left = join(temporary, "trilane-submit-4711-abc");
  mkdirSync(join(left, "home"), { recursive: true });
  writeFileSync(join(left, ".trilane"), JSON.stringify({ ...thisProcess(), start_ticks: "1" }));
  const plan = join(folder, "plan.json");
  writeFileSync(plan, "{}");
  const before = process.env.TMPDIR;
  process.env.TMPDIR = temporary;
  try {
    const packed = await packFolder(join(folder, "home"), {}, [plan]);
    assert.deepEqual(readdirSync(temporary), [basename(packed.path)]);
    mkdirSync(join(packed.path, "home")); // made with the first recording
    assert.equal(await ship(remote, packed.path), true);
    assert.equal(await ship(remote, packed.path), false);
    assert.deepEqual(readdirSync(join(there, "study")).sort(), ["home", "shards", "shipped"]);
    await packed.remove();
    assert.deepEqual(readdirSync(temporary), []);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
});

test("shards come back whole, and what a killed submit had half brought goes", async () => {
  const shards = join(folder, "shards");
  mkdirSync(join(shards, ".collected-abc"), { recursive: true });
  writeFileSync(join(shards, ".collected-abc", "cell-0001-lab.db"), "half");
  mkdirSync(join(there, "study", "shards"), { recursive: true });
  writeFileSync(join(there, "study", "shards", "cell-0002-lab.db"), "whole");
  await collect(remote, shards);
  assert.deepEqual(readdirSync(shards), ["cell-0002-lab.db"]);
  assert.equal(readFileSync(join(shards, "cell-0002-lab.db"), "utf8"), "whole");
});
