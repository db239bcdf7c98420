// `trilane remove --everything`: nothing of Trilane's is left, all else stays, and nothing goes while somebody works.
// Wide: cli/commands/remove.ts, cli/install/remove.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createTempSibling } from "../../../../cli/base/create_temp_sibling.ts";
import { writeCalibration } from "../../../../cli/sweep/calibrate/store.ts";
import type { Removed } from "../../../../schemas/generated/removed.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { storeFixture } from "../../report/fixture.ts";
import { raceFixture } from "../../report/fixtures.ts";

const trilane = join(import.meta.dirname, "..", "..", "..", "..", "cli", "trilane");

function run(environment: Record<string, string>, ...words: string[]) {
  return new Promise<{ status: number; out: string; err: string }>((resolve) => {
    const env = { PATH: process.env.PATH ?? "", TMPDIR: tmpdir(), ...environment };
    execFile(trilane, words, { env }, (error, out, err) => {
      resolve({ status: error === null ? 0 : typeof error.code === "number" ? error.code : -1, out, err });
    });
  });
}

async function withUser(work: (user: string, home: string) => Promise<void>): Promise<void> {
  const user = tempFolder("trilane-remove-");
  await work(user, join(user, ".local", "share", "trilane"));
}

/** All kinds of things that are kept. */
async function fill(environment: Record<string, string>, home: string): Promise<void> {
  mkdirSync(home, { recursive: true });
  storeFixture(home, raceFixture);
  for (const words of [["synth", "carlucci-small"], ["report"], ["install-host"]])
    assert.equal((await run(environment, ...words)).status, 0, words.join(" "));
  for (const folder of ["profiles", "jobs"]) mkdirSync(join(home, folder), { recursive: true });
  for (const kind of ["har", "json"]) writeFileSync(join(home, "profiles", `6b01a196218282f3.${kind}`), "{}");
  await writeCalibration(home, {
    schema: "trilane/calibration/1",
    machine: "one",
    made_at: "2026-01-01T00:00:00.000Z",
    page: "carlucci-small",
    link: "1mbit/50ms",
    rate_bps: 1_000_000,
    margin_percent: 1,
    labs: 1,
    steps: [],
  });
  for (const name of ["archive.db", "results.db"]) copyFileSync(join(home, name), join(home, `${name}.v1-backup-2`));
  const made = join(home, "browser-profiles", "firefox-6b01a1962f7b4dde", "startupCache");
  mkdirSync(made, { recursive: true });
  for (const name of ["startupCache.8.little", "../prefs.js"]) writeFileSync(join(made, name), "");
  // What killed writers left.
  writeFileSync(join(home, "results.db.v1-backup.part"), "");
  for (const path of ["calibration.json", "reports/1-shop.html"]) createTempSibling(join(home, path));
  const job = join(home, "jobs", "6b01a1962f7b4dde");
  mkdirSync(job);
  for (const name of ["job.json", "events.jsonl", "stderr", "exit", "shop-218282f3.har", "job.json.4711.tmp"])
    writeFileSync(join(job, name), "{}");
  execFileSync("mkfifo", [join(job, "control")]);
}

test("all of it goes: data, reports, profiles, and what browsers find the host by", async () => {
  await withUser(async (user, home) => {
    await fill({ HOME: user }, home);
    const left = spawn("true");
    await once(left, "exit");
    const leftFolder = join(tmpdir(), `trilane-load-${left.pid}-test`);
    mkdirSync(leftFolder);
    writeFileSync(join(leftFolder, ".trilane"), "");
    const { status, out, err } = await run({ HOME: user }, "remove", "--everything", "--yes");
    assert.equal(status, 0, err);
    assert.match(out, /^removed all that was kept in \/.*trilane \(\d.*[kM]?B\)\n/);
    assert.equal(out.match(/removed .*dev\.trilane\.host\.json/g)?.length, 5, out);
    assert.ok(!existsSync(home) && !existsSync(leftFolder));
    assert.deepEqual(readdirSync(join(user, ".config")), []);
    const again = await run({ HOME: user }, "remove", "--everything", "--yes");
    assert.match(again.out, /^nothing was kept in /);
  });
});

test("what is not Trilane's stays, and another data folder's manifests too", async () => {
  await withUser(async (user) => {
    const home = join(user, "mine");
    await fill({ HOME: user, TRILANE_HOME: home }, home);
    assert.equal((await run({ HOME: user }, "install-host", "--browser", "edge")).status, 0);
    writeFileSync(join(home, "notes.txt"), "my own");
    const { out } = await run({ HOME: user }, "remove", "--everything", "--yes", "--home", home, "--json");
    const { everything } = JSON.parse(out) as Removed;
    assert.deepEqual([everything?.home, everything?.left, everything?.manifests.length], [home, ["notes.txt"], 4]);
    assert.ok((everything?.bytes ?? 0) > 300_000);
    assert.deepEqual(readdirSync(home), ["notes.txt"]);
    assert.ok(!existsSync(join(user, ".config/trilane")), "the launcher is gone");
    assert.ok(existsSync(join(user, ".config/microsoft-edge/NativeMessagingHosts/dev.trilane.host.json")));
  });
});

test("while somebody works with it nothing is removed", async () => {
  await withUser(async (user, home) => {
    await fill({ HOME: user }, home);
    const before = readdirSync(home);
    // A reader of the archive, as a lab is; and shapers, of which only the command line can be seen, by the folder's own name and
    // by a symlink's.
    const alias = join(user, "alias");
    symlinkSync(home, alias);
    const users = [
      { program: "sleep", words: ["60"] },
      ...[home, alias].map((folder) => ({
        program: "trilane-shaper",
        words: ["-c", "sleep 60; :", join(folder, "jobs/0123456789abcdef/link.sock")],
      })),
    ];
    for (const { program, words } of users) {
      const isReader = program === "sleep";
      const input = openSync(isReader ? join(home, "archive.db") : "/dev/null", "r");
      const process = spawn(isReader ? "sleep" : "sh", words, { argv0: program, stdio: [input, "ignore", "ignore"] });
      closeSync(input);
      try {
        await once(process, "spawn");
        const { status, err } = await run({ HOME: user }, "remove", "--everything", "--yes");
        assert.equal(status, 2);
        assert.match(err, new RegExp(`is in use by process ${process.pid} \\(${program}\\): `));
        assert.deepEqual(readdirSync(home), before);
        assert.ok(existsSync(join(user, ".config/chromium/NativeMessagingHosts/dev.trilane.host.json")));
      } finally {
        // Until it is gone the folder is in use by it, too.
        const gone = once(process, "exit");
        process.kill();
        await gone;
      }
    }
  });
});

test("it is asked for alone", async () => {
  await withUser(async (user) => {
    const { status, err } = await run({ HOME: user }, "remove", "shop", "--everything", "--yes");
    assert.equal(status, 2);
    assert.match(err, /--everything removes all recordings and sweeps: name none with it/);
  });
});

/** As a stranger would have them: in folders that are called as Trilane's. */
const foreign = {
  "calibration.json": '{ "of": "my scales" }',
  "reports/mine.txt": "thesis",
  "reports/2024-thesis.html": "<!doctype html>thesis",
  "jobs/letter.odt": "to whom it may concern",
  "jobs/6b01a1962f7b4dde/notes.txt": "mine",
  "profiles/me.har": "{}",
  "bodies/ab/photo.jpg": "me",
  "ca/my.key": "secret",
};

function writeForeign(home: string): void {
  for (const [path, text] of Object.entries(foreign)) {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), text);
  }
}

function assertForeign(home: string): void {
  for (const [path, text] of Object.entries(foreign)) assert.equal(readFileSync(join(home, path), "utf8"), text, path);
}

test("a folder that never was Trilane's loses nothing, whatever its names", async () => {
  await withUser(async (user) => {
    const home = join(user, "work");
    mkdirSync(home);
    writeForeign(home);
    writeFileSync(join(home, "ca", "ca.key"), "another authority's");
    writeFileSync(join(home, "archive.db"), "no database");
    const database = new DatabaseSync(join(home, "results.db"));
    database.exec("CREATE TABLE mine (value)");
    database.close();
    const before = readdirSync(home, { recursive: true }).toSorted();
    const { status, out, err } = await run({ HOME: user }, "remove", "--everything", "--yes", "--home", home);
    assert.deepEqual([status, out], [2, ""]);
    assert.match(err, /^trilane: \/.*work: is not known to be Trilane's .*nothing was removed.*\n$/);
    assert.deepEqual(readdirSync(home, { recursive: true }).toSorted(), before);
    assertForeign(home);
    const unnamed = await run({ HOME: user }, "remove", "--everything", "--yes", "--home", "");
    assert.deepEqual([unnamed.status, unnamed.out], [2, ""]);
  });
});

test("in Trilane's own folders only what it made goes, also where the folder is the usual one", async () => {
  await withUser(async (user, home) => {
    await fill({ HOME: user }, home);
    writeForeign(home);
    writeFileSync(join(home, "trilane-host"), "#!/bin/sh\necho mine\n");
    writeFileSync(join(home, "trilane-host.4711"), "#!/bin/sh\n# Written by");
    const { status, out, err } = await run({ HOME: user }, "remove", "--everything", "--yes", "--json");
    assert.equal(status, 0, err);
    const stays = [...Object.keys(foreign), "trilane-host"].toSorted();
    assert.deepEqual((JSON.parse(out) as Removed).everything?.left.toSorted(), stays);
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((each) => !each.isDirectory());
    assert.deepEqual(files.map(({ parentPath, name }) => relative(home, join(parentPath, name))).toSorted(), stays);
    assertForeign(home);
  });
});

test("what is behind a symlink stays, and is not said to be gone", async () => {
  await withUser(async (user, home) => {
    await fill({ HOME: user }, home);
    const disk = join(user, "disk");
    renameSync(join(home, "bodies"), disk);
    symlinkSync(disk, join(home, "bodies"));
    const before = readdirSync(disk, { recursive: true }).toSorted();
    assert.ok(before.length > 3);
    const { status, out, err } = await run({ HOME: user }, "remove", "--everything", "--yes");
    assert.equal(status, 1);
    assert.match(out, /^removed not all that was kept in /);
    assert.ok(out.includes(`still there: ${disk} (${join(home, "bodies")} is a link to it)`), out);
    assert.ok(err.includes(`not all is removed: remove ${disk} `), err);
    assert.deepEqual(readdirSync(disk, { recursive: true }).toSorted(), before);
    assert.deepEqual(readdirSync(home), ["bodies"]);
  });
});

test("a data folder that is a symlink is emptied where it leads", async () => {
  await withUser(async (user) => {
    const [disk, home] = [join(user, "disk"), join(user, "home")];
    mkdirSync(disk);
    symlinkSync("disk", home);
    await fill({ HOME: user, TRILANE_HOME: home }, home);
    const { status, out, err } = await run({ HOME: user }, "remove", "--everything", "--yes", "--home", home);
    assert.equal(status, 0, err);
    assert.equal(out.match(/removed .*dev\.trilane\.host\.json/g)?.length, 5, out);
    assert.deepEqual([readdirSync(disk), readdirSync(home)], [[], []]);
  });
});
