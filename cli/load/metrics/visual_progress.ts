// Speed Index and visual completeness of a filmed load, from the histograms of its frames: as WebPageTest defined them and
// visualmetrics (browsertime 18 and later) computes them (https://docs.webpagetest.org/metrics/speedindex/). Pure; decodes no picture.
//
// Progress is how much of the change in each channel's histogram, from the first frame to the last, a frame has made, in whole per cent
// rounded down. Pixels that are nearly white are not counted: they are the paper. No two values count as the same, as they did in
// WebPageTest: within one channel neighbours need not be the same colour.
import type { VisualMetric } from "../../../extension/capture/metric_facts.ts";

/** Of one picture, per channel how many pixels have each value, 0 to 255. */
type Histogram = readonly [Uint32Array, Uint32Array, Uint32Array];

export interface Frame {
  /** Since navigationStart; shown from then on. */
  readonly time_ms: number;
  readonly histogram: Histogram;
}

/** Times in ms since the navigation began. */
export type VisualMetrics = Readonly<Record<VisualMetric, number>>;

const values = 256;
const nearlyWhite = 250;

/** Of pixels in four bytes each: red, green, blue and one that does not count. */
export function histogramOf(rgba: Uint8Array): Histogram {
  const histogram: Histogram = [new Uint32Array(values), new Uint32Array(values), new Uint32Array(values)];
  for (let at = 0; at + 3 < rgba.length; at += 4) {
    const pixel = [rgba[at] ?? 0, rgba[at + 1] ?? 0, rgba[at + 2] ?? 0];
    if (pixel.every((value) => value >= nearlyWhite)) continue;
    histogram.forEach((counts, channel) => {
      const value = pixel[channel] ?? 0;
      counts[value] = (counts[value] ?? 0) + 1;
    });
  }
  return histogram;
}

/** How much of the change between two histograms there is, per value. */
const change = (from: Uint32Array, to: Uint32Array): number[] =>
  Array.from(to, (pixels, value) => Math.abs(pixels - (from[value] ?? 0)));

/** From 0 to 1, in hundredths; null where first and last are the same: there is nothing to make progress in. */
export function visualProgress(shown: Histogram, first: Histogram, last: Histogram): number | null {
  let total = 0;
  let made = 0;
  for (const channel of [0, 1, 2] as const) {
    const wanted = change(first[channel], last[channel]);
    const there = change(first[channel], shown[channel]);
    wanted.forEach((pixels, value) => {
      total += pixels;
      made += Math.min(pixels, there[value] ?? 0);
    });
  }
  return total === 0 ? null : Math.floor((made / total) * 100) / 100;
}

/**
 * Of frames in their order, the first one being what was shown at the navigation and the last one the whole page. Null where
 * the page never changed what was shown.
 */
export function visualMetricsOf(frames: readonly Frame[]): VisualMetrics | null {
  const [first, last] = [frames[0], frames.at(-1)];
  if (!first || !last) return null;
  let speed_index_ms = 0;
  let before = { time_ms: 0, progress: 0 };
  const complete = new Map<number, number>();
  for (const { time_ms, histogram } of frames) {
    const progress = visualProgress(histogram, first.histogram, last.histogram);
    if (progress === null) return null;
    speed_index_ms += (1 - before.progress) * (time_ms - before.time_ms);
    for (const share of [0.85, 0.95, 1]) if (progress >= share && !complete.has(share)) complete.set(share, time_ms);
    before = { time_ms, progress };
  }
  // The last frame is all of itself.
  const at = (share: number): number => complete.get(share) ?? last.time_ms;
  return {
    speed_index_ms: Math.floor(speed_index_ms),
    visually_complete_85_ms: at(0.85),
    visually_complete_95_ms: at(0.95),
    visually_complete_100_ms: at(1),
  };
}
