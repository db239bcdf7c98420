// Hand-made records of playback for tests: events by their kinds and times.
import type { VideoEvents, VideoPlayState, VideoSegment } from "../../../../../schemas/generated/video_events.ts";

type Event = VideoEvents["events"][number];

const representation = (mbit: number): VideoEvents["settings"]["video"][0] => ({
  id: `v${mbit}`,
  bitrate_bps: mbit * 1e6,
  segment_bytes: (mbit * 1e6 * 2) / 8,
  host: "video.test",
  codec: "avc1.42c01e",
  width: mbit * 320,
  height: mbit * 180,
  fps: 25,
});

export const settings: VideoEvents["settings"] = {
  clip_s: 8,
  segment_s: 2,
  mode: "adaptive",
  player: "dash.js 5.2.0",
  video: [representation(1), representation(2)],
  audio: [{ id: "a1", bitrate_bps: 96_000, segment_bytes: 24_000, host: "audio.test", codec: "mp4a.40.2" }],
  fixed: null,
};

export const state = (kind: VideoPlayState["kind"], t_ms: number, media_s = 0): Event => ({ kind, t_ms, media_s });

/** `playing 1000, waiting 3000 2`: each with its time in ms and, if not 0, where the playhead was, in s. */
export const states = (story: string): Event[] =>
  story.split(", ").map((each) => {
    const [kind, t_ms, media_s = "0"] = each.split(" ");
    return state(kind as VideoPlayState["kind"], Number(t_ms), Number(media_s));
  });

export const buffer = (t_ms: number, video_s: number, dropped_frames = 0): Event => ({
  ...{ kind: "buffer", t_ms, media_s: 0, video_s, audio_s: video_s, total_frames: 100, dropped_frames },
});

export const error = (t_ms: number, message: string): Event => ({ kind: "error", t_ms, message });

/** From `start_ms` on; its first byte comes in the middle. */
export function segment(
  name: string,
  start_ms: number,
  end_ms: number,
  over: Partial<VideoSegment> = {},
): VideoSegment {
  const [representation = "", number = ""] = name.split("/");
  const stream = representation.startsWith("v") ? "video" : "audio";
  const bytes = settings[stream].find(({ id }) => id === representation)?.segment_bytes ?? 0;
  const nothing = { dns_start_ms: null, dns_end_ms: null, connect_start_ms: null, connect_end_ms: null };
  return {
    ...{ kind: "segment", t_ms: end_ms + 1, stream, representation, number: Number(number), bytes },
    ...{ url: `https://${stream}.test/${name}.m4s`, protocol: "h3", status: 200, start_ms, ...nothing },
    ...{ request_ms: start_ms, first_byte_ms: (start_ms + end_ms) / 2, end_ms },
    ...over,
  };
}

export const record = (...events: readonly Event[]): VideoEvents => ({
  ...{ schema: "trilane/video-events/1", settings, events: [...events] },
});
