// Generated from ../p1203.schema.json by `npm run generate`: change the schema instead.
import type { LaneLabel } from "./lane_label.ts";

/**
 * The load's number.
 */
export type StreamId = number;
/**
 * kbit/s.
 */
export type Bitrate = number;
/**
 * In the clip, in s.
 */
export type Start = number;
/**
 * s.
 */
export type Duration = number;
/**
 * What `trilane export --format p1203` writes: of each load that played a video the input of ITU-T P.1203 in mode 0, in the form that its reference software reads. That software is not part of Trilane: its licence allows non-commercial research only. `IGen` (display, device, distance) is for whoever runs the model to add.
 */
export interface P1203Export {
  schema: "trilane/p1203/1";
  /**
   * Its number.
   */
  sweep: number;
  /**
   * Valid loads that played a video, in the order in which they ended.
   */
  loads: P1203Load[];
}
export interface P1203Load {
  /**
   * Its number in the results.
   */
  load: number;
  /**
   * The recording's name.
   */
  page: string;
  lane: LaneLabel;
  /**
   * Short form.
   */
  link: string;
  /**
   * Codecs that the models do not know. Sound in one of them is left out of the input: the software then assumes constant high quality. Pictures in one of them stay in it, and the software refuses the input.
   */
  unsupported: string[];
  input: P1203Input;
}
export interface P1203Input {
  I11: P1203Audio;
  I13: P1203Video;
  I23: P1203Stalling;
}
/**
 * Sound; no segments: it is in a codec that the models do not know, or there is none.
 */
export interface P1203Audio {
  streamId: StreamId;
  segments: P1203AudioSegment[];
}
export interface P1203AudioSegment {
  /**
   * All that the models know.
   */
  codec: "mp2" | "ac3" | "aaclc" | "heaac";
  bitrate: Bitrate;
  start: Start;
  duration: Duration;
}
/**
 * Pictures.
 */
export interface P1203Video {
  streamId: StreamId;
  /**
   * @minItems 1
   */
  segments: [P1203VideoSegment, ...P1203VideoSegment[]];
}
export interface P1203VideoSegment {
  /**
   * h264, which is all that the models know; of others the words of their software's input (h265, vp9, av1), or their own name.
   */
  codec: string;
  bitrate: Bitrate;
  resolution: string;
  fps: number;
  start: Start;
  duration: Duration;
}
export interface P1203Stalling {
  streamId: StreamId;
  /**
   * Where in the clip it stood still and for how long, in s; at 0 the initial loading delay.
   */
  stalling: [number, number][];
}
