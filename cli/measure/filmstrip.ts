// Films a load: the page's screencast in the load's own time. Filming takes the browser's time, so a filmed load is for
// looking at and for no average. Judges and stores nothing.
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import { type LoadOptions, measureLoad } from "./load.ts";
import { type ScreencastFrame, thinned } from "./screencast.ts";

/** What the page showed from time_ms on, which counts from navigationStart. */
export interface FilmFrame {
  readonly time_ms: number;
  readonly jpeg: Uint8Array;
}

/** The frames in the load's own time: what was shown when it began stands at 0. */
export function alignedFrames(load: PageLoad, frames: readonly ScreencastFrame[]): FilmFrame[] {
  const began = load.log.pages[0]?.startedDateTime;
  if (began === undefined) return [];
  const began_ms = Date.parse(began);
  const times = frames.map(({ at_ms, jpeg }) => ({ time_ms: Math.round(at_ms - began_ms), jpeg }));
  const first = times.findLastIndex(({ time_ms }) => time_ms <= 0);
  const within = times.slice(Math.max(0, first)).map((frame) => ({ ...frame, time_ms: Math.max(0, frame.time_ms) }));
  return thinned(within, (frame) => frame.time_ms);
}

/** As measureLoad, with what the page showed. No frames where the load did not come so far. */
export async function filmLoad(options: LoadOptions): Promise<{ load: PageLoad; frames: FilmFrame[] }> {
  let frames: readonly ScreencastFrame[] = [];
  const load = await measureLoad({
    ...options,
    filmed: (seen) => {
      frames = seen;
    },
  });
  return { load, frames: alignedFrames(load, frames) };
}
