// `trilane compare` on real results databases: regressions found, chance not called one, and the exit status for CI. What is
// judged of which loads is judge.test.ts's.
// Wide: cli/commands/compare.ts, cli/results/compare.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { before, describe, test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { openResults } from "../../../../cli/results/store/results.ts";
import type { SweepsCompared } from "../../../../schemas/generated/sweeps_compared.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { fastPlan, fastRun } from "../../instruments/page/run/fast_runner.ts";
import { assertRefused } from "../../refusal.ts";
import { pageLoad } from "../../sweep/page_load.ts";

const trilane = join(import.meta.dirname, "..", "..", "..", "..", "cli", "trilane");

/** A sweep of two pages and two lanes whose loads take `slower` times as long on page b over h3. */
async function sweepInto(
  home: string,
  slower: number,
  seed: number,
  { browser = "156.0", repetitions = 10, dilate = 1 } = {},
): Promise<void> {
  const random = randomSource(seed, "compare");
  const plan = fastPlan({ links: ["1mbit/20ms"], lanes: ["h2", "h3"], repetitions });
  await fastRun({
    home,
    plan,
    measure: async ({ recording, lane, link }) => {
      const factor = recording.name === "b" && lane === "h3" ? slower : 1;
      const plt_ms = 700 * factor * (1 + 0.02 * random());
      const parts = { page: recording.name, recording_digest: recording.digest, lane, link, plt_ms, wall_ms: 5 };
      const load = pageLoad(parts);
      load.log.browser.version = browser;
      return load;
    },
  });
  if (dilate === 1) return;
  // As an earlier version ran it.
  using database = new DatabaseSync(join(home, "results.db"));
  database.prepare("UPDATE sweep SET plan = json_set(plan, '$.dilate', ?)").run(dilate);
}

describe("trilane compare", () => {
  let home: string;
  before(async () => {
    home = tempFolder("trilane-compare-");
    await sweepInto(join(home, "old"), 1, 1);
    await sweepInto(join(home, "same"), 1, 2);
    await sweepInto(join(home, "again"), 1, 6);
    await sweepInto(join(home, "newer"), 1.2, 7);
    await sweepInto(join(home, "newest"), 1.2, 8);
    await sweepInto(join(home, "new"), 1.2, 3, { browser: "157.0" });
    await sweepInto(join(home, "few"), 1, 4, { repetitions: 1 });
    await sweepInto(join(home, "dilated"), 1, 5, { dilate: 5 });
    const results = openResults(join(home, "new"));
    results.close();
    copyFileSync(join(home, "new", "results.db"), join(home, "new.db"));
    writeFileSync(join(home, "text.db"), "not a database, but long enough to be looked at as one by mistake");
  });

  const run = (...words: string[]) =>
    spawnSync(trilane, ["compare", ...words, "--home", join(home, "old")], { encoding: "utf8", cwd: home });

  test("with one sweep each a slower cell may be the occasion's: said in one line, and exit status 3", () => {
    const { status, stdout, stderr } = run("1", "new.db");
    assert.equal(status, 3);
    assert.match(
      stdout,
      /^With one sweep each, a change and the occasion \(machine, day\) cannot be distinguished\.$/m,
    );
    assert.match(stderr, /^trilane: slower by more than 5 %, but with one sweep each it may be the occasion: .*\n$/);
    // Known to differ by less than it changed, or by more.
    assert.equal(run("1", "new.db", "--occasion-spread", "2").status, 1);
    assert.equal(run("1", "new.db", "--occasion-spread", "30").status, 0);
  });

  test("several sweeps of each side: a change is tested against the spread between them", () => {
    const { status, stdout } = run("1,same,again", "new.db,newer,newest");
    assert.equal(status, 1);
    assert.match(stdout, /^Changes are tested against the spread between sweeps \(3 and 3\)\.$/m);
    assert.match(stdout, /: 1 slower by more than 5 %, 0 faster, 3 the same/);
    const document = JSON.parse(run("1,same,again", "new.db,newer,newest", "--json").stdout) as SweepsCompared;
    assert.deepEqual([document.design, document.a.sweeps, document.cells[3]?.loads_a], ["occasions", [1, 1, 1], 30]);
    assert.equal(run("1,same", "again").status, 0);
  });

  test("a slower cell is found, by name and size, and makes the exit status 1 where occasions are known to be alike", () => {
    const { status, stdout } = run("1", "new.db", "--json", "--occasion-spread", "0");
    assert.equal(status, 1);
    const { cells } = JSON.parse(stdout) as SweepsCompared;
    assert.deepEqual(
      cells.map(({ page, lane, judgement }) => `${page} ${lane} ${judgement}`),
      ["a h2 same", "a h3 same", "b h2 same", "b h3 slower"],
    );
    const change = cells[3]?.change_percent ?? 0;
    assert.ok(Math.abs(change - 20) < 1, `${change}`);
    assert.match(run("1", "new.db").stdout, /^b 1mbit\/20ms +h3 +\d+ ms +\d+ ms +\+\d+ % \(\+\d+ to \+\d+\) +slower$/m);
  });

  test("what became faster, or is the same, is no failure", () => {
    assert.equal(run("new", "old").status, 0);
    assert.match(run("new", "old#1").stdout, /: 0 slower by more than 5 %, 1 faster, 3 the same/);
    assert.equal(run("1", "same").status, 0);
    assert.match(run("1", "same").stdout, /4 cells of both: 0 slower by more than 5 %, 0 faster, 4 the same/);
  });

  test("it tells which browsers the two ran with", () => {
    assert.match(run("1", "new.db").stdout, /^The first ran with Chromium 156\.0, the second with Chromium 157\.0\.$/m);
    assert.match(run("1", "same").stdout, /^Both ran with Chromium 156\.0\.$/m);
    const { a, b } = JSON.parse(run("1", "new.db", "--json").stdout) as SweepsCompared;
    assert.deepEqual(a.browsers, [{ version: "156.0", sha256: null, loads: 40 }]);
    assert.equal(b.browsers?.[0]?.version, "157.0");
  });

  test("a change within the threshold is none", () => {
    assert.equal(run("1", "new.db", "--threshold", "25").status, 0);
  });

  test("where the loads can show nothing it does not pass", () => {
    const { status, stdout, stderr } = run("few", "few");
    assert.equal(status, 3);
    assert.match(stdout, /^4 cells together +all +[-+]?\d/m);
    assert.equal(
      stderr,
      "trilane: so few loads cannot show any change: 9 loads of each cell in both sweeps can (--runs)\n",
    );
  });

  test("loads of another dilation are refused", () => {
    const { status, stderr } = run("1", "dilated");
    assert.equal(status, 2);
    assert.equal(
      stderr,
      "trilane: sweep 1 ran in undilated time, sweep 1 in time dilated 5 times: run the dilated one again, undilated\n",
    );
    assert.notEqual(run("dilated", "dilated").status, 2);
  });

  test("bad words: one line, exit status 2", async () => {
    for (const [words, message] of [
      [["1", "nothing.db"], /^\S+\/nothing\.db: neither a sweep's number nor a file of results: /],
      [["1", "9"], /^no sweep 9 in /],
      [["1", "new.db#7"], /^no sweep 7 in \S+\/new\.db: /],
      [["1", "text.db"], /^\S+\/text\.db: /],
      [["1"], /^sweep 1 did not alternate two versions: /],
      [["1", "same", "--runs", "5"], /^--runs: is for loads that are still to be run: /],
      [["--interleaved", "a"], /^--interleaved: name both versions: /],
      [["1", "new.db", "--threshold", "-1"], /^--threshold: must be a number from 0 to 1000/],
    ] as const) {
      const named = words.map((word) => (/\.db|^same$/.test(word) ? join(home, word) : word));
      await assertRefused(["compare", ...named, "--home", join(home, "old")], message);
    }
  });
});
