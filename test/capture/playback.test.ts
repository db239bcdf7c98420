// A video's events -> startup, stalls, time played. Sequences are those that Chromium tells of each situation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadsOf, playbackOf } from "../../extension/capture/playback.ts";
import type { VideoEvent } from "../../extension/capture/video_watch.ts";

const quiet = { width: 320, height: 180, paused: false, seeking: false, autoplay: false, ready: 4 };

/** `100 play` and the like, one a line, with its readyState where that is not 4. */
function events(lines: string, more: Partial<VideoEvent> = {}): VideoEvent[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const [time = "", type = "", ready = "4"] = line.trim().split(" ");
      return { ...quiet, ...more, type, time: Number(time), ready: Number(ready) };
    });
}

test("played by a call: startup from the call, played until it ended", () => {
  const { wanted, started, stalls, played_ms, stalled } = playbackOf(
    events("10 loadstart\n50 loadedmetadata\n100 play\n130 canplaythrough\n140 playing\n2140 pause\n2140 ended"),
    9000,
  );
  assert.deepEqual([wanted, started, stalls, played_ms, stalled], [100, 140, [], 2000, false]);
});

test("autoplay: startup from the load, since play is told only when enough is there", () => {
  const begun = events("10 loadstart\n285 canplaythrough\n300 play\n300 playing", { autoplay: true });
  assert.equal(playbackOf(begun, 400).wanted, 10);
});

test("autoplay that the browser held back: startup from the user's play", () => {
  const held = events("10 loadstart\n300 canplaythrough\n5000 play\n5010 playing", { autoplay: true });
  assert.equal(playbackOf(held, 6000).wanted, 5000);
});

test("autoplay that was asked to play before enough was there: startup from when it was asked", () => {
  const asked = events("10 loadstart\n20000 play 2\n20000 waiting 2\n21000 canplaythrough\n21005 playing", {
    autoplay: true,
  });
  const { wanted, started } = playbackOf(asked, 30_000);
  assert.deepEqual([wanted, started], [20_000, 21_005]);
  // The browser's own, of which enough was told later or never.
  assert.equal(playbackOf(events("10 loadstart\n300 play 4\n300 playing", { autoplay: true }), 400).wanted, 10);
});

test("preload without play: nothing wanted, nothing played", () => {
  const { wanted, started, played_ms } = playbackOf(events("10 loadstart\n50 loadedmetadata\n60 canplaythrough"), 900);
  assert.deepEqual([wanted, started, played_ms], [null, null, 0]);
});

test("stalls: from waiting to playing, none before the start, one still open at the end", () => {
  const told = playbackOf(
    events("10 loadstart\n20 play\n20 waiting\n100 playing\n1100 waiting\n1150 waiting\n1600 playing\n2600 waiting"),
    3000,
  );
  assert.deepEqual(told.stalls, [
    { start: 1100, duration: 500 },
    { start: 2600, duration: 400 },
  ]);
  assert.deepEqual([told.played_ms, told.stalled], [2000, true]);
});

test("what a seek waits for is no stall, and a seek within the buffer plays on without playing", () => {
  const waits = playbackOf(events("0 play\n0 playing\n1000 seeking\n1001 waiting\n1400 seeked 2\n1410 playing"), 2410);
  assert.deepEqual([waits.stalls, waits.played_ms], [[], 2000]);
  const buffered = playbackOf(events("0 play\n0 playing\n1000 seeking\n1050 seeked"), 2050);
  assert.deepEqual([buffered.stalls, buffered.played_ms], [[], 2000]);
});

test("a pause or an error ends a stall", () => {
  for (const type of ["pause", "error", "emptied", "seeking"]) {
    const { stalls, stalled } = playbackOf(events(`0 play\n0 playing\n100 waiting\n300 ${type}`), 900);
    assert.deepEqual([stalls, stalled], [[{ start: 100, duration: 200 }], false], type);
  }
});

test("resolutions: each change once", () => {
  const sized = (time: number, width: number): VideoEvent => ({
    ...quiet,
    type: "resize",
    time,
    width,
    height: width / 2,
  });
  const { resolutions } = playbackOf([sized(0, 0), sized(10, 640), sized(20, 640), sized(30, 320), sized(40, 640)], 50);
  assert.deepEqual(
    resolutions.map(({ start, width }) => [start, width]),
    [
      [10, 640],
      [30, 320],
      [40, 640],
    ],
  );
});

test("an element's loads: play may come before loadstart; emptied ends one; what was there already is one too", () => {
  const loads = loadsOf(events("5 playing\n10 emptied\n11 play\n11 waiting\n12 loadstart\n13 loadstart"));
  assert.deepEqual(
    loads.map((load) => load.map(({ type }) => type)),
    [["playing", "emptied"], ["play", "waiting", "loadstart"], ["loadstart"]],
  );
  assert.deepEqual(loadsOf([]), [[]]);
});

test("waiting that is told of one that has ended is no stall", () => {
  const ended = { ...quiet, type: "waiting", time: 1000, paused: true };
  const { stalls } = playbackOf([...events("0 play\n0 playing"), ended, ...events("1000 playing\n1000 ended")], 5000);
  assert.deepEqual(stalls, []);
});
