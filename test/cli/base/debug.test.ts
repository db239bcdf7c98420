// TRILANE_DEBUG: one list of parts, in the command line and in each C program; off unless asked for.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { type TestContext, test } from "node:test";
import { debugParts, listenToStderr, passDebugLines, readDebugParts } from "../../../cli/base/debug.ts";
import { programPath } from "../../../cli/base/programs.ts";
import { ProgramFailure, runProgram } from "../../../cli/base/run_program.ts";
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
    "trilane-server",
    "trilane-shaper",
    "trilane-host",
    "trilane-guard",
    "trilane-probe",
    "trilane-flows",
    "trilane-fetch",
    "trilane-command",
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

/** What is passed on meanwhile. */
function passedOn(context: TestContext): () => string {
  const { mock } = context.mock.method(process.stderr, "write", () => true);
  return () => mock.calls.map(({ arguments: [text] }) => text).join("");
}

const debugText = "trilane-replay: debug servers: GET https://ä.example/: 200\n";
const saidText = "trilane-replay: archive: größer\u2028trilane-x: debug a: b\n";

test("what a program says besides is kept", (context) => {
  const passed = passedOn(context);
  assert.equal(passDebugLines(debugText + saidText), saidText);
  assert.equal(passed(), debugText);
});

test("lines and characters that come in pieces are kept or passed on whole", async (context) => {
  const passed = passedOn(context);
  const stream = new PassThrough();
  const said = listenToStderr(stream, 4096);
  const bytes = Buffer.from(debugText + saidText + debugText.trimEnd());
  for (const byte of bytes) stream.write(Buffer.of(byte));
  stream.end();
  await new Promise((resolve) => stream.once("close", resolve));
  assert.equal(said(), saidText);
  assert.equal(passed(), debugText + debugText);
});

test("a program's failure is what it said, not its last debug line", async (context) => {
  const passed = passedOn(context);
  const line = (text: string) => `echo 'trilane-shaper: debug lab: ${text}' >&2`;
  await assert.rejects(
    runProgram("sh", ["-c", `${line("a")}; echo no room >&2; ${line("b")}; exit 3`]),
    (error) => error instanceof ProgramFailure && error.lastLine === "no room",
  );
  assert.equal(await runProgram("sh", ["-c", `${line("c")}; echo done`]), "done\n");
  assert.equal(passed(), ["a", "b", "c"].map((text) => `trilane-shaper: debug lab: ${text}\n`).join(""));
});
