// Of which pages the clock is set: decided once for each recording, kept, and only where a plan leaves it open.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLink } from "../../../../cli/link/link.ts";
import type { Tried } from "../../../../cli/load/pin_decision.ts";
import type { Trial } from "../../../../cli/load/trial.ts";
import type { Recording } from "../../../../cli/recording/archive/archive.ts";
import type { RecordingTrial } from "../../../../cli/results/store/recording_trials.ts";
import { type PinningOptions, pinnedPages } from "../../../../cli/sweep/plan/pinned_pages.ts";
import { planOf } from "../../../../cli/sweep/plan/plan.ts";
import type { PageTried } from "../../../../schemas/generated/sweep_event.ts";
import { pageLoad } from "../page_load.ts";

const recorded_at = "2015-12-16T12:00:00.000Z";
const day_ms = Date.parse(recorded_at);

function recording(name: string, source = "har: Chrome 47"): Recording {
  const sizes = { exchanges: 1, hosts: 1, addresses: 1, body_bytes: 1, filled: 0 };
  const digest = `digest of ${name}`;
  return {
    id: 1,
    name,
    url: "https://a.test/",
    source,
    created_at: recorded_at,
    recorded_at,
    digest,
    notes: {},
    ...sizes,
  };
}

function trial(coverage: Trial["coverage"]): Trial {
  const load = pageLoad({ page: "a", recording_digest: "d", lane: "h2", link: parseLink("unlimited") });
  return { load, coverage, failure: null, outside: [] };
}

function setUp(change: Partial<PinningOptions> = {}, plan: object = {}) {
  const stored = new Map<string, RecordingTrial>();
  const pinnings = new Map<string, number | null>();
  const told: PageTried[] = [];
  let trials = 0;
  const tried: Tried = { pinned_ms: day_ms, chosen: trial(null), before: null, isSettled: true };
  const options: PinningOptions = {
    home: "",
    plan: planOf({ name: "p", pages: ["a"], lanes: ["h2"], links: ["3mbit/50ms"], repetitions: 1, ...plan }, "test"),
    recordings: new Map([["a", recording("a")]]),
    results: {
      trialOf: (digest) => stored.get(digest) ?? null,
      recordTrial: (digest, kept) => void stored.set(digest, kept),
      pinningsOf: () => pinnings,
      recordPinning: (_, page, moment_ms) => void pinnings.set(page, moment_ms),
    },
    sweep: 1,
    tryRecording: async () => {
      trials++;
      return tried;
    },
    tell: (event) => told.push(event),
    store: async (write) => write(),
    decides: true,
    signal: new AbortController().signal,
    ...change,
  };
  return { options, told, stored, pinnings, trials: () => trials };
}

test("a recording is tried before its first loads, and what was decided stays", async () => {
  const { options, told, trials } = setUp();
  assert.deepEqual([...(await pinnedPages(options))], [["a", day_ms]]);
  assert.deepEqual([...(await pinnedPages(options))], [["a", day_ms]]);
  assert.equal(trials(), 1);
  assert.deepEqual(
    told.map(({ page, pinned_to }) => [page, pinned_to]),
    [["a", recorded_at]],
  );
});

test("a sweep keeps its decision, also where the recording is tried anew meanwhile", async () => {
  const { options, stored, pinnings, trials } = setUp();
  await pinnedPages(options);
  stored.set("digest of a", { moment_ms: null, outside: [] });
  assert.deepEqual([...(await pinnedPages(options))], [["a", day_ms]]);
  pinnings.set("a", null);
  stored.set("digest of a", { moment_ms: day_ms, outside: [] });
  assert.deepEqual([...(await pinnedPages(options))], []);
  assert.equal(trials(), 1);
});

test("a trial that failed decides for the sweep alone", async () => {
  const failed: Tried = {
    pinned_ms: null,
    chosen: { ...trial(null), failure: "no browser" },
    before: null,
    isSettled: false,
  };
  const { options, stored, pinnings } = setUp({ tryRecording: async () => failed });
  assert.equal((await pinnedPages(options)).size, 0);
  assert.deepEqual([...pinnings], [["a", null]]);
  assert.equal(stored.size, 0);
});

test("strict plans, pages made by Trilane and parts of a plan are not tried", async () => {
  const made = new Map(["synth: a", "model: b"].map((source) => [source, recording(source, source)]));
  for (const { options, trials } of [
    setUp({}, { strict: true }),
    setUp({ recordings: made }),
    setUp({ decides: false }),
  ]) {
    assert.equal((await pinnedPages(options)).size, 0);
    assert.equal(trials(), 0);
  }
});

test("a plan that asks for it has all clocks set, to the recordings' dates", async () => {
  const undated = { ...recording("b"), recorded_at: null };
  const recordings = new Map([
    ["a", recording("a")],
    ["b", undated],
  ]);
  const { options, trials } = setUp({ recordings }, { serving: { pin_time: true } });
  assert.deepEqual(
    [...(await pinnedPages(options))],
    [
      ["a", day_ms],
      ["b", Date.UTC(2026, 0, 1)],
    ],
  );
  assert.equal(trials(), 0);
});

test("a trial that the signal cut off decides nothing", async () => {
  const stop = new AbortController();
  const { options, stored, pinnings } = setUp({
    signal: stop.signal,
    tryRecording: async () => {
      stop.abort();
      throw stop.signal.reason;
    },
  });
  assert.equal((await pinnedPages(options)).size, 0);
  assert.deepEqual([stored.size, pinnings.size], [0, 0]);
});
