// `trilane remove --everything`: nothing of Trilane's is left, all else stays, and nothing goes while somebody works.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Removed } from "../../../schemas/generated/removed.ts";
import { storeFixture } from "../report/fixture.ts";
import { raceFixture } from "../report/fixtures.ts";

const trilane = join(import.meta.dirname, "..", "..", "..", "cli", "trilane");

function run(environment: Record<string, string>, ...words: string[]) {
  return new Promise<{ status: number; out: string; err: string }>((resolve) => {
    const env = { PATH: process.env.PATH ?? "", ...environment };
    execFile(trilane, words, { env }, (error, out, err) => {
      resolve({ status: error === null ? 0 : typeof error.code === "number" ? error.code : -1, out, err });
    });
  });
}

async function withUser(work: (user: string, home: string) => Promise<void>): Promise<void> {
  const user = mkdtempSync(join(tmpdir(), "trilane-remove-"));
  try {
    await work(user, join(user, ".local", "share", "trilane"));
  } finally {
    rmSync(user, { recursive: true, force: true });
  }
}

/** All kinds of things that are kept. */
async function fill(environment: Record<string, string>, home: string): Promise<void> {
  mkdirSync(home, { recursive: true });
  storeFixture(home, raceFixture);
  for (const words of [["synth", "carlucci-small"], ["report"], ["install-host"]])
    assert.equal((await run(environment, ...words)).status, 0, words.join(" "));
  for (const folder of ["profiles", "jobs"]) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, "profiles", "a.har"), "{}");
}

test("all of it goes: data, reports, profiles, and what browsers find the host by", async () => {
  await withUser(async (user, home) => {
    await fill({ HOME: user }, home);
    const left = spawn("true");
    await once(left, "exit");
    const leftFolder = join(tmpdir(), `trilane-load-${left.pid}-test`);
    mkdirSync(leftFolder);
    const { status, out, err } = await run({ HOME: user }, "remove", "--everything");
    assert.equal(status, 0, err);
    assert.match(out, /^removed all that was kept in \/.*trilane \(\d.*[kM]?B\)\n/);
    assert.equal(out.match(/removed .*dev\.trilane\.host\.json/g)?.length, 4, out);
    assert.ok(!existsSync(home) && !existsSync(leftFolder));
    assert.deepEqual(readdirSync(join(user, ".config")).length, 1, "but for Brave's own folder, whose parent stays");
    const again = await run({ HOME: user }, "remove", "--everything");
    assert.match(again.out, /^nothing was kept in /);
  });
});

test("what is not Trilane's stays, and another data folder's manifests too", async () => {
  await withUser(async (user) => {
    const home = join(user, "mine");
    await fill({ HOME: user, TRILANE_HOME: home }, home);
    assert.equal((await run({ HOME: user }, "install-host", "--browser", "edge")).status, 0);
    writeFileSync(join(home, "notes.txt"), "my own");
    const { out } = await run({ HOME: user }, "remove", "--everything", "--home", home, "--json");
    const { everything } = JSON.parse(out) as Removed;
    assert.deepEqual([everything?.home, everything?.left, everything?.manifests.length], [home, ["notes.txt"], 3]);
    assert.ok((everything?.bytes ?? 0) > 300_000);
    assert.deepEqual(readdirSync(home), ["notes.txt"]);
    assert.ok(existsSync(join(user, ".config/microsoft-edge/NativeMessagingHosts/dev.trilane.host.json")));
  });
});

test("while somebody works with it nothing is removed", async () => {
  await withUser(async (user, home) => {
    await fill({ HOME: user }, home);
    const before = readdirSync(home);
    // A reader of the archive, as a lab is.
    const descriptor = openSync(join(home, "archive.db"), "r");
    const reader = spawn("sleep", ["60"], { stdio: [descriptor, "ignore", "ignore"] });
    closeSync(descriptor);
    try {
      await once(reader, "spawn");
      const { status, err } = await run({ HOME: user }, "remove", "--everything");
      assert.equal(status, 2);
      assert.match(err, new RegExp(`is in use by process ${reader.pid} \\(sleep\\): `));
      assert.deepEqual(readdirSync(home), before);
      assert.ok(existsSync(join(user, ".config/chromium/NativeMessagingHosts/dev.trilane.host.json")));
    } finally {
      reader.kill();
    }
  });
});

test("it is asked for alone", async () => {
  await withUser(async (user) => {
    const { status, err } = await run({ HOME: user }, "remove", "shop", "--everything");
    assert.equal(status, 2);
    assert.match(err, /--everything removes all recordings and sweeps: name none with it/);
  });
});
