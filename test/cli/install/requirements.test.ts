// The list of requirements: every row is read, every check that it names is one, and what is missing is named with its package.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../cli/base/programs.ts";
import { isInstalled, notInstalled, parseRequirements, requirements } from "../../../cli/install/requirements.ts";

const setup = (name: string): string => readFileSync(join(checkout, "cli", "install", name), "utf8");

test("every check of the list is one of set-up's, and the other way round", () => {
  const named = new Set([...setup("requirements.txt").matchAll(/\| @(\w+)/g)].map(([, name]) => name));
  const script = setup("system_packages.sh");
  for (const name of named) assert.match(script, new RegExp(`^${name}\\(\\) \\{`, "m"));
  assert.equal(named.size, 8);
});

test("a row has four cells and a known use", () => {
  assert.deepEqual(parseRequirements("# x\n\nrun | procps | pgrep pkill | to find\nbuild | a | @library a a.h | b\n"), [
    { use: "run", package: "procps", programs: ["pgrep", "pkill"], why: "to find" },
    { use: "build", package: "a", programs: [], why: "b" },
  ]);
  for (const row of ["run | a | b", "walk | a | b | c", "run | a | b | c | d"])
    assert.throws(() => parseRequirements(row), /not a row/);
  assert.ok(requirements.some(({ package: name }) => name === "iputils-ping"));
});

test("what is not installed is named with its package", () => {
  assert.ok(isInstalled("sh"));
  assert.ok(!isInstalled("no-such-program"));
  assert.equal(notInstalled(["sh"]), null);
  assert.equal(notInstalled(["sh", "no-such-program"]), "not installed: no-such-program (apt install no-such-program)");
});
