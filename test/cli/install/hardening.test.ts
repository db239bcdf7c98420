// How the release build's C programs are compiled and linked: at addresses chosen anew at each start, with canaries and checked
// copies, without executable stack, and with tables that nothing can write once the program runs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { type Program, programPath } from "../../../cli/base/programs.ts";

const programs: readonly Program[] = [
  "trilane-command",
  "trilane-fetch",
  "trilane-flows",
  "trilane-guard",
  "trilane-host",
  "trilane-probe",
  "trilane-replay",
  "trilane-server",
  "trilane-shaper",
];

function readelf(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync("readelf", ["--wide", ...words], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout;
}

for (const program of programs)
  test(`${program} is hardened`, () => {
    const path = programPath(program);
    const segments = readelf("--file-header", "--segments", path);
    assert.match(segments, /^ +Type: +DYN /m, "position-independent");
    assert.match(segments, /^ +GNU_RELRO /m, "partial RELRO");
    assert.match(segments, /^ +GNU_STACK .* RW /m, "no executable stack");
    // All relocations at the start, after which their table is read-only: full RELRO.
    assert.match(readelf("--dynamic", path), /\(FLAGS_1\).*\bNOW\b.*\bPIE\b/, "full RELRO, PIE");
    const symbols = readelf("--dyn-syms", path);
    assert.match(symbols, / __stack_chk_fail\b/, "stack protector");
    assert.match(symbols, / __\w+_chk\b/, "FORTIFY_SOURCE");
  });
