// Speed Index over frames drawn by hand, whose progress is plain: so many pixels of the page are there.
import assert from "node:assert/strict";
import { test } from "node:test";
import jpeg from "jpeg-js";
import { randomSource } from "../../../../cli/base/random.ts";
import {
  type Frame,
  histogramOf,
  visualMetricsOf,
  visualProgress,
} from "../../../../cli/load/metrics/visual_progress.ts";

const width = 40;
const height = 40;

/** White, but for the first `rows` rows in one colour. */
function picture(rows: number, [red, green, blue]: readonly [number, number, number] = [200, 30, 60]): Uint8Array {
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let at = 0; at < rows * width * 4; at += 4) rgba.set([red, green, blue, 255], at);
  return rgba;
}

const frame = (time_ms: number, rows: number): Frame => ({ time_ms, histogram: histogramOf(picture(rows)) });

test("the area above the curve of progress: half at 1 s, all at 3 s", () => {
  const metrics = visualMetricsOf([frame(0, 0), frame(1000, 20), frame(3000, 40)]);
  assert.deepEqual(metrics, {
    speed_index_ms: 1000 + 0.5 * 2000,
    visually_complete_85_ms: 3000,
    visually_complete_95_ms: 3000,
    visually_complete_100_ms: 3000,
  });
});

test("visually complete when so much is there for the first time", () => {
  const frames = [frame(0, 0), frame(100, 10), frame(500, 34), frame(700, 38), frame(900, 40), frame(950, 40)];
  const metrics = visualMetricsOf(frames);
  assert.deepEqual(
    [metrics?.visually_complete_85_ms, metrics?.visually_complete_95_ms, metrics?.visually_complete_100_ms],
    [500, 700, 900],
  );
  assert.ok(Math.abs((metrics?.speed_index_ms ?? 0) - (100 + 0.75 * 400 + 0.15 * 200 + 0.05 * 200)) < 1e-9);
});

test("Speed Index lies between the first change and the last, and completeness comes in order, whatever is shown", () => {
  const random = randomSource(1, "frames");
  for (let film = 0; film < 200; film++) {
    const later = Array.from({ length: 6 }, (_, index) => frame(100 * (index + 1), Math.floor(random() * 41)));
    const metrics = visualMetricsOf([frame(0, 0), ...later, frame(900, 40)]);
    const first = later.find(({ histogram }) => histogram[1].some((pixels) => pixels > 0))?.time_ms ?? 900;
    assert.ok(metrics);
    const { speed_index_ms, visually_complete_85_ms, visually_complete_95_ms, visually_complete_100_ms } = metrics;
    assert.ok(first <= speed_index_ms && speed_index_ms <= 900, `${first} <= ${speed_index_ms}`);
    const order = [first, visually_complete_85_ms, visually_complete_95_ms, visually_complete_100_ms, 900];
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
  }
});

test("a page that changes nothing has none; what was shown first is no progress", () => {
  assert.equal(visualMetricsOf([]), null);
  assert.equal(visualMetricsOf([frame(0, 0), frame(500, 0)]), null);
  const dark = [frame(0, 10), frame(400, 10), frame(800, 40)];
  assert.equal(visualMetricsOf(dark)?.speed_index_ms, 800);
});

test("another colour is no progress, be it near; what compression changes in part of a page is little", () => {
  const [empty, whole] = [histogramOf(picture(0)), histogramOf(picture(40))];
  assert.equal(visualProgress(histogramOf(picture(40, [203, 27, 62])), empty, whole), 0);
  assert.equal(visualProgress(histogramOf(picture(40, [200, 27, 60])), empty, whole), 0.66, "two channels of three");
  const encoded = (rows: number) =>
    histogramOf(jpeg.decode(jpeg.encode({ width, height, data: picture(rows) }, 60).data, { useTArray: true }).data);
  const progress = visualProgress(encoded(24), encoded(0), encoded(40)) ?? 0;
  assert.ok(Math.abs(progress - 0.6) < 0.05, `${progress}`);
});

// Frames whose progress was computed by hand from visualmetrics' definition: of three channels 3 x 1600 pixels change.
test("progress is in whole per cent and Speed Index in whole ms, both rounded down, as visualmetrics has them", () => {
  const frames = [frame(0, 0), frame(333, 7), frame(1001, 27), frame(1500, 40)];
  const [first, last] = [frame(0, 0).histogram, frame(0, 40).histogram];
  assert.deepEqual(
    frames.map(({ histogram }) => visualProgress(histogram, first, last)),
    [0, 0.17, 0.67, 1],
  );
  // 333 + 0.83 x 668 + 0.33 x 499 = 1052.11
  assert.equal(visualMetricsOf(frames)?.speed_index_ms, 1052);
});
