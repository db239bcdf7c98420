// When a video began, stood still and ended, from events as browsers tell them and as they should not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { playbackOf, stalled_ms, stallRatio, viewing_ms } from "../../../../../cli/load/metrics/video/playback.ts";
import { buffer, error, segment, state, states } from "./video_events.ts";

const spans = (events: Parameters<typeof playbackOf>[0]) =>
  playbackOf(events).stalls.map(({ start_ms, end_ms }) => [start_ms, end_ms]);

test("a stall is from waiting to the next playing; startup is none", () => {
  const events = states(
    "start 200, waiting 300, canplay 1100, playing 1200, timeupdate 2200 1, waiting 3200 2, playing 4700 2, waiting 6700 4, playing 7200 4, ended 11200 8",
  );
  const playback = playbackOf(events);
  assert.deepEqual(
    playback.stalls.map(({ start_ms, end_ms, media_s }) => [start_ms, end_ms, media_s]),
    [
      [3200, 4700, 2],
      [6700, 7200, 4],
    ],
  );
  const { start_ms, began_ms, ended_ms } = playback;
  assert.deepEqual({ start_ms, began_ms, ended_ms }, { start_ms: 200, began_ms: 1200, ended_ms: 11_200 });
  assert.equal(stalled_ms(playback), 2000);
  assert.equal(viewing_ms(playback), 10_000);
  assert.equal(stallRatio(playback), 0.2);
});

test("what the playhead goes on after waiting is no stall", () => {
  const events = states(
    "playing 1000 0, waiting 3000 1.96, timeupdate 3100 2, playing 4000 2, waiting 6000 3.99, playing 6005 4, ended 10005 8",
  );
  assert.deepEqual(
    playbackOf(events).stalls.map(({ start_ms, end_ms, media_s }) => [start_ms, end_ms, media_s]),
    [[3040, 4000, 2]],
  );
});

test("waiting told again before it plays is one stall; playing told again is none", () => {
  const events = states(
    "playing 1000, playing 1010, waiting 3000 2, waiting 3500 2, playing 4000 2, playing 4001 2, ended 10000 8",
  );
  assert.deepEqual(spans(events), [[3000, 4000]]);
});

test("a stall without an end lasts up to the last that is known of it", () => {
  const events = [state("playing", 1000), state("waiting", 3000, 2), segment("v1/3", 3100, 8000), buffer(9000, 0)];
  const playback = playbackOf(events);
  assert.deepEqual(spans(events), [[3000, 9000]]);
  assert.equal(playback.ended_ms, null);
  assert.equal(viewing_ms(playback), 8000);
  assert.equal(stallRatio(playback), 0.75);
});

test("one that ends while it waits was stalled until then", () => {
  assert.deepEqual(spans(states("playing 1000, waiting 7900 7, ended 9900 8")), [[8900, 9900]]);
});

test("a wait at the clip's end is no stall: nothing is left to wait for", () => {
  for (const media_s of [7.97, 8])
    assert.deepEqual(
      spans([state("playing", 1000), state("waiting", 8980, media_s), state("ended", 9080, 8.001)]),
      [],
      `at ${media_s} s`,
    );
  // A tenth of a second before it there is something.
  assert.equal(spans(states("playing 1000, waiting 8900 7.9, ended 9500 8")).length, 1);
});

test("what comes after the first end is of no viewing", () => {
  const events = states(
    "playing 1000, ended 9000 8, playing 9500 0, waiting 10000 0.5, playing 20000 0.5, ended 27500 8",
  );
  const playback = playbackOf(events);
  assert.equal(playback.ended_ms, 9000);
  assert.equal(playback.last_ms, 9000);
  assert.deepEqual(playback.stalls, []);
});

test("a wait after the playhead jumped is a seek, ahead or back, and no stall", () => {
  const ahead = states("playing 1000, timeupdate 2000 1, waiting 2100 6, playing 4000 6, ended 6000 8");
  assert.deepEqual(spans(ahead), []);
  const back = states(
    "playing 1000, timeupdate 5000 4, waiting 5010 0, playing 5500 0, waiting 6500 1, playing 7000 1",
  );
  assert.deepEqual(spans(back), [[6500, 7000]]);
});

test("a seek out of a stall ends it", () => {
  const events = states("playing 1000, waiting 2000 1, timeupdate 3000 6, playing 4000 6, ended 6000 8");
  assert.deepEqual(spans(events), [[2000, 3000]]);
});

test("one that never played has no stalls, no ratio and no viewing time", () => {
  for (const events of [[], states("start 100, waiting 200"), [error(50, "no codec")]]) {
    const playback = playbackOf(events);
    assert.equal(playback.began_ms, null);
    assert.deepEqual(playback.stalls, []);
    assert.equal(viewing_ms(playback), null);
    assert.equal(stallRatio(playback), null);
  }
});

test("events that were noticed out of order are put into theirs", () => {
  const events = states("waiting 3000 2, playing 1000, ended 10000 8, playing 4000 2");
  assert.deepEqual(spans(events), [[3000, 4000]]);
});
