import assert from "node:assert/strict";
import { test } from "node:test";
import { timeOut } from "../../../../cli/load/time_out.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";
import { lostLoadsNotes, sweepVerdict } from "../../../../cli/results/verdict/sweep_verdict.ts";

function loadsOf(lane: string, valid: number, lost: number, reason = "the browser crashed"): Sample[] {
  return Array.from({ length: valid + lost }, (_, block) => ({
    ...{ page: "p", link: "3mbit/50ms", lane, block },
    ...(block < valid
      ? { status: "valid" as const, reasons: [], plt_ms: 1000 + block }
      : { status: "failed" as const, reasons: [reason], plt_ms: null }),
  }));
}

test("a lane that lost more loads than chance explains is named, with what that may hide", () => {
  const loads = [...loadsOf("h2", 39, 1), ...loadsOf("h3", 28, 12)];
  const notes = lostLoadsNotes(loads);
  assert.equal(notes.length, 1);
  assert.match(
    notes[0] ?? "",
    /^h3 lost 12 of 40 loads and h2 1 of 40, which is not chance \(p [^)]*\): if the lost ones were slow, h3 looks faster than it is\.$/,
  );
  assert.deepEqual(
    sweepVerdict(loads, new Map(), 1).notes.filter((note) => note.includes(" lost ")),
    notes,
  );
});

test("a few more, many of both, and loads that timed out are none", () => {
  assert.deepEqual(lostLoadsNotes([...loadsOf("h2", 9, 0), ...loadsOf("h3", 8, 2)]), []);
  assert.deepEqual(lostLoadsNotes([...loadsOf("h2", 20, 20), ...loadsOf("h3", 22, 18)]), []);
  assert.deepEqual(lostLoadsNotes([...loadsOf("h2", 39, 1), ...loadsOf("h3", 28, 12, timeOut(60_000))]), []);
  assert.deepEqual(lostLoadsNotes([]), []);
});
