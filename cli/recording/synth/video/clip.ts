// Which pictures and which sound a video page needs encoded: once for all representations of one size and one number of
// frames per second. Encodes nothing (encode.ts) and keeps nothing (clip_store.ts).
import type { VideoRate, VideoSpec } from "./video_spec.ts";

export interface ClipPictures {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frames: number;
  /** A key frame each so many frames. */
  readonly keyEvery: number;
}

export interface ClipSound {
  readonly packets: number;
  /** In a segment. */
  readonly packetsEach: number;
  readonly bitrate_bps: number;
}

/** 20 ms each. */
const packets_per_s = 50;

export function picturesFor({ clip_s, segment_s }: VideoSpec, { width, height, fps }: VideoRate): ClipPictures {
  return { width, height, fps, frames: Math.round(clip_s * fps), keyEvery: Math.round(segment_s * fps) };
}

export const soundFor = ({ clip_s, segment_s }: VideoSpec): ClipSound => ({
  packets: Math.round(clip_s * packets_per_s),
  packetsEach: Math.round(segment_s * packets_per_s),
  bitrate_bps: 16_000,
});

/** Tells one clip from another, also as a file's name. */
export const picturesName = (spec: VideoSpec, { width, height, fps }: VideoRate): string =>
  `pictures-${width}x${height}-${fps}fps-${spec.clip_s}s-by-${spec.segment_s}s-h264`;
export const soundName = ({ clip_s, segment_s }: VideoSpec): string => `sound-${clip_s}s-by-${segment_s}s`;
