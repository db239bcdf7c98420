// Names of video pages: what they stand for, and what is refused, in one line each.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isVideoName,
  segmentBytes,
  segmentsOf,
  videoBytes,
  videoExchanges,
  videoSpec,
} from "../../../../../cli/recording/synth/video/video_spec.ts";
import { refusedIn } from "../../../refused.ts";

test("one representation is pinned, several are adapted to unless one is named", () => {
  const one = videoSpec("video-60s-2000k");
  assert.deepEqual(one.video, [{ kbps: 2000, width: 640, height: 360, fps: 25 }]);
  assert.deepEqual([one.clip_s, one.segment_s, one.audio_kbps], [60, 2, [96]]);
  assert.deepEqual(one.fixed, { video_kbps: 2000, audio_kbps: 96 });
  assert.equal(videoSpec("video-60s-500k-2000k").fixed, null);
  assert.equal(videoSpec("video-60s-2000k-audio-64k-128k").fixed, null);
  assert.deepEqual(videoSpec("video-60s-500k-2000k-fixed-500k").fixed, { video_kbps: 500, audio_kbps: 96 });
  const both = videoSpec("video-60s-500k-2000k-audio-128k-64k-fixed-500k-64k");
  assert.deepEqual(both.fixed, { video_kbps: 500, audio_kbps: 64 });
  assert.deepEqual(both.audio_kbps, [64, 128]);
});

test("representations stand by rising bitrate, with the sizes and rates of frames that are named", () => {
  const { video, segment_s } = videoSpec("video-12s-by-0.4s-3000k.1280x720.50-300k");
  assert.deepEqual(video, [
    { kbps: 300, width: 320, height: 180, fps: 25 },
    { kbps: 3000, width: 1280, height: 720, fps: 50 },
  ]);
  assert.equal(segment_s, 0.4);
});

test("what a page takes follows from its name", () => {
  const spec = videoSpec("video-60s-by-1s-500k-1500k-audio-64k");
  assert.equal(segmentsOf(spec), 60);
  assert.equal(segmentBytes(1500, 1), 187_500);
  assert.equal(videoBytes(spec), 60 * (62_500 + 187_500 + 8000));
  assert.equal(videoExchanges(spec), 3 + 3 * 61);
});

test("a clip shorter than a usual segment is one segment", () => {
  assert.equal(videoSpec("video-1s-500k").segment_s, 1);
});

test("names of other pages are none of a video", () => {
  for (const name of ["videos-60s", "carlucci-small", "my-video-60s"]) assert.equal(isVideoName(name), false);
  for (const name of ["video", "video-60s-1k", "video-"]) assert.equal(isVideoName(name), true);
});

for (const [name, reason] of [
  ["video", /length is missing/],
  ["video-", /length is missing/],
  ["video-0s-500k", /0 s has nothing to play/],
  ["video-0.0s-500k", /0 s has nothing to play/],
  ["video-601s-500k", /up to 600 s/],
  ["video-60s", /no video representation/],
  ["video-60s-audio-96k", /audio is no video representation/],
  ["video-60s-by-500k", /after by stands/],
  ["video-60s-by-0s-500k", /segments of 0 s/],
  ["video-60s-by-7s-500k", /no whole number of segments of 7 s/],
  ["video-1s-by-2s-500k", /no whole number of segments of 2 s/],
  ["video-60s-by-0.01s-800k", /multiple of 20 ms/],
  ["video-60s-by-0.1s-500k", /no whole number of frames/],
  ["video-3s-by-0.02s-501k", /no whole number of bytes/],
  ["video-60s-0k", /bitrates are 1k to/],
  ["video-60s-900000k", /bitrates are 1k to/],
  ["video-60s-500k-500k", /the same bitrate/],
  ["video-60s-500k-audio", /after audio stands/],
  ["video-60s-500k-audio-0k", /bitrates are 1k to/],
  ["video-60s-500k.641x360", /even/],
  ["video-60s-500k.64x36", /not from 160x90/],
  ["video-60s-500k.4096x2160", /not from 160x90/],
  ["video-60s-500k.640x360.0", /frames per second/],
  ["video-60s-500k.640x360.120", /frames per second/],
  ["video-60s-500k-600k.480x270.50", /480x270 has 50 and 25 frames per second: give one .* another size/],
  ["video-60s-500k-fixed", /after fixed stands/],
  ["video-60s-500k-fixed-600k", /no video representation has 600k/],
  ["video-60s-500k-fixed-500k-64k", /no audio representation has 64k/],
  ["video-60s-500k-fixed-500k-96k-96k", /after fixed stands/],
  ["video-60s-500k-hosts-4", /hosts is not understood/],
  ["video-60s-500k-", /not understood/],
  ["video-600s-90000k-91000k", /more than 2 GB/],
  [`video-60s${"-500k.1280x720.25".repeat(6)}`, /longer than 100/],
] as const)
  test(`${name} is refused`, () => {
    assert.throws(() => videoSpec(name), refusedIn(reason));
  });
