// `trilane start` without an answer: a browser that never starts makes all its loads fail. One line with the reason and a remedy that
// this command has, the exit status is 1, and nothing is left running.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../cli/base/programs.ts";
import { tempFolder } from "../temp_folder.ts";

const folder = tempFolder("trilane-start-test-");

test("no answer: status 1, one line, one remedy", { timeout: 400_000 }, () => {
  const browser = join(folder, "browser");
  const script = '#!/bin/sh\n[ "$1" != --version ] || { echo Chromium 156.0.0.0; exit 0; }\necho broken >&2\nexit 7\n';
  writeFileSync(browser, script, { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync(join(checkout, "cli", "trilane"), ["start"], {
    env: { ...process.env, TRILANE_HOME: join(folder, "home"), TRILANE_CHROMIUM: browser },
    encoding: "utf8",
  });
  assert.equal(status, 1, stderr);
  const [line, ...more] = stderr.split("\n").filter((each) => each.startsWith("trilane: "));
  assert.deepEqual(more, []);
  assert.match(
    line ?? "",
    /^trilane: no load of sweep 1 was valid: the browser did not start: see its report, and what `trilane doctor` finds$/,
  );
  assert.match(stdout, /^No answer/m);
  assert.equal(`${stdout}${stderr}`.match(/trilane doctor|--evidence|--runs|run it again/g)?.length, 1);
});
