// Which pictures and which sound a video page needs encoded: once for all representations of one size and one number of
// frames per second. Encodes nothing (encode_ffmpeg.ts, encode_browser.ts) and keeps nothing (clip_store.ts).
import type { VideoRate, VideoSpec } from "./video_spec.ts";

/** Codecs of pictures, the favourite first: H.264's constrained baseline is decoded most cheaply. */
export const pictureCodecs = ["h264", "vp9"] as const;
export type PictureCodec = (typeof pictureCodecs)[number];

export interface ClipPictures {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frames: number;
  /** A key frame each so many frames. */
  readonly keyEvery: number;
  readonly bitrate_bps: number;
}

export interface ClipSound {
  readonly packets: number;
  readonly bitrate_bps: number;
}

/** 20 ms each. */
const packets_per_s = 50;

/** As many bits as flat areas and a few changing digits need; the rest of a representation's bitrate is padding. */
const bitsPerPixel = 0.015;
const leastPictures_bps = 40_000;

export function picturesFor({ clip_s, segment_s }: VideoSpec, { width, height, fps }: VideoRate): ClipPictures {
  const bitrate_bps = Math.round(Math.max(leastPictures_bps, width * height * fps * bitsPerPixel));
  return { width, height, fps, frames: Math.round(clip_s * fps), keyEvery: Math.round(segment_s * fps), bitrate_bps };
}

export const soundFor = ({ clip_s }: VideoSpec): ClipSound => ({
  packets: Math.round(clip_s * packets_per_s),
  bitrate_bps: 16_000,
});

/** Tells one clip from another, also as a file's name. */
export const picturesName = (spec: VideoSpec, { width, height, fps }: VideoRate, codec: PictureCodec): string =>
  `pictures-${width}x${height}-${fps}fps-${spec.clip_s}s-by-${spec.segment_s}s-${codec}`;
export const soundName = ({ clip_s, segment_s }: VideoSpec): string => `sound-${clip_s}s-by-${segment_s}s`;
