// The events of one video's load, from loadstart to the next one or until it was read -> startup, stalls and time played. Pure.
//
// Startup: from when it was to play to `playing`. It is to play from `play` on; where the attribute autoplay starts it, from the
// load's beginning, since the browser reports `play` only when enough is there. If that comes later than enough is there, or before
// it, somebody else began it (its user, whom the browser waited for, or the page), and it is to play from `play` on. A stall: from `waiting` to
// `playing`, or to what ends it otherwise (a pause, a seek, an error, the reading); what a seek waits for is none.
import type { VideoEvent } from "./video_watch.ts";

export interface Stall {
  readonly start: number;
  readonly duration: number;
}

/** Times in ms of the frame's clock. */
export interface Playback {
  /** When it was to play; null: it was not, as far as was heard. */
  readonly wanted: number | null;
  /** When it played first. */
  readonly started: number | null;
  readonly stalls: readonly Stall[];
  readonly played_ms: number;
  /** It waits for data at the end. */
  readonly stalled: boolean;
  /** In the order of their beginning, each different from the one before. */
  readonly resolutions: readonly { readonly start: number; readonly width: number; readonly height: number }[];
}

/** Chromium begins to play with the next frame but one. */
const atOnce_ms = 250;

/** Whether the attribute autoplay began it: at once when enough was there, which `play` itself shows if nothing reported it before. */
const isByItself = (enough: number | null, time: number, ready: number): boolean =>
  enough === null ? ready === 4 : time - enough <= atOnce_ms;

/** `events`: in their order; `end`: when the element was read, or its next load began. */
export function playbackOf(events: readonly VideoEvent[], end: number): Playback {
  const stalls: Stall[] = [];
  const resolutions: { start: number; width: number; height: number }[] = [];
  let load: number | null = null;
  let enough: number | null = null;
  let wanted: number | null = null;
  let started: number | null = null;
  let playingSince: number | null = null;
  let stalledSince: number | null = null;
  let seeks = false;
  let played_ms = 0;
  const stop = (time: number): void => {
    if (playingSince !== null) played_ms += time - playingSince;
    if (stalledSince !== null) stalls.push({ start: stalledSince, duration: time - stalledSince });
    playingSince = null;
    stalledSince = null;
  };
  const plays = (time: number): void => {
    if (playingSince !== null) return;
    stop(time);
    started ??= time;
    playingSince = time;
  };
  for (const { type, time, width, height, paused, seeking, autoplay, ready } of events) {
    const last = resolutions.at(-1);
    if (width > 0 && (last?.width !== width || last.height !== height))
      resolutions.push({ start: time, width, height });
    switch (type) {
      case "loadstart":
        load = time;
        break;
      case "canplaythrough":
        enough ??= time;
        break;
      case "play":
        wanted ??= autoplay && load !== null && isByItself(enough, time, ready) ? load : time;
        break;
      case "playing":
        seeks = false;
        plays(time);
        break;
      case "waiting":
        if (stalledSince !== null) break;
        stop(time);
        // Reported at the end of what was cut off, too, when it has ended.
        if (started !== null && !seeks && !seeking && !paused) stalledSince = time;
        break;
      case "seeking":
        stop(time);
        seeks = true;
        break;
      case "seeked":
        seeks = false;
        // Where it did not wait for data there is no `playing`.
        if (started !== null && !paused && ready >= 3) plays(time);
        break;
      case "pause":
      case "ended":
      case "emptied":
      case "error":
        stop(time);
        break;
    }
  }
  const stalled = stalledSince !== null;
  stop(end);
  return { wanted, started, stalls, played_ms, stalled, resolutions };
}

/**
 * An element's events by load: `emptied` ends one, and a further `loadstart` begins one. `play` may come before its load's `loadstart`.
 * What was heard of a load that was there already has none.
 */
export function loadsOf(events: readonly VideoEvent[]): VideoEvent[][] {
  const loads: VideoEvent[][] = [[]];
  for (const event of events) {
    const last = loads.at(-1) ?? [];
    const has = (type: string): boolean => last.some((each) => each.type === type);
    if (has("emptied") || (event.type === "loadstart" && has("loadstart"))) loads.push([event]);
    else last.push(event);
  }
  return loads;
}
