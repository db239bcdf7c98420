// What is said of a command that ran in a root.
import assert from "node:assert/strict";
import { test } from "node:test";
import { disturbedRemedy } from "../../cli/instruments/page/run/outcome.ts";
import { lastLine, outcomeOf } from "./outcome.ts";

const ending = (output: string, status: number | null = 0) => ({ status, isLate: false, limit_min: 5, output });

test("the last line is what a terminal would show", () => {
  assert.equal(lastLine("a\n\rb\rc\n\n  \n"), "c");
  assert.equal(lastLine(""), "");
});

test("a command passes by its exit status, and `npm start` by its report", () => {
  assert.equal(outcomeOf("setup", ending("done")).passed, true);
  assert.deepEqual(outcomeOf("setup", ending("setup: x failed: y\nnpm ERR! code 2\n", 2)), {
    passed: false,
    result: "exit status 2",
    last: "setup: x failed: y",
  });
  assert.equal(outcomeOf("start", ending("report: /a/report.html")).result, "passed");
  const disturbed = `trilane: no load of sweep 1 was valid: ${disturbedRemedy([{ reasons: ["the machine disturbed the load: by 9 ms"] }])}`;
  assert.equal(outcomeOf("start", ending(disturbed, 1)).result, "inconclusive: disturbed");
  assert.equal(outcomeOf("start", ending("nothing")).result, "no report");
  assert.equal(outcomeOf("test", { ...ending("x", null), isLate: true }).result, "over 5 min");
  assert.equal(outcomeOf("test", ending("x", null)).passed, false);
});

test("where apt has no new Rust, the remedy is what can be had", () => {
  const line =
    "setup: Rust 1.88 or newer is missing (quiche needs it; found: no Rust): install it with rustup (https://rustup.rs), then run this again";
  assert.deepEqual(outcomeOf("start", ending(line, 2)), { passed: true, result: "remedy named", last: line });
  assert.equal(outcomeOf("start", ending(`${line}\nmore`, 2)).passed, false);
});
