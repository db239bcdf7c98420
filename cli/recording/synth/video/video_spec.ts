// What the name of a synthetic video page says: clip, segments, representations, and how they are played. Makes no clip and
// no page.
//
//   video-60s-2000k                      a clip of 60 s, one representation of 2000 kbit/s, pinned
//   video-60s-by-1s-500k-1500k-3000k     segments of 1 s, three representations, dash.js adapts
//   video-60s-500k-1500k-fixed-1500k     two representations, the one of 1500 kbit/s pinned
//   video-30s-2000k.1280x720.50          its size and its frames per second
//   video-30s-2000k-audio-64k-128k       two audio representations
//
// Bitrates are of the segments as they are on the wire, without HTTP: a segment has bitrate x duration / 8 bytes, exactly.
import { UserError } from "../../../base/errors.ts";

export interface VideoRate {
  readonly kbps: number;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
}

export interface VideoSpec {
  readonly name: string;
  readonly clip_s: number;
  readonly segment_s: number;
  /** By rising bitrate, as `audio_kbps`. */
  readonly video: readonly VideoRate[];
  readonly audio_kbps: readonly number[];
  /** Which are pinned; null: dash.js adapts. */
  readonly fixed: { readonly video_kbps: number; readonly audio_kbps: number } | null;
}

export const videoForm = "video-60s[-by-2s]-500k-1500k.640x360.25[-audio-96k][-fixed-1500k]";

const usual = { segment_s: 2, fps: 25, audio_kbps: 96 } as const;
const most = {
  clip_s: 600,
  representations: 20,
  kbps: 100_000,
  width: 1920,
  height: 1080,
  fps: 60,
  bytes: 2e9,
} as const;
const least = { width: 160, height: 90 } as const;
/** As the archive has it, for recordings' names. */
const longestName = 100;
/** An audio packet lasts 20 ms, and none is in two segments. */
const packets_per_s = 50;

/** The size that a representation has if its name gives none: the smallest with so much room. */
const usualSizes = [
  { upTo_kbps: 400, width: 320, height: 180 },
  { upTo_kbps: 1000, width: 480, height: 270 },
  { upTo_kbps: 3000, width: 640, height: 360 },
  { upTo_kbps: Number.POSITIVE_INFINITY, width: 1280, height: 720 },
];

export const isVideoName = (name: string): boolean => /^video(?:-|$)/.test(name);

const isWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-6;

/** How many segments a clip has. */
export const segmentsOf = ({ clip_s, segment_s }: Pick<VideoSpec, "clip_s" | "segment_s">): number =>
  Math.round(clip_s / segment_s);

export const segmentBytes = (kbps: number, segment_s: number): number => Math.round((kbps * 1000 * segment_s) / 8);

/** Reads a name's words one after the other. */
class Words {
  readonly #name: string;
  readonly #words: string[];

  constructor(name: string) {
    this.#name = name;
    this.#words = name.split("-").slice(1);
  }

  fail(why: string): UserError {
    return new UserError(`synth page ${this.#name}: ${why}; names are ${videoForm}`);
  }

  /** The next word, if it is of this form. */
  take(form: RegExp): RegExpExecArray | null {
    const found = form.exec(this.#words[0] ?? "");
    if (found) this.#words.shift();
    return found;
  }

  /** All following words of this form. */
  takeAll(form: RegExp): RegExpExecArray[] {
    const found: RegExpExecArray[] = [];
    for (let next = this.take(form); next; next = this.take(form)) found.push(next);
    return found;
  }

  get rest(): string | undefined {
    return this.#words[0];
  }
}

const seconds = /^(\d+(?:\.\d+)?)s$/;
const rate = /^(\d+)k$/;
const representation = /^(\d+)k(?:\.(\d+)x(\d+)(?:\.(\d+))?)?$/;

function videoRate([, kbpsText, widthText, heightText, fpsText]: readonly (string | undefined)[]): VideoRate {
  const kbps = Number(kbpsText);
  const fps = fpsText === undefined ? usual.fps : Number(fpsText);
  const size = usualSizes.find(({ upTo_kbps }) => kbps <= upTo_kbps);
  const width = widthText === undefined ? (size?.width ?? least.width) : Number(widthText);
  const height = heightText === undefined ? (size?.height ?? least.height) : Number(heightText);
  return { kbps, width, height, fps };
}

function checkRates(words: Words, rates: readonly number[], segment_s: number, what: string): void {
  if (new Set(rates).size < rates.length) throw words.fail(`two ${what} representations have the same bitrate`);
  if (rates.length > most.representations) throw words.fail(`at most ${most.representations} ${what} representations`);
  for (const kbps of rates) {
    if (kbps < 1 || kbps > most.kbps) throw words.fail(`bitrates are 1k to ${most.kbps}k, not ${kbps}k`);
    if (!isWhole((kbps * 1000 * segment_s) / 8))
      throw words.fail(`segments of ${segment_s} s at ${kbps} kbit/s are no whole number of bytes`);
  }
}

function checkPictures(words: Words, video: readonly VideoRate[], segment_s: number): void {
  for (const { width, height, fps } of video) {
    if (width < least.width || height < least.height || width > most.width || height > most.height)
      throw words.fail(`${width}x${height} is not from ${least.width}x${least.height} to ${most.width}x${most.height}`);
    if (width % 2 === 1 || height % 2 === 1) throw words.fail(`width and height are even, not ${width}x${height}`);
    if (fps < 1 || fps > most.fps) throw words.fail(`frames per second are 1 to ${most.fps}, not ${fps}`);
    if (!isWhole(fps * segment_s))
      throw words.fail(`segments of ${segment_s} s at ${fps} frames per second are no whole number of frames`);
    // The page knows by its size which representation a frame is of, and so the frame's number.
    const other = video.find((each) => each.width === width && each.height === height && each.fps !== fps);
    if (other)
      throw words.fail(
        `${width}x${height} has ${other.fps} and ${fps} frames per second: give one of the two representations another size`,
      );
  }
}

function checkLengths(words: Words, clip_s: number, segment_s: number): void {
  if (clip_s <= 0) throw words.fail("a clip of 0 s has nothing to play");
  if (clip_s > most.clip_s) throw words.fail(`clips last up to ${most.clip_s} s, not ${clip_s} s`);
  if (segment_s <= 0) throw words.fail("segments of 0 s hold nothing");
  if (segment_s > clip_s || !isWhole(clip_s / segment_s))
    throw words.fail(`${clip_s} s are no whole number of segments of ${segment_s} s`);
  if (!isWhole(segment_s * packets_per_s)) throw words.fail(`segments last a multiple of 20 ms, not ${segment_s} s`);
}

function fixedRates(words: Words, video: readonly VideoRate[], audio_kbps: readonly number[]): VideoSpec["fixed"] {
  const highestAudio = audio_kbps.at(-1) ?? usual.audio_kbps;
  if (!words.take(/^fixed$/)) {
    const [only] = video;
    return video.length === 1 && audio_kbps.length === 1 && only
      ? { video_kbps: only.kbps, audio_kbps: highestAudio }
      : null;
  }
  const pinned = words.takeAll(rate).map(([, kbps]) => Number(kbps));
  const [video_kbps, audioPinned = highestAudio] = pinned;
  if (video_kbps === undefined || pinned.length > 2)
    throw words.fail(
      "after fixed stands the bitrate of a video representation, then that of an audio one if there are several",
    );
  if (!video.some(({ kbps }) => kbps === video_kbps)) throw words.fail(`no video representation has ${video_kbps}k`);
  if (!audio_kbps.includes(audioPinned)) throw words.fail(`no audio representation has ${audioPinned}k`);
  return { video_kbps, audio_kbps: audioPinned };
}

/** What a name stands for. UserError for a name that is none. */
export function videoSpec(name: string): VideoSpec {
  const words = new Words(name);
  if (name.length > longestName) throw words.fail(`its name is longer than ${longestName} characters`);
  const clip = words.take(seconds);
  if (!clip) throw words.fail("the clip's length is missing");
  const clip_s = Number(clip[1]);
  let segment_s: number = usual.segment_s;
  if (words.take(/^by$/)) {
    const segment = words.take(seconds);
    if (!segment) throw words.fail("after by stands the length of a segment");
    segment_s = Number(segment[1]);
  } else if (clip_s > 0 && clip_s < segment_s) segment_s = clip_s;
  checkLengths(words, clip_s, segment_s);
  const video = words
    .takeAll(representation)
    .map(videoRate)
    .sort((a, b) => a.kbps - b.kbps);
  if (video.length === 0)
    throw words.fail(words.rest === undefined ? "no video representation" : `${words.rest} is no video representation`);
  const named = words.take(/^audio$/) ? words.takeAll(rate).map(([, kbps]) => Number(kbps)) : [usual.audio_kbps];
  if (named.length === 0) throw words.fail("after audio stands a bitrate");
  const audio_kbps = named.sort((a, b) => a - b);
  const videoRates = video.map(({ kbps }) => kbps);
  checkRates(words, videoRates, segment_s, "video");
  checkRates(words, audio_kbps, segment_s, "audio");
  checkPictures(words, video, segment_s);
  const fixed = fixedRates(words, video, audio_kbps);
  if (words.rest !== undefined) throw words.fail(`${words.rest || "an empty word"} is not understood`);
  const spec: VideoSpec = { name, clip_s, segment_s, video, audio_kbps, fixed };
  if (videoBytes(spec) > most.bytes) throw words.fail(`its segments have more than ${most.bytes / 1e9} GB`);
  return spec;
}

/** Of all segments of all representations. */
export function videoBytes({ clip_s, segment_s, video, audio_kbps }: VideoSpec): number {
  const each = [...video.map(({ kbps }) => kbps), ...audio_kbps].map((kbps) => segmentBytes(kbps, segment_s));
  return segmentsOf({ clip_s, segment_s }) * each.reduce((sum, size) => sum + size, 0);
}

/** With document, script, manifest and initialization segments. */
export function videoExchanges(spec: VideoSpec): number {
  return 3 + (spec.video.length + spec.audio_kbps.length) * (1 + segmentsOf(spec));
}
