// The script of a video page in a page that is made up here: what it writes down of a playhead that comes to the clip's end without an
// event that says so. What browsers and dash.js do is test/e2e/video_page.test.ts's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { playbackOf } from "../../../../../cli/load/metrics/video/playback.ts";
import { playAndRecord } from "../../../../../cli/recording/synth/video/page_player.ts";
import type { VideoEvents } from "../../../../../schemas/generated/video_events.ts";
import { settings } from "../../../load/metrics/video/video_events.ts";

type Listener = () => void;

/** A page at 0 ms whose element, clock and timer are moved by hand. */
function pageOf() {
  const at = { t_ms: 0, media_s: 0 };
  const listeners = new Map<string, Listener[]>();
  const timers: Listener[] = [];
  const written = { textContent: "" };
  const element = {
    get currentTime(): number {
      return at.media_s;
    },
    error: null,
    getVideoPlaybackQuality: () => ({ totalVideoFrames: 0, droppedVideoFrames: 0 }),
    requestVideoFrameCallback: () => {},
    addEventListener: (name: string, listener: Listener) => {
      listeners.set(name, [...(listeners.get(name) ?? []), listener]);
    },
  };
  const player = { updateSettings: () => {}, initialize: () => {}, on: () => {} };
  const names = ["QUALITY_CHANGE_REQUESTED", "ERROR", "PLAYBACK_NOT_ALLOWED"];
  const scope = {
    performance: { now: () => at.t_ms },
    document: {
      getElementById: (id: string) => (id === "player" ? element : written),
      addEventListener: () => {},
      dispatchEvent: () => {},
    },
    dashjs: {
      MediaPlayer: Object.assign(() => ({ create: () => player }), {
        events: Object.fromEntries(names.map((name) => [name, name])),
      }),
    },
    Event: class {},
    MediaSource: class {
      addSourceBuffer(): void {}
    },
    PerformanceObserver: class {
      observe(): void {}
      takeRecords(): [] {
        return [];
      }
    },
    setInterval: (run: Listener) => timers.push(run),
    clearInterval: () => timers.splice(0),
  };
  runInNewContext(`(${playAndRecord})(${JSON.stringify({ settings, manifest: "/manifest.mpd" })})`, scope);
  return {
    tell: (kind: string, t_ms: number, media_s: number): void => {
      Object.assign(at, { t_ms, media_s });
      for (const listener of listeners.get(kind) ?? []) listener();
    },
    look: (t_ms: number, media_s: number): void => {
      Object.assign(at, { t_ms, media_s });
      for (const timer of [...timers]) timer();
    },
    record: (): VideoEvents | null =>
      written.textContent === "" ? null : (JSON.parse(written.textContent) as VideoEvents),
  };
}

test("a clip without an end of its stream ends when the playhead came there, not when the timer looked", () => {
  const page = pageOf();
  page.tell("playing", 1000, 0);
  page.look(8910, 7.91);
  assert.equal(page.record(), null);
  page.tell("waiting", 8998, 7.998);
  page.look(9090, 8);
  const { events } = page.record() ?? assert.fail("it is closed");
  const last = events.at(-1);
  assert.ok(last?.kind === "ended" && Math.abs(last.t_ms - 9000) < 0.001, JSON.stringify(last));
  const { stalls, ended_ms, began_ms } = playbackOf(events);
  assert.deepEqual(stalls, []);
  assert.ok(Math.abs((ended_ms ?? 0) - (began_ms ?? 0) - 8000) < 0.001);
});

test("it ends no later than the timer looked", () => {
  const page = pageOf();
  page.tell("playing", 1000, 0);
  // The playhead is told late, or went faster than the clock.
  page.look(8910, 7.5);
  page.look(9010, 8.02);
  const last = page.record()?.events.at(-1);
  assert.ok(last?.kind === "ended" && last.t_ms === 9010, JSON.stringify(last));
});

test("the element's own end is taken as it is told", () => {
  const page = pageOf();
  page.tell("playing", 1000, 0);
  page.tell("ended", 9031, 8);
  const last = page.record()?.events.at(-1);
  assert.ok(last?.kind === "ended" && last.t_ms === 9031, JSON.stringify(last));
});
