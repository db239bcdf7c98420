// How far a race is, from its lines: only what counts is counted, and the same lines tell the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inPieces } from "../../../extension/background/hand_over.ts";
import { afterLine, beginning } from "../../../extension/background/race_progress.ts";
import type { SweepEvent } from "../../../schemas/generated/sweep_event.ts";

const load = (lane: string, status: string, plt_ms: number | null, done: number) =>
  ({ event: "load-finished", lane, status, plt_ms, done, loads: 4, left_s: 9 - done }) as unknown as SweepEvent;

test("from the first line to the last", () => {
  const lines = [
    { event: "page-ready" },
    { event: "link-tested", left_s: 0 },
    { event: "sweep-started", loads: 4, done: 0, expected_s: 20 },
    load("h2", "valid", 100, 1),
    load("h3", "invalid", 300, 1),
    load("h3", "valid", 200, 2),
    load("h2", "valid", 110, 3),
    load("h3", "failed", null, 4),
    { event: "film-started" },
    { event: "film-finished", filmed: 1, films: 2, left_s: 3 },
    { event: "film-finished", filmed: 2, films: 2, left_s: 0 },
    { event: "nobody knows this one" },
  ] as unknown as SweepEvent[];
  const phases = [];
  let progress = beginning(["h2", "h3"], 2);
  assert.deepEqual([progress.loads, progress.left_s], [4, null]);
  for (const line of lines) {
    progress = afterLine(progress, line);
    phases.push(progress.phase);
  }
  assert.deepEqual(phases, [
    "importing",
    "importing",
    ...Array(6).fill("racing"),
    "filming",
    "filming",
    "reporting",
    "reporting",
  ]);
  assert.deepEqual(progress.lanesDone, { h2: 2, h3: 1 });
  assert.deepEqual(progress.plts, { h2: [100, 110], h3: [200] });
  assert.deepEqual([progress.done, progress.left_s], [4, 0]);
});

test("pieces of a file are whole, small enough, and split no surrogate pair", () => {
  const text = `${"a".repeat(999_999)}\u{1F600}${"b".repeat(1_500_000)}`;
  const pieces = [...inPieces([text, "end"])];
  assert.equal(pieces.join(""), `${text}end`);
  assert.ok(pieces.every((piece) => piece.length <= 1_000_000 && piece.isWellFormed()));
  assert.deepEqual([...inPieces([])], []);
});

test("a full disk is told, and forgotten with the next load", () => {
  const paused = afterLine(beginning(["h2"], 2), { event: "sweep-paused", sweep: 1, reason: "no space left" });
  assert.equal(paused.phase, "paused");
  assert.equal(afterLine(paused, load("h2", "valid", 100, 1)).phase, "racing");
});
