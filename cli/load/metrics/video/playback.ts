// What a viewer had of a video: when it began, when it stood still, when it ended. From the media element's events alone; pure.
//
// A stall begins at the first `waiting` while it plays and ends at the next `playing`, or where the record ends. What the playhead still
// continues after `waiting`, some hundredths of a second, is played and not stalled. Before the first `playing` there is startup delay and no
// stall. A wait after the playhead jumped is a seek, which is the viewer's own doing: ITU-T P.1203 counts neither. A `waiting` at the
// clip's end, which is where a player comes to that does not end its stream, is none either: nothing is left to wait for. Only
// the first `ended` counts: nothing after it is of this viewing.
import type { VideoEvents, VideoPlayState } from "../../../../schemas/generated/video_events.ts";

export interface Stall {
  readonly start_ms: number;
  readonly end_ms: number;
  /** Where in the clip it stood still. */
  readonly media_s: number;
}

export interface Playback {
  /** When the player was started; 0, the navigation, if that is not known. */
  readonly start_ms: number;
  /** Null: it never played. */
  readonly began_ms: number | null;
  readonly stalls: readonly Stall[];
  /** Null: it did not end. */
  readonly ended_ms: number | null;
  /** Up to here something is known of it. */
  readonly last_ms: number;
}

const kinds: ReadonlySet<string> = new Set<VideoPlayState["kind"]>([
  ...(["start", "loadstart", "canplay", "playing", "waiting", "timeupdate", "ended"] as const),
]);

const isPlayState = (event: VideoEvents["events"][number]): event is VideoPlayState => kinds.has(event.kind);

/** A frame at 25 a second, and as much as the reported playhead is off. */
const lastFrame_s = 0.05;

/** The playhead is reported some time after it was there. */
const mostAhead_s = 0.5;

/** Whether the playhead went back, or further ahead than playing brings it. */
function isJump(before: VideoPlayState, after: VideoPlayState): boolean {
  const moved_s = after.media_s - before.media_s;
  return moved_s < -mostAhead_s || moved_s > (after.t_ms - before.t_ms) / 1000 + mostAhead_s;
}

export function playbackOf(events: VideoEvents["events"]): Playback {
  const states = events.filter(isPlayState).sort((a, b) => a.t_ms - b.t_ms);
  const first = (kind: VideoPlayState["kind"]): number | null =>
    states.find((each) => each.kind === kind)?.t_ms ?? null;
  const ended = states.find(({ kind }) => kind === "ended");
  const ended_ms = ended?.t_ms ?? null;
  const played = ended ? states.slice(0, states.indexOf(ended) + 1) : states;
  const end_s = ended ? ended.media_s - lastFrame_s : Number.POSITIVE_INFINITY;
  const stalls: Stall[] = [];
  let began_ms: number | null = null;
  let waiting: VideoPlayState | null = null;
  let before: VideoPlayState | null = null;
  /** `played_s`: how far the playhead came since `waiting`. */
  const close = (end_ms: number, played_s = 0): void => {
    if (waiting) {
      const start_ms = waiting.t_ms + Math.max(0, played_s * 1000);
      if (end_ms > start_ms) stalls.push({ start_ms, end_ms, media_s: waiting.media_s + Math.max(0, played_s) });
    }
    waiting = null;
  };
  for (const event of played) {
    const jumped = before !== null && began_ms !== null && isJump(before, event);
    before = event;
    // What it waits for from here on is where it went to.
    if (jumped) close(event.t_ms);
    if (event.kind === "playing" || event.kind === "ended")
      close(event.t_ms, waiting ? event.media_s - waiting.media_s : 0);
    if (event.kind === "playing") began_ms ??= event.t_ms;
    if (event.kind === "waiting" && began_ms !== null && !jumped && event.media_s < end_s) waiting ??= event;
  }
  // What else was reported of it, segments among them, came while it still waited.
  const reported_ms = ended_ms ?? events.reduce((latest_ms, { t_ms }) => Math.max(latest_ms, t_ms), 0);
  close(reported_ms);
  return { start_ms: first("start") ?? 0, began_ms, stalls, ended_ms, last_ms: reported_ms };
}

export const stalled_ms = ({ stalls }: Pick<Playback, "stalls">): number =>
  stalls.reduce((sum, { start_ms, end_ms }) => sum + end_ms - start_ms, 0);

/** From the first frame to the end: what played and what stood still. Null: it never played. */
export function viewing_ms({ began_ms, last_ms }: Playback): number | null {
  return began_ms === null ? null : last_ms - began_ms;
}

/** Of the viewing, from 0 to 1. Null: it never played. */
export function stallRatio(playback: Playback): number | null {
  const whole_ms = viewing_ms(playback);
  return whole_ms === null || whole_ms <= 0 ? null : stalled_ms(playback) / whole_ms;
}
