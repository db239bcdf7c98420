// Watching a video to its end, by a page that answers as told: what is returned, and what it is called if there is no end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { endless, neverBegan, timedOutAfter_ms } from "../../../cli/load/time_out.ts";
import { watchVideo, whyUnended } from "../../../cli/load/video_step.ts";
import type { VideoEvents } from "../../../schemas/generated/video_events.ts";
import { error, record, segment, state } from "./metrics/video/video_events.ts";

/** Its record is asked for by an expression that gives text, waits by promises. */
function pageOf(kept: VideoEvents | null) {
  const asked: string[] = [];
  return {
    asked,
    evaluate: async (expression: string): Promise<unknown> => {
      asked.push(expression.startsWith("new Promise") ? "wait" : "read");
      return expression.startsWith("new Promise") ? true : kept && JSON.stringify(kept);
    },
  };
}

const orFail = <T>(promise: Promise<T>): Promise<T> => promise;
const ended = record(
  ...[
    state("start", 1),
    segment("v1/1", 2, 90),
    segment("a1/1", 2, 80),
    state("playing", 100),
    state("ended", 8100, 8),
  ],
);

test("a video that ends gives its record, and what was read when it began to play", async () => {
  const page = pageOf(ended);
  assert.deepEqual(await watchVideo(page, orFail, () => "calm"), { record: ended, began: "calm" });
  assert.deepEqual(page.asked, ["read", "wait", "wait", "read"]);
});

test("one that fails, one without pictures, and a page that keeps no record, are one line each", async () => {
  const failed = record(state("start", 1), error(50, "dash.js: no supported codec"));
  await assert.rejects(
    watchVideo(pageOf(failed), orFail, () => null),
    /^NavigationError: the video could not be played: dash\.js: no supported codec$/,
  );
  const soundOnly = record(state("start", 1), segment("a1/1", 2, 80), state("playing", 100), state("ended", 8100, 8));
  await assert.rejects(
    watchVideo(pageOf(soundOnly), orFail, () => null),
    /^NavigationError: the video was played without its pictures: the browser has no codec avc1\.42c01e, or the manifest names another one$/,
  );
  await assert.rejects(
    watchVideo(pageOf(null), orFail, () => null),
    /^NavigationError: the page kept no record of a video: it plays none, or its script did not run$/,
  );
});

test("one that does not end in time: how far it came, and it counts as slower than all others", () => {
  const late = endless(90_000);
  const words = [
    whyUnended(record(state("start", 1), state("playing", 100)), late, true),
    whyUnended(record(state("start", 1)), late, false),
    whyUnended(null, late, false),
    whyUnended(null, late, true),
  ];
  assert.deepEqual(words, [
    "the video did not end within 90000 ms",
    "the video did not end within 90000 ms: it never began to play",
    "the video did not end within 90000 ms: its page did not load",
    "the video did not end within 90000 ms: its page did not answer",
  ]);
  for (const reason of words) assert.equal(timedOutAfter_ms([reason]), 90_000);
  // What the player said is no matter of time.
  assert.equal(timedOutAfter_ms([whyUnended(record(error(9, "decode")), late, true)]), null);
});

test("a first visit that does not come to play is no measured load, and counts as none", () => {
  assert.equal(timedOutAfter_ms([neverBegan(90_000)]), null);
});
