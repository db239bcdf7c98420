// The metrics of a video from hand-made records.
import assert from "node:assert/strict";
import { test } from "node:test";
import { downloadRate_bps, playedParts, segmentsOf } from "../../../../../cli/load/metrics/video/segments.ts";
import { noVideoMetrics, videoMetricsOf } from "../../../../../cli/load/metrics/video/video_metrics.ts";
import { videoMetrics } from "../../../../../extension/capture/metric_facts.ts";
import type { VideoEvents } from "../../../../../schemas/generated/video_events.ts";
import { buffer, error, record, segment, state } from "./video_events.ts";

const opening = { connect_start_ms: 320, connect_end_ms: 384 };

const whole = record(
  state("start", 250),
  segment("v1/0", 300, 400, { ...opening, bytes: 800 }),
  segment("a1/0", 310, 390, { connect_start_ms: 315, connect_end_ms: 365, bytes: 700 }),
  segment("a1/1", 400, 500),
  segment("v1/1", 400, 1400),
  state("playing", 1500),
  segment("v1/2", 1400, 2400),
  segment("v2/3", 2400, 4400),
  state("waiting", 5500, 4),
  state("playing", 6500, 4),
  segment("v2/4", 4400, 6400),
  buffer(6600, 2, 0),
  buffer(10_400, 0, 3),
  state("ended", 10_500, 8),
);

test("all metrics of a video that played in two bitrates and stalled once", () => {
  const { rate_difference_bps, ...others } = videoMetricsOf(whole);
  assert.deepEqual(others, {
    startup_delay_ms: 1250,
    viewing_ms: 9000,
    stalls: 1,
    stall_ms: 1000,
    stall_ratio: 1 / 9,
    prebuffering_ms: 1200,
    video_connect_ms: 64,
    audio_connect_ms: 50,
    rate_played_bps: 1.5e6,
    rate_switches: 1,
    dropped_frames: 3,
  });
  // Pictures: 1.5 MB and 800 bytes in 6.1 s. Sound: 24 kB and 700 bytes in 0.18 s.
  assert.ok(Math.abs((rate_difference_bps ?? 0) - ((1_500_800 * 8) / 6.1 - (24_700 * 8) / 0.18)) < 1);
});

test("a load without a video, and a record without events, have no metrics; each metric is there", () => {
  assert.deepEqual(videoMetricsOf(null), noVideoMetrics);
  assert.deepEqual(Object.keys(noVideoMetrics).sort(), [...videoMetrics].sort());
  assert.deepEqual(videoMetricsOf(record()), noVideoMetrics);
});

test("a video that failed before it played tells how it connected, and nothing of its playing", () => {
  const metrics = videoMetricsOf(record(state("start", 10), segment("v1/0", 20, 90, opening), error(100, "decode")));
  assert.equal(metrics.video_connect_ms, 64);
  for (const name of ["startup_delay_ms", "stalls", "stall_ms", "rate_played_bps", "rate_switches"] as const)
    assert.equal(metrics[name], null, name);
});

test("no stall is 0 stalls and a ratio of 0, not a missing one", () => {
  const { stalls, stall_ms, stall_ratio, viewing_ms } = videoMetricsOf(
    record(state("playing", 500), state("ended", 8500, 8)),
  );
  assert.deepEqual(
    { stalls, stall_ms, stall_ratio, viewing_ms },
    { stalls: 0, stall_ms: 0, stall_ratio: 0, viewing_ms: 8000 },
  );
});

test("without frames or samples of the buffer, dropped frames are unavailable, and the rest is there", () => {
  const { dropped_frames, startup_delay_ms } = videoMetricsOf(record(state("playing", 500), state("ended", 8500, 8)));
  assert.equal(dropped_frames, null);
  assert.equal(startup_delay_ms, 500);
});

test("a part that was fetched again in a better quality was played in that", () => {
  const events = record(
    state("playing", 500),
    segment("v1/1", 0, 400),
    segment("v1/2", 400, 800),
    segment("v2/2", 900, 1500),
    state("ended", 4500, 8),
  );
  assert.deepEqual(
    playedParts(events, "video").map(({ start_s, representation }) => [start_s, representation]),
    [
      [0, "v1"],
      [2, "v2"],
    ],
  );
});

test("of a part that was fetched again, what was given up or came too late was not played", () => {
  const playedIn = (...events: VideoEvents["events"]): string[] =>
    playedParts(
      record(state("playing", 500), segment("v1/1", 0, 400), ...events, state("ended", 8500, 8)),
      "video",
    ).map(({ representation }) => representation);
  const first = segment("v1/2", 400, 800);
  const past = state("timeupdate", 2600, 2.1);
  // Given up: less came than the segment has.
  assert.deepEqual(playedIn(first, segment("v2/2", 900, 1500, { bytes: 200_000 }), past), ["v1", "v1"]);
  // Whole when the part was being played already.
  assert.deepEqual(playedIn(first, segment("v2/2", 900, 2700), past), ["v1", "v1"]);
  assert.deepEqual(playedIn(first, segment("v2/2", 900, 2500), past), ["v1", "v2"]);
  // What came whole last counts, not what was asked for last.
  assert.deepEqual(playedIn(segment("v2/2", 400, 1500), segment("v1/2", 500, 800), past), ["v1", "v2"]);
  // It stood at the part's beginning until the first came; the second was not waited for.
  const late = [segment("v1/2", 2400, 4000), segment("v2/2", 2500, 5000)];
  assert.deepEqual(playedIn(state("waiting", 2500, 2.02), ...late, state("playing", 4010, 2.02)), ["v1", "v1"]);
  assert.deepEqual(playedIn(segment("v2/2", 900, 1500, { bytes: 200_000 }), past), ["v1"]);
});

test("what was fetched and not played, and requests that failed, are of no rate", () => {
  const unended = record(
    state("playing", 500),
    segment("v1/1", 0, 400),
    segment("v2/2", 400, 800),
    segment("v2/3", 800, 900, { status: 404, bytes: 0 }),
    segment("v2/4", 900, 1000),
    state("timeupdate", 3500, 3),
  );
  assert.deepEqual(
    playedParts(unended, "video").map(({ start_s, duration_s }) => [start_s, duration_s]),
    [
      [0, 2],
      [2, 1],
    ],
  );
  assert.equal(segmentsOf(unended.events, "video").length, 3);
});

test("the download rate is over the time in which requests were under way, those side by side once", () => {
  const side = [segment("v1/1", 0, 1000), segment("v1/2", 500, 1500), segment("v1/3", 9000, 9500)];
  assert.equal(downloadRate_bps(side), (750_000 * 8) / 2);
  assert.equal(downloadRate_bps([]), null);
});
