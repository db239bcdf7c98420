// The doctor looks for real: what it reports missing is missing, each with a remedy.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runChecks } from "../../../cli/doctor/checks.ts";

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

test("a data folder that may not be written is missing", () => {
  const folder = runChecks("/proc/trilane").find((check) => check.name === "data folder");
  assert.equal(folder?.outcome, "missing");
  assert.ok(folder?.remedy);
});
