// TRILANE_DEBUG: one list of parts, in the command line and in each C program; off unless asked for.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { debugParts, passDebugLines, readDebugParts } from "../../../cli/base/debug.ts";
import { programPath } from "../../../cli/base/programs.ts";
import { chromiumEnvironment } from "../../../cli/browser/chromium.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const parts = debugParts().map(({ name }) => name);

function run(program: string, debug: string, ...words: string[]) {
  const { status, stderr } = spawnSync(program, words, {
    encoding: "utf8",
    timeout: 60_000,
    env: { ...process.env, TRILANE_DEBUG: debug },
  });
  return { status, stderr };
}

test("every part that is used is in the list, and every one in the list is used", () => {
  const sources = globSync(["cli/**/*.ts", "native-host/**/*.c", "shaper/**/*.c"], { cwd: root })
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n");
  const used = [...sources.matchAll(/\bdebug_?[lL]ine\("?(\w+)"?, /g)].map(([, name]) => name);
  assert.deepEqual([...new Set(used)].toSorted(), parts.toSorted());
});

test("a part that there is not is refused in one line, by each program", () => {
  const list = parts.join(" ");
  assert.throws(() => readDebugParts("lab,foo"), {
    message: `TRILANE_DEBUG: no part "foo": use one or several of ${list}`,
  });
  const programs = [
    "trilane-replay",
    "trilane-shaper",
    "trilane-host",
    "trilane-guard",
    "trilane-dilate",
    "trilane-probe",
  ] as const;
  for (const program of programs) {
    const { status, stderr } = run(programPath(program), "lab,foo", "--version");
    assert.deepEqual(
      [status, stderr],
      [2, `${program}: TRILANE_DEBUG: no part "foo": use one or several of ${list}\n`],
    );
  }
  const { status, stderr } = run(join(root, "cli", "trilane"), "foo", "--version");
  assert.deepEqual([status, stderr], [2, `trilane: TRILANE_DEBUG: no part "foo": use one or several of ${list}\n`]);
});

test("a lab's programs print the parts that are asked for, and no others", () => {
  const words = ["--link", "3mbit/50ms,loss=1%", "--", "true"];
  const said = (debug: string): string => run(programPath("trilane-shaper"), debug, ...words).stderr;
  assert.equal(said(""), "");
  assert.match(said("link"), /^trilane-shaper: debug link: \S*loss=1%\S*\n$/);
  assert.match(said("lab,link"), /^trilane-shaper: debug lab: process \d+: true$/m);
});

test("the lab of a load has the variable", () => {
  assert.equal(chromiumEnvironment("/p", "/t", { TRILANE_DEBUG: "lab" }).TRILANE_DEBUG, "lab");
  assert.ok(!("TRILANE_DEBUG" in chromiumEnvironment("/p", "/t", {})));
});

test("what a program says besides is kept", () => {
  const text = "trilane-replay: debug servers: GET https://a/: 200\ntrilane-replay: archive: gone\n";
  assert.equal(passDebugLines(text), "trilane-replay: archive: gone\n");
});
