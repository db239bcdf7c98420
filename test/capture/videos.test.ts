// What was read of a page's frames -> its videos: clocks of frames, missing values and their reasons, states.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import type { FrameVideos } from "../../extension/capture/ask_videos.ts";
import type { VideoEvent, WatchedFrame, WatchedVideo } from "../../extension/capture/video_watch.ts";
import { pageVideosOf } from "../../extension/capture/videos.ts";
import type { PageVideos, Video } from "../../schemas/generated/page_load.ts";
import { inlined } from "../schemas/mutations.ts";

const event = (time: number, type: string, more: Partial<VideoEvent> = {}): VideoEvent => ({
  ...{ type, time, width: 320, height: 180, paused: false, seeking: false, autoplay: false, ready: 4 },
  ...more,
});

const played = [event(100, "loadstart", { width: 0, height: 0 }), event(120, "play"), event(170, "playing")];

const watched = (changes: Partial<WatchedVideo> = {}): WatchedVideo => ({
  events: played,
  cut: false,
  source: "https://user:pw@cdn.test/clip.mp4?x=1",
  duration: 4,
  live: false,
  connected: true,
  inShadow: false,
  width: 320,
  height: 180,
  ready: 4,
  paused: false,
  ended: false,
  played: true,
  error: null,
  noSource: false,
  frames: { total: 60, dropped: 2 },
  ...changes,
});

const frame = (videos: readonly WatchedVideo[], changes: Partial<WatchedFrame> = {}): WatchedFrame => ({
  url: "https://shop.test/watch",
  timeOrigin: 1_000_000,
  read: 1170,
  watched: true,
  full: false,
  videos,
  ...changes,
});

const asked = (main: WatchedFrame | null, more: Partial<FrameVideos> = {}): FrameVideos => ({
  main,
  children: [],
  silent: 0,
  beyond: 0,
  ...more,
});

const validate = new Ajv({ allErrors: true, strict: false }).compile(
  inlined("page-load.schema.json", "/definitions/videos"),
);

function videosOf(frames: FrameVideos): PageVideos {
  const videos = pageVideosOf(frames);
  assert.ok(videos);
  assert.ok(validate(videos), JSON.stringify(validate.errors));
  for (const video of videos.list)
    for (const [name, value] of Object.entries(video))
      if (value === null && name !== "error") assert.ok(video.unavailable[name], `${name} says why it is missing`);
  return videos;
}

function only(video: Partial<WatchedVideo>, more: Partial<WatchedFrame> = {}): Video {
  const { list } = videosOf(asked(frame([watched(video)], more)));
  assert.equal(list.length, 1);
  return list[0] as Video;
}

test("one that plays: numbers as heard, no password in its URL", () => {
  const video = only({});
  assert.deepEqual(
    [video.state, video.load_ms, video.startup_ms, video.stalls, video.played_ms, video.stall_ratio],
    ["playing", 100, 50, [], 1000, 0],
  );
  assert.deepEqual([video.frames, video.frames_dropped, video.width, video.height], [60, 2, 320, 180]);
  assert.equal(video.source, "https://cdn.test/clip.mp4?x=1");
  assert.deepEqual(video.resolutions, [{ start_ms: 120, width: 320, height: 180 }]);
});

test("a frame's clock is its own", () => {
  const child = frame([watched()], { url: "https://player.test/", timeOrigin: 1_000_400 });
  const { list } = videosOf(asked(frame([]), { children: [child] }));
  assert.deepEqual(
    list.map((video) => [video.frame, video.frame_url, video.load_ms, video.startup_ms]),
    [["child", "https://player.test/", 500, 50]],
  );
});

test("stalls: listed, added up, as a share", () => {
  const { stalls, stalled_ms, played_ms, stall_ratio, state } = only({
    events: [...played, event(670, "waiting"), event(920, "playing")],
  });
  assert.deepEqual(stalls, [{ start_ms: 670, duration_ms: 250 }]);
  assert.deepEqual([stalled_ms, played_ms, stall_ratio, state], [250, 750, 0.25, "playing"]);
});

test("a live stream has no duration, and says so", () => {
  const { live, duration_s, unavailable } = only({ live: true, duration: null });
  assert.deepEqual([live, duration_s, unavailable.duration_s], [true, null, "it has no end"]);
});

test("preloaded only; nothing loaded; removed; failed; starting", () => {
  const none = { events: [], ready: 0, width: 0, height: 0, duration: null, frames: null, source: "" };
  const loaded = only({ events: [event(1, "loadstart"), event(2, "loadedmetadata")], paused: true, played: false });
  assert.deepEqual([loaded.state, loaded.startup_ms], ["loaded", null]);
  assert.equal(loaded.unavailable.startup_ms, "it was not played");
  assert.equal(loaded.unavailable.stall_ratio, "it did not play");
  assert.equal(only({ ...none, paused: true, played: false }).state, "not-loaded");
  assert.equal(only({ connected: false }).removed, true);
  const failed = only({ error: 3 });
  assert.deepEqual([failed.state, failed.error], ["failed", "it could not be decoded"]);
  const bad = only({ ...none, events: [event(1, "loadstart")], noSource: true });
  assert.deepEqual([bad.state, bad.error], ["failed", "none of its sources could be used"]);
  const starting = only({ events: played.slice(0, 2), played: false });
  assert.deepEqual([starting.state, starting.unavailable.startup_ms], ["starting", "it did not begin to play"]);
});

test("not heard: in a shadow tree, or not watched from the beginning: what the element tells is there, the rest says why", () => {
  const shadow = only({ events: [], inShadow: true });
  assert.deepEqual([shadow.state, shadow.frames, shadow.stalls], ["playing", 60, null]);
  assert.match(shadow.unavailable.stalls ?? "", /shadow tree/);
  assert.match(only({ events: [] }, { watched: false }).unavailable.startup_ms ?? "", /not watched/);
  const late = only({ events: [event(500, "waiting"), event(600, "playing")] });
  assert.equal(late.startup_ms, null);
  assert.match(late.unavailable.startup_ms ?? "", /before it was noticed/);
});

test("an element that goes on to another source is one row for each; one that was emptied before it had anything is none", () => {
  const events = [
    event(5, "loadstart"),
    event(6, "emptied"),
    ...played,
    event(900, "emptied"),
    event(901, "loadstart"),
  ];
  const { list } = videosOf(
    asked(frame([watched({ events, played: false, paused: true, frames: null, ready: 0, width: 0 })])),
  );
  assert.deepEqual(
    list.map(({ state, played_ms, frames }) => [state, played_ms, frames]),
    [
      ["replaced", 730, null],
      ["not-loaded", 0, null],
    ],
  );
});

test("what was missed is said; a page that did not answer has none", () => {
  const { missed } = videosOf(asked(frame([], { full: true }), { silent: 2, beyond: 1 }));
  assert.equal(missed.length, 3);
  assert.match(missed.join(" "), /2 frames did not answer.*One frame beyond.*more than 50/);
  assert.equal(pageVideosOf(asked(null)), null);
});
