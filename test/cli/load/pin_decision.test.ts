// When a recording's clock is set: to which moment, and only where that raises coverage.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultMoment_ms } from "../../../cli/browser/pin_time.ts";
import { momentOf, raisesCoverage } from "../../../cli/load/pin_decision.ts";
import type { LoadCoverage } from "../../../schemas/generated/page_load.ts";

const coverage = (requests: number, bytes: number, unanswered = 0): LoadCoverage => ({
  recorded: { requests: 100, bytes: 1000 },
  asked: { requests: Math.round(requests * 100), bytes: Math.round(bytes * 1000) },
  requests,
  bytes,
  beyond: { reports: 0, other: 0, failed: 0 },
  unanswered,
});

test("the moment is the recording's date, and that of loads with --pin-time where it was recorded so", () => {
  assert.equal(momentOf({ notes: {}, recorded_at: "2015-12-16T12:00:00.000Z" }), Date.UTC(2015, 11, 16, 12));
  assert.equal(momentOf({ notes: {}, recorded_at: null }), null);
  assert.equal(momentOf({ notes: {}, recorded_at: "some day" }), null);
  const recorded = { pin_time: true };
  assert.equal(momentOf({ notes: { recorded }, recorded_at: "2015-12-16T12:00:00.000Z" }), defaultMoment_ms);
  assert.equal(momentOf({ notes: { recorded: { pin_time: false } }, recorded_at: null }), null);
});

test("the clock is set where that raises one share and lowers none", () => {
  assert.equal(raisesCoverage(coverage(0.9, 0.9), coverage(0.95, 0.9)), true);
  assert.equal(raisesCoverage(coverage(0.9, 0.9), coverage(0.9, 0.95)), true);
  assert.equal(raisesCoverage(coverage(0.9, 0.9, 0.1), coverage(0.9, 0.9, 0.02)), true);
  assert.equal(raisesCoverage(coverage(0.9, 0.9), coverage(0.95, 0.8)), false);
  assert.equal(raisesCoverage(coverage(0.9, 0.9), coverage(0.901, 0.9)), false);
  assert.equal(raisesCoverage(coverage(0.9, 0.9), coverage(0.9, 0.9)), false);
});

test("a load that fails is worse than any, and better than none", () => {
  assert.equal(raisesCoverage(coverage(0.1, 0.1), null), false);
  assert.equal(raisesCoverage(null, coverage(0.1, 0.1)), true);
});
