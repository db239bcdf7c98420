// `trilane sweep --once`: a study that is finished is not begun again by the next night's cron.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../../../cli/base/programs.ts";
import { executePages } from "../../../../../cli/instruments/page/run/instrument.ts";
import { pages as source } from "../../../../../cli/pages/source.ts";
import { openResults } from "../../../../../cli/results/store/results.ts";
import { planOf } from "../../../../../cli/sweep/plan/plan.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { assertRefused } from "../../../refusal.ts";
import { fastRun, sweepOf, validLoad } from "./fast_runner.ts";

test("--once does nothing where the plan's newest sweep is finished, and is not for beginning again", async () => {
  const home = tempFolder("trilane-once-");
  const file = join(home, "plan.json");
  const document = { name: "study", pages: ["a"], lanes: ["h1"], links: ["1mbit/20ms"], repetitions: 1 };
  writeFileSync(file, JSON.stringify(document));
  const once = (...words: string[]) => {
    const all = ["sweep", file, "--once", "--home", home, ...words];
    return spawnSync(join(checkout, "cli", "trilane"), all, { encoding: "utf8" });
  };
  // Unfinished or never begun, it runs: there is no page of that name.
  assert.match(once().stderr, /no recording is called a/);
  await fastRun({ home, plan: planOf(document, file), measure: validLoad });
  const { status, stdout, stderr } = once();
  assert.deepEqual([status, stdout, stderr], [0, "", "sweep 1 of plan study is finished: nothing to do\n"]);
  const results = openResults(home);
  assert.equal(results.listSweeps().length, 1);
  results.close();
  await assertRefused(
    ["sweep", file, "--once", "--home", home, "--new"],
    /^--once runs no sweep again, --new begins again: give one of them$/,
  );
});

test("a run that is to be the only one runs no load where the sweep was finished after it had looked", async () => {
  const home = tempFolder("trilane-once-");
  const pages = [{ synth: "object-1kB" }];
  const plan = planOf({ name: "study", pages, lanes: ["h1"], links: ["1mbit/20ms"], repetitions: 1 }, "study");
  using results = openResults(home);
  results.finishSweep(results.beginSweep(sweepOf(plan), false).sweep.id);
  assert.equal(
    await executePages({
      home,
      plan,
      source,
      report: async () => "",
      fresh: false,
      once: true,
      json: false,
      verbosity: "quiet",
    }),
    false,
  );
  assert.equal(results.listSweeps().length, 1);
});
