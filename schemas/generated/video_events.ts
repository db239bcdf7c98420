// Generated from ../video-events.schema.json by `npm run generate`: change the schema instead.

/**
 * Of a representation: v1, v2, ... or a1, ..., by rising bitrate.
 */
export type Id = string;
/**
 * Exact: a segment has bitrate x segment_s / 8 bytes. The initialization segment comes on top.
 */
export type BitrateBps = number;
/**
 * Of each segment.
 */
export type SegmentBytes = number;
/**
 * Name of the server that has its segments.
 */
export type Host = string;
/**
 * As in a media type (RFC 6381): avc1.42c01e, vp09.00.21.08, opus.
 */
export type Codec = string;
export type Event = VideoPlayState | VideoError | VideoQuality | VideoSegment | VideoFrame | VideoBuffer;
/**
 * performance.now().
 */
export type TimeMs = number;
/**
 * Position in the clip.
 */
export type MediaS = number;
export type Stream = "video" | "audio";
export type OptionalTimeMs = number | null;
/**
 * What a synthetic video page records of its own playback: `window.trilaneVideo`. A world that does not share the page's objects dispatches the event `trilane-video-read` at `document`; the page then writes the record, as JSON, into the element #trilane-video, and does so by itself when an event closes it, just before it dispatches `trilane-video-closed` at `document`. Times are of the page's performance.now(), whose zero is the start of the navigation.
 */
export interface VideoEvents {
  schema: "trilane/video-events/1";
  settings: VideoSettings;
  /**
   * In the order in which they were noticed. The record is closed by `ended` or `error`, which is its last event.
   */
  events: Event[];
}
/**
 * What the page was made of.
 */
export interface VideoSettings {
  /**
   * Length of the clip.
   */
  clip_s: number;
  /**
   * Length of each segment. The clip is a whole number of them.
   */
  segment_s: number;
  /**
   * fixed: one representation, pinned. adaptive: dash.js chooses.
   */
  mode: "fixed" | "adaptive";
  /**
   * Name and version.
   */
  player: string;
  /**
   * @minItems 1
   */
  video: [VideoRepresentation, ...VideoRepresentation[]];
  /**
   * @minItems 1
   */
  audio: [AudioRepresentation, ...AudioRepresentation[]];
  /**
   * The pinned representations; null: adaptive.
   */
  fixed: null | FixedRepresentations;
}
export interface VideoRepresentation {
  id: Id;
  bitrate_bps: BitrateBps;
  segment_bytes: SegmentBytes;
  host: Host;
  codec: Codec;
  width: number;
  height: number;
  /**
   * Frames per second.
   */
  fps: number;
}
export interface AudioRepresentation {
  id: Id;
  bitrate_bps: BitrateBps;
  segment_bytes: SegmentBytes;
  host: Host;
  codec: Codec;
}
export interface FixedRepresentations {
  video: Id;
  audio: Id;
}
/**
 * start: the page's script hands the manifest to the player, which begins to load: zero of the startup delay. The others are events of the <video> element (HTML's media events); of a player that does not end its stream, `ended` is when the playhead came to the clip's end. A stall is from a `waiting` after the first `playing` to the next `playing`: elements also wait before they have begun.
 */
export interface VideoPlayState {
  kind: "start" | "loadstart" | "canplay" | "playing" | "waiting" | "timeupdate" | "ended";
  t_ms: TimeMs;
  media_s: MediaS;
}
/**
 * Playback cannot go on: the element's error, or the player's.
 */
export interface VideoError {
  kind: "error";
  t_ms: TimeMs;
  message: string;
}
/**
 * A representation begins, or another one than before. requested: the player asks for its segments from now on; rendered: its first segment is being played.
 */
export interface VideoQuality {
  kind: "quality";
  t_ms: TimeMs;
  media_s: MediaS;
  stream: Stream;
  state: "requested" | "rendered";
  representation: Id;
  bitrate_bps: BitrateBps;
}
/**
 * A request for a segment has ended (Resource Timing). t_ms is when this was noticed, end_ms when it ended.
 */
export interface VideoSegment {
  kind: "segment";
  t_ms: TimeMs;
  stream: Stream;
  representation: Id;
  /**
   * From 1; 0: the initialization segment.
   */
  number: number;
  url: string;
  /**
   * As ALPN names it; empty: no response.
   */
  protocol: string;
  /**
   * HTTP status; 0: no response.
   */
  status: number;
  /**
   * Of the body.
   */
  bytes: number;
  start_ms: TimeMs;
  /**
   * null: the name was known.
   */
  dns_start_ms: number | null;
  dns_end_ms: OptionalTimeMs;
  /**
   * null: on a connection that was there.
   */
  connect_start_ms: number | null;
  /**
   * With TLS.
   */
  connect_end_ms: number | null;
  /**
   * null: no response.
   */
  request_ms: number | null;
  /**
   * null: no response.
   */
  first_byte_ms: number | null;
  end_ms: TimeMs;
}
/**
 * A frame was handed to the compositor (requestVideoFrameCallback). Frames that the callback missed have no event; presented_frames counts them.
 */
export interface VideoFrame {
  kind: "frame";
  /**
   * performance.now().
   */
  t_ms: number;
  media_s: MediaS;
  /**
   * The number that is drawn in it: its place in its representation, from 0.
   */
  number: number;
  /**
   * Frames submitted so far.
   */
  presented_frames: number;
  expected_display_ms: TimeMs;
  /**
   * Of the representation that it is of.
   */
  width: number;
  height: number;
}
/**
 * A sample, about every 100 ms and once as the record closes: what lies ahead of the playhead, and getVideoPlaybackQuality().
 */
export interface VideoBuffer {
  kind: "buffer";
  t_ms: TimeMs;
  media_s: MediaS;
  /**
   * Of the player's video buffer.
   */
  video_s: number;
  audio_s: number;
  total_frames: number;
  dropped_frames: number;
}
