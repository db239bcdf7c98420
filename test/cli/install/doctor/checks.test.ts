// The doctor looks for real: what it reports missing is missing, each with a remedy.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { dataChecks, labFailure, runChecks } from "../../../../cli/install/doctor/checks.ts";
import { openResults } from "../../../../cli/results/store/results.ts";
import { tempFolder } from "../../../temp_folder.ts";

const folder = tempFolder("trilane-doctor-test-");

test("everything that the tests themselves need is found", () => {
  for (const { name, outcome, found } of runChecks("/tmp/trilane"))
    assert.notEqual(outcome, "missing", `${name}: ${found}`);
});

test("a browser that is not there is missing, with what to do", () => {
  process.env.TRILANE_CHROMIUM = "/nonexistent/chromium";
  try {
    const chromium = runChecks("/tmp/trilane").find((check) => check.name === "Chromium");
    assert.equal(chromium?.outcome, "missing");
    assert.match(chromium?.found ?? "", /\/nonexistent\/chromium/);
  } finally {
    delete process.env.TRILANE_CHROMIUM;
  }
});

test("where the shaper names the remedy for a lab that cannot be made, that is the remedy", () => {
  const check = (found: string) => ({ name: "a lab", outcome: "missing" as const, found, remedy: "allow namespaces" });
  const tun = "trilane-shaper: /dev/net/tun: Permission denied";
  assert.deepEqual(labFailure(check(`${tun}: run \`sudo chmod 666 /dev/net/tun\``)), {
    ...check(tun),
    remedy: "run `sudo chmod 666 /dev/net/tun`",
  });
  assert.deepEqual(labFailure(check("trilane-shaper: killed")), check("trilane-shaper: killed"));
});

test("a data folder that may not be written is missing", () => {
  const folder = runChecks("/proc/trilane").find((check) => check.name === "data folder");
  assert.equal(folder?.outcome, "missing");
  assert.ok(folder?.remedy);
});

test("a home that is a file is missing", () => {
  const path = join(folder, "file");
  writeFileSync(path, "");
  for (const home of [path, join(path, "below")]) {
    const [check] = dataChecks(home);
    assert.equal(check?.outcome, "missing");
    assert.match(check?.found ?? "", /file is a file/);
    assert.ok(check?.remedy);
  }
});

test("databases that are whole are said to be there, what is damaged or not ours is missing", () => {
  const home = mkdtempSync(join(folder, "home-"));
  assert.deepEqual(
    dataChecks(home).map(({ name }) => name),
    ["data folder"],
  );
  openResults(home).close();
  const outcomes = () => dataChecks(home).map(({ name, outcome }) => `${name}: ${outcome}`);
  assert.deepEqual(outcomes(), ["data folder: ok", "results: ok"]);

  const path = join(home, "results.db");
  const copy = join(home, "results.db.v1-backup");
  copyFileSync(path, copy);
  assert.match(dataChecks(home).at(-1)?.found ?? "", /^results\.db\.v1-backup, \d+ kB: yours to remove$/);
  rmSync(copy);
  const archive = new DatabaseSync(join(home, "archive.db"));
  archive.exec("PRAGMA application_id = 1953655148; CREATE TABLE recording (name TEXT)");
  archive.close();
  assert.deepEqual(outcomes(), ["data folder: ok", "recordings: ok", "results: ok"]);

  // Pages after the first, which has the header, are overwritten.
  const whole = readFileSync(path);
  writeFileSync(path, whole.fill(0xa5, 4096));
  writeFileSync(join(home, "archive.db"), "no database at all, but long enough to be taken for one ".repeat(20));
  assert.deepEqual(outcomes(), ["data folder: ok", "recordings: missing", "results: missing"]);
  for (const { remedy } of dataChecks(home).slice(1)) assert.match(remedy ?? "", /move it away/);
});
