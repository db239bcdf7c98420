// Films a load: the page's screencast in the load's own time, and how fast the page came to be seen. Filming takes the
// browser's time (so little that 36 pairs of loads did not show it: test/bench/instruments.ts; a slower machine may differ), so a
// filmed load is for looking at and for no average. Judges and stores nothing.
import jpeg from "jpeg-js";
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import { type ScreencastFrame, thinned } from "../browser/screencast.ts";
import { measureLoad } from "./load.ts";
import type { LoadRequest } from "./load_request.ts";
import { histogramOf, type VisualMetrics, visualMetricsOf } from "./metrics/visual_progress.ts";

/** What the page showed from time_ms on, which counts from navigationStart. */
export interface FilmFrame {
  readonly time_ms: number;
  readonly jpeg: Uint8Array;
}

export interface FilmedLoad {
  readonly load: PageLoad;
  /** Thinned out; none where the load did not come so far. */
  readonly frames: readonly FilmFrame[];
  /** Of all frames; null where there are none, or the page changed nothing. */
  readonly visual: VisualMetrics | null;
}

/**
 * All frames in the load's own time: what was shown when it began stands at 0. A frame is dated by when it was due on the screen:
 * within 10 ms of the paint that the page reports (15 loads, all FCP and LCP of which a frame was filmed), and up to 80 ms before it
 * on a crowded machine. So FCP may be later than the first change by as much, and it is earlier where a small one was not filmed.
 */
function framesWithin(load: PageLoad, frames: readonly ScreencastFrame[]): FilmFrame[] {
  const began = load.log.pages[0]?.startedDateTime;
  if (began === undefined) return [];
  const began_ms = Date.parse(began);
  const times = frames.map(({ at_ms, jpeg }) => ({ time_ms: Math.round(at_ms - began_ms), jpeg }));
  const first = times.findLastIndex(({ time_ms }) => time_ms <= 0);
  return times.slice(Math.max(0, first)).map((frame) => ({ ...frame, time_ms: Math.max(0, frame.time_ms) }));
}

/** The same, at most as many as a report shows. */
export function alignedFrames(load: PageLoad, frames: readonly ScreencastFrame[]): FilmFrame[] {
  return thinned(framesWithin(load, frames), (frame) => frame.time_ms);
}

/** The browser's own pictures: one that cannot be decoded is a defect. */
function visualOf(frames: readonly FilmFrame[]): VisualMetrics | null {
  return visualMetricsOf(
    frames.map(({ time_ms, jpeg: picture }) => ({
      time_ms,
      histogram: histogramOf(jpeg.decode(picture, { useTArray: true }).data),
    })),
  );
}

/** As measureLoad, with what the page showed. */
export async function filmLoad(request: LoadRequest): Promise<FilmedLoad> {
  let frames: readonly ScreencastFrame[] = [];
  const load = await measureLoad({
    ...request,
    filmed: (seen) => {
      frames = seen;
    },
  });
  return { load, frames: alignedFrames(load, frames), visual: visualOf(framesWithin(load, frames)) };
}

/** As measureLoad, filmed, with its Speed Index among its metrics: where loads are compared by it all of them are filmed. */
export async function measureFilmed(request: LoadRequest): Promise<PageLoad> {
  const { load, visual } = await filmLoad(request);
  const facts = load.log._trilane;
  const unavailable = visual ? {} : { speed_index_ms: facts.metrics.unavailable.plt_ms ?? "the page changed nothing" };
  const metrics = {
    ...facts.metrics,
    speed_index_ms: visual?.speed_index_ms ?? null,
    unavailable: { ...facts.metrics.unavailable, ...unavailable },
  };
  return { log: { ...load.log, _trilane: { ...facts, metrics } } };
}
