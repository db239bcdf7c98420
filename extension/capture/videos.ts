// The videos of a page's frames as they were read -> what a viewer saw of each (schemas/page-load.schema.json, videos). Pure.
import type { PageVideos, Video } from "../../schemas/generated/page_load.ts";
import type { FrameVideos } from "./ask_videos.ts";
import { loadsOf, type Playback, playbackOf } from "./playback.ts";
import { urlWithoutCredentials } from "./url_without_credentials.ts";
import type { VideoEvent, WatchedFrame, WatchedVideo } from "./video_watch.ts";

/** One load of one element. */
interface Load {
  readonly frame: WatchedFrame;
  readonly isMain: boolean;
  readonly video: WatchedVideo;
  readonly events: readonly VideoEvent[];
  /** When the element's next load began; null: it is its last. */
  readonly replaced: number | null;
}

function loadsIn(frame: WatchedFrame, isMain: boolean): Load[] {
  return frame.videos.flatMap((video) => {
    const loads = video.events.length > 0 ? loadsOf(video.events) : [[]];
    return loads.map((events, place) => {
      const replaced = loads[place + 1]?.[0]?.time ?? null;
      return { frame, isMain, video, events, replaced };
    });
  });
}

/** A load that the page emptied before anything of it was known (as players do) is none to be listed. */
const hasSomething = ({ events, replaced }: Load): boolean =>
  replaced === null || events.some(({ type }) => /^(loadedmetadata|play|error)$/.test(type));

/** Why nothing of its events is known; null: they are. */
function unheard({ frame, video, events }: Load): string | null {
  if (events.length > 0) return null;
  // One that was never loaded has none to be heard.
  if (frame.watched && !video.inShadow && video.ready === 0) return null;
  if (!frame.watched) return "the page was not watched while it loaded";
  return video.inShadow ? "it is in a shadow tree, where events cannot be observed" : "none of its events was seen";
}

function stateOf({ video, replaced }: Load, { wanted, started, stalled }: Playback): Video["state"] {
  if (replaced !== null) return "replaced";
  if (video.error !== null || video.noSource) return "failed";
  if (video.ended) return "ended";
  if (stalled) return "stalled";
  if (started !== null || video.played) return video.paused ? "paused" : "playing";
  if (wanted !== null && !video.paused) return "starting";
  return video.ready > 0 ? "loaded" : "not-loaded";
}

const errors: Readonly<Record<number, string>> = {
  1: "its loading was stopped",
  2: "the network failed",
  3: "it could not be decoded",
  4: "its format or source is not supported",
};

function errorOf({ video, replaced }: Load): string | null {
  if (replaced !== null) return null;
  if (video.error !== null) return errors[video.error] ?? "it failed";
  return video.noSource ? "none of its sources could be used" : null;
}

const round = (time_ms: number): number => Math.round(time_ms * 1000) / 1000;

function videoOf(load: Load, main: WatchedFrame): Video {
  const { frame, isMain, video, events, replaced } = load;
  const unavailable: Record<string, string> = {};
  const known = <T>(name: string, value: T | null, why: string): T | null => {
    if (value === null) unavailable[name] = why;
    return value;
  };
  // Every frame has a clock of its own.
  const offset = frame.timeOrigin - main.timeOrigin;
  const since = (time: number): number => round(time + offset);
  const playback = playbackOf(events, replaced ?? frame.read);
  const { wanted, started, stalls, played_ms } = playback;
  const deaf = unheard(load);
  const begin = events.find(({ type }) => type === "loadstart")?.time ?? null;
  const late =
    deaf ?? (begin === null && started !== null && wanted === null ? "it played before it was noticed" : null);
  const stalled_ms = stalls.reduce((sum, { duration }) => sum + duration, 0);
  const cut = video.cut ? "it had more events than are kept" : null;
  const gone = replaced === null ? null : "its element went on to another source";
  const size = replaced === null ? video : playback.resolutions.at(-1);
  const hasSize = size !== undefined && size.width > 0;
  const noSize = video.ready > 0 ? "it has no picture" : "no metadata came";
  return {
    frame: isMain ? "main" : "child",
    frame_url: urlWithoutCredentials(frame.url),
    source: gone === null ? urlWithoutCredentials(video.source) : "",
    live: gone === null && video.live,
    removed: !video.connected,
    state: stateOf(load, playback),
    error: errorOf(load),
    duration_s: known(
      "duration_s",
      gone ? null : video.duration,
      gone ?? (video.live ? "it has no end" : "no metadata came"),
    ),
    width: known("width", hasSize ? size.width : null, noSize),
    height: known("height", hasSize ? size.height : null, noSize),
    load_ms: known(
      "load_ms",
      begin === null ? null : since(begin),
      deaf ?? (events.length > 0 ? "it was loading before it was noticed" : "nothing was loaded"),
    ),
    startup_ms: known(
      "startup_ms",
      wanted === null || started === null ? null : round(Math.max(0, started - wanted)),
      late ?? (wanted === null ? "it was not played" : "it did not begin to play"),
    ),
    stalls: known(
      "stalls",
      deaf || cut
        ? null
        : stalls.map(({ start, duration }) => ({ start_ms: since(start), duration_ms: round(duration) })),
      deaf ?? cut ?? "",
    ),
    stalled_ms: known("stalled_ms", deaf || cut ? null : round(stalled_ms), deaf ?? cut ?? ""),
    played_ms: known("played_ms", deaf || cut ? null : round(played_ms), deaf ?? cut ?? ""),
    stall_ratio: known(
      "stall_ratio",
      deaf || cut || started === null
        ? null
        : round((stalled_ms / Math.max(1e-9, stalled_ms + played_ms)) * 1000) / 1000,
      deaf ?? cut ?? "it did not play",
    ),
    frames: known("frames", gone ? null : (video.frames?.total ?? null), gone ?? "nothing was loaded"),
    frames_dropped: known(
      "frames_dropped",
      gone ? null : (video.frames?.dropped ?? null),
      gone ?? "nothing was loaded",
    ),
    resolutions: known(
      "resolutions",
      deaf ? null : playback.resolutions.map(({ start, width, height }) => ({ start_ms: since(start), width, height })),
      deaf ?? "",
    ),
    unavailable,
  };
}

const several = (count: number, one: string, many: string): string => (count === 1 ? one : `${count} ${many}`);

/** null: the page did not answer. Times are since the main document's navigation start. */
export function pageVideosOf({ main, children, silent, beyond }: FrameVideos): PageVideos | null {
  if (!main) return null;
  const loads = [...loadsIn(main, true), ...children.flatMap((frame) => loadsIn(frame, false))];
  const missed: string[] = [];
  if (silent > 0) missed.push(`${several(silent, "One frame", "frames")} did not answer: their videos are not listed.`);
  if (beyond > 0) missed.push(`${several(beyond, "One frame", "frames")} beyond the first hundred were not read.`);
  if ([main, ...children].some(({ full }) => full))
    missed.push("A frame has more than 50 videos: the first 50 were watched.");
  return { list: loads.filter(hasSomething).map((load) => videoOf(load, main)), missed };
}
