// Coverage of a recording by a load, its bounds, and what is said of a load outside them.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  coverageBounds,
  coverageOf,
  coverageReasons,
  isCoverageReason,
  isEssential,
} from "../../../../cli/load/metrics/coverage.ts";
import { recordedOf } from "../fixtures.ts";

const asked = { seqs: [], cached: [], beyond: [], requests: 0 };
const twenty = recordedOf(...Array.from({ length: 20 }, () => 100));
const seqs = (count: number) => Array.from({ length: count }, (_, seq) => seq);

test("shares are of what a load is expected to ask for, each request once", () => {
  const of = recordedOf(100, 300, { bytes: 5000, notExpected: "icon" }, 600);
  const coverage = coverageOf(of, { ...asked, seqs: [0, 0, 1, 2, 77], requests: 4 });
  assert.deepEqual(coverage.recorded, { requests: 3, bytes: 1000 });
  assert.deepEqual(coverage.asked, { requests: 2, bytes: 400 });
  assert.equal(coverage.requests, 2 / 3);
  assert.equal(coverage.bytes, 0.4);
});

test("what a cache answered was asked for", () => {
  const cached = [{ method: "GET", url: "https://shop.example/1" }];
  assert.deepEqual(coverageOf(recordedOf(1, 1), { ...asked, seqs: [0], cached }).asked, { requests: 2, bytes: 2 });
});

test("a recording of nothing but empty bodies is covered, and one without requests, too", () => {
  assert.equal(coverageOf(recordedOf(0, 0), { ...asked, seqs: [0, 1] }).bytes, 1);
  assert.equal(coverageOf(recordedOf(), asked).requests, 1);
});

test("what is unanswered is a share of all requests without reports and what failed as it did", () => {
  const beyond = ["other", "reports", "reports", "failed"] as const;
  const coverage = coverageOf(twenty, { ...asked, beyond, requests: 23 });
  assert.deepEqual(coverage.beyond, { reports: 2, other: 1, failed: 1 });
  assert.equal(coverage.unanswered, 1 / 20);
  assert.equal(coverageOf(twenty, { ...asked, beyond: ["reports"], requests: 1 }).unanswered, 0);
});

test("on a bound a load is valid, below it not, and the reason has the numbers", () => {
  assert.deepEqual([coverageBounds.requests, coverageBounds.bytes, coverageBounds.unanswered], [0.95, 0.98, 0.05]);
  const whole = recordedOf(...Array.from({ length: 19 }, () => 100), 0);
  const reasons = (count: number, of = whole) =>
    coverageReasons(coverageOf(of, { ...asked, seqs: seqs(count), requests: count }), null, false);
  assert.deepEqual(reasons(20), []);
  assert.deepEqual(reasons(19), []);
  assert.deepEqual(reasons(18), [
    "covers too little of the recording: 18 of 20 requests (90 %, bound 95 %), 1.8 kB of 1.9 kB (94.7 %, bound 98 %)",
  ]);
  // As many requests as it takes, but not as many bytes.
  assert.deepEqual(reasons(19, twenty), ["covers too little of the recording: 1.9 kB of 2 kB (95 %, bound 98 %)"]);
});

test("a share just below its bound is not told as the bound", () => {
  const of = recordedOf(...Array.from({ length: 10_000 }, () => 0));
  const [reason] = coverageReasons(coverageOf(of, { ...asked, seqs: seqs(9499) }), null, false);
  assert.match(reason ?? "", /9499 of 10000 requests \(94\.9 %, bound 95 %\)/);
});

test("a small page may ask for one thing that is not recorded, if nothing can follow from it", () => {
  const of = (requests: number, others: number) =>
    coverageOf(recordedOf(...Array.from({ length: requests - others }, () => 100)), {
      ...asked,
      seqs: seqs(requests - others),
      beyond: Array.from({ length: others }, () => "other" as const),
      requests,
    });
  const url = "https://shop.example/missing";
  const reasons = (requests: number, others: number, resourceType: string) =>
    coverageReasons(of(requests, others), { url, essential: isEssential(resourceType) }, false);
  for (const type of ["image", "font", "fetch", "other"]) {
    assert.deepEqual([reasons(2, 1, type), reasons(19, 1, type)], [[], []], type);
    assert.equal(reasons(19, 2, type).length, 1, type);
  }
  for (const type of ["document", "script", "stylesheet", "Stylesheet"]) {
    assert.deepEqual(
      reasons(10, 1, type),
      [`asks for too much that is not in the recording: 1 request (10 %, bound 5 %), the first: ${url}`],
      type,
    );
    assert.deepEqual(reasons(20, 1, type), [], type);
  }
});

test("too many unanswered requests make a load invalid, unless a strict rule names each", () => {
  const of = (others: number) =>
    coverageOf(twenty, {
      ...asked,
      seqs: seqs(20),
      beyond: Array.from({ length: others }, () => "other" as const),
      requests: 20 + others,
    });
  const url = { url: "https://ads.example/x", essential: false };
  assert.deepEqual(coverageReasons(of(1), url, false), []);
  const reasons = coverageReasons(of(2), url, false);
  assert.deepEqual(reasons, [
    "asks for too much that is not in the recording: 2 requests (9.1 %, bound 5 %), the first: https://ads.example/x",
  ]);
  assert.ok(reasons.every(isCoverageReason));
  assert.deepEqual(coverageReasons(of(2), url, true), []);
  assert.equal(isCoverageReason("3 of 4 requests failed: https://ads.example/x"), false);
});
