// Recordings hold what pages show their user: whichever program makes the data folder, and whatever the umask, no other user can
// read what is in it; nor a database that was open to others before.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout, programPath } from "../../../../cli/base/programs.ts";
import { dataChecks } from "../../../../cli/install/doctor/checks.ts";
import { tempFolder } from "../../../temp_folder.ts";

const folder = tempFolder("trilane-private-");

const module = join(checkout, "cli", "results", "store", "results.ts");
const trilane = join(checkout, "cli", "trilane");
const script = `const { openResults } = await import(${JSON.stringify(module)}); openResults(process.argv[1]).listSweeps();`;

/** Each makes the home, and something in it. */
const makers = {
  "results, by TypeScript": (home: string) => [process.execPath, "--input-type=module", "-e", script, home],
  "an archive, by trilane-host": (home: string, page = "cse534-count-1") => [trilane, "synth", page, "--home", home],
  "certificates, by trilane-replay": (home: string) => [programPath("trilane-replay"), "--print-spki", "--home", home],
};

/** With the umask that takes away nothing. */
function run(words: readonly string[]): void {
  const { status, stderr } = spawnSync("sh", ["-c", 'umask 000 && exec "$@"', "sh", ...words], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
}

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

for (const [name, words] of Object.entries(makers))
  test(`what comes first is ${name}: only its user can read it`, () => {
    const above = join(folder, name);
    const home = join(above, "home");
    run(words(home));
    assert.deepEqual([above, home].map(mode), ["700", "700"]);
    const entries = readdirSync(home, { withFileTypes: true, recursive: true });
    assert.ok(entries.length > 0);
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      assert.equal(mode(path), entry.isDirectory() ? "700" : "600", path);
    }
  });

test("a folder that its group can write stays shared with the group, and with nobody else", () => {
  const home = mkdtempSync(join(folder, "shared-"));
  chmodSync(home, 0o770);
  const { "results, by TypeScript": results, "an archive, by trilane-host": archive } = makers;
  for (const words of [results(home), archive(home)]) run(words);
  const paths = ["results.db", "archive.db"].map((name) => join(home, name));
  assert.deepEqual(paths.map(mode), ["660", "660"]);
  for (const path of paths) chmodSync(path, 0o666);
  for (const words of [results(home), archive(home, "cse534-count-5")]) run(words);
  assert.deepEqual(paths.map(mode), ["660", "660"]);
  chmodSync(home, 0o750);
  for (const words of [results(home), archive(home, "cse534-count-10")]) run(words);
  assert.deepEqual(paths.map(mode), ["600", "600"]);
});

test("databases that others can read are closed to them, an open folder is named by doctor", () => {
  const home = mkdtempSync(join(folder, "open-"));
  const { "results, by TypeScript": results, "an archive, by trilane-host": archive } = makers;
  for (const words of [results(home), archive(home)]) run(words);
  const paths = ["results.db", "archive.db"].map((name) => join(home, name));
  for (const path of paths) chmodSync(path, 0o644);
  chmodSync(home, 0o755);
  for (const words of [results(home), archive(home, "cse534-count-5")]) run(words);
  assert.deepEqual(paths.map(mode), ["600", "600"]);
  const [check] = dataChecks(home);
  assert.equal(check?.outcome, "warning");
  assert.match(check?.found ?? "", /open to other users \(mode 755\)/);
  assert.equal(check?.remedy, `chmod 700 ${home}`);
});
