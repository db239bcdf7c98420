// cli/load/filmstrip.ts and screencast.ts without a browser: a film in the load's own time, and of bounded length.
import assert from "node:assert/strict";
import { test } from "node:test";
import { thinned } from "../../../cli/browser/screencast.ts";
import { parseLink } from "../../../cli/link/link.ts";
import { alignedFrames } from "../../../cli/load/filmstrip.ts";
import { pageLoad } from "../sweep/page_load.ts";

const shot = (at_ms: number) => ({ at_ms, jpeg: Uint8Array.of(at_ms % 251) });

test("frames count from the navigation; of those before it the last stands at 0", () => {
  const load = pageLoad({ page: "a", recording_digest: "d", lane: "h1", link: parseLink("1mbit/20ms"), wall_ms: 5 });
  const page = load.log.pages[0];
  assert.ok(page);
  page.startedDateTime = "2026-01-01T00:00:01.000Z";
  const began_ms = Date.parse(page.startedDateTime);
  const times = [-300, -40, 10, 95.4].map((at_ms) => shot(began_ms + at_ms));
  assert.deepEqual(
    alignedFrames(load, times).map(({ time_ms, jpeg }) => [time_ms, jpeg[0]]),
    [
      [0, times[1]?.jpeg[0]],
      [10, times[2]?.jpeg[0]],
      [95, times[3]?.jpeg[0]],
    ],
  );
  assert.deepEqual(
    alignedFrames(load, times.slice(2)).map(({ time_ms }) => time_ms),
    [10, 95],
    "nothing is made up for what was not seen",
  );
  assert.deepEqual(alignedFrames(load, []), []);
});

test("a page that moves all the time is thinned out evenly, first and last kept", () => {
  const frames = Array.from({ length: 1800 }, (_, index) => shot(index * 16));
  const kept = thinned(frames, ({ at_ms }) => at_ms);
  assert.ok(kept.length <= 60 && kept.length > 30, String(kept.length));
  assert.deepEqual([kept[0], kept.at(-1)], [frames[0], frames.at(-1)]);
  const gaps = kept.slice(1, -1).map((frame, index) => frame.at_ms - (kept[index]?.at_ms ?? 0));
  assert.ok(Math.max(...gaps) <= 2 * Math.min(...gaps), `${Math.min(...gaps)} to ${Math.max(...gaps)} ms apart`);
  const few = frames.slice(0, 20);
  assert.deepEqual(
    thinned(few, ({ at_ms }) => at_ms),
    few,
    "a short film loses nothing",
  );
});
