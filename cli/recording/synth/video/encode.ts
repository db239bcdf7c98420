// Encodes a clip with ffmpeg: pictures, which it reads from its standard input as they are drawn here, as H.264, and sound as Opus. It
// writes fragmented MP4, a fragment for each segment. Leaves nothing behind.

import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { RunError, UserError } from "../../../base/errors.ts";
import type { VideoRate, VideoSpec } from "./video_spec.ts";

// The picture of a clip's frame: its number as digits and, for programs, as a row of black and white cells; colour bars. Pure.
//
// From above: an eighth of the height is the row of cells (a white and a black one to compare with, the number's 20 bits, highest first,
// and their parity), the middle is grey with the digits (and, smaller, the picture's
// height in pixels), the last three eighths are the colour bars. All edges are at even pixels, so that colours
// do not bleed, and nearly all is the same in the next frame, so that encoding and decoding cost little.

/** Planes of Y, U and V in turn, U and V at half the size in both directions (I420), in BT.709's limited range. */
type Planes = Uint8Array;

export const planesSize = (width: number, height: number): number => (width * height * 3) / 2;

/** Draws frame `number` over all of `planes`. */
export function drawPattern(planes: Planes, width: number, height: number, number: number): void {
  const luma = width * height;
  const even = (value: number): number => 2 * Math.round(value / 2);
  const rectangle = (left: number, top: number, right: number, bottom: number, yuv: readonly number[]): void => {
    const [y = 16, u = 128, v = 128] = yuv;
    for (let row = top; row < bottom; row++) planes.fill(y, row * width + left, row * width + right);
    for (let row = top / 2; row < bottom / 2; row++) {
      const start = luma + (row * width) / 2;
      planes.fill(u, start + left / 2, start + right / 2);
      planes.fill(v, start + luma / 4 + left / 2, start + luma / 4 + right / 2);
    }
  };
  const black = [16, 128, 128];
  const white = [235, 128, 128];
  const grey = [60, 128, 128];
  const codeBottom = even(height / 8);
  const barsTop = even((height * 5) / 8);
  rectangle(0, codeBottom, width, barsTop, grey);

  // SMPTE's bars at 75 %, white to blue.
  const bars = [
    [180, 128, 128],
    [168, 44, 136],
    [145, 147, 44],
    [134, 63, 52],
    [63, 193, 204],
    [51, 109, 212],
    [28, 212, 120],
  ];
  for (const [place, colour] of bars.entries()) {
    const [left, right] = [even((width * place) / bars.length), even((width * (place + 1)) / bars.length)];
    rectangle(left, barsTop, right, height, colour);
  }

  const cells = 24;
  const bits = 20;
  let ones = 0;
  for (let cell = 0; cell < cells; cell++) {
    const bit = cell >= 2 && cell < 2 + bits ? Math.floor(number / 2 ** (bits + 1 - cell)) % 2 : 0;
    ones += bit;
    const isWhite = cell === 0 || bit === 1 || (cell === 2 + bits && ones % 2 === 1);
    rectangle(even((width * cell) / cells), 0, even((width * (cell + 1)) / cells), codeBottom, isWhite ? white : black);
  }

  // Each digit in 3 x 5 squares, a bit each, from above left.
  const digits = [31599, 11415, 29671, 29647, 23497, 31183, 31215, 29257, 31727, 31695];
  const write = (text: string, left: number, top: number, square: number): void => {
    for (const [place, digit] of [...text].entries())
      for (let at = 0; at < 15; at++) {
        if (((digits[Number(digit)] ?? 0) & (1 << (14 - at))) === 0) continue;
        const x = left + square * (4 * place + (at % 3));
        const y = top + square * Math.floor(at / 3);
        rectangle(x, y, x + square, y + square, white);
      }
  };
  const square = 2 * Math.floor(Math.min(height / 24, width / 64));
  const small = 2 * Math.floor(square / 8);
  const top = even((codeBottom + barsTop - 5 * square) / 2);
  write(String(number).padStart(6, "0").slice(-6), square, top, square);
  if (small > 0) write(String(height), even(width - 16 * small - square), top, small);
}

// Which pictures and which sound a video page needs encoded: once for all representations of one size and one number of
// frames per second. clip_store.ts keeps what was encoded.

interface ClipPictures {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frames: number;
  /** A key frame each so many frames. */
  readonly keyEvery: number;
}

interface ClipSound {
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

/** Distinguishes clips, also as a file's name. */
export const picturesName = (spec: VideoSpec, { width, height, fps }: VideoRate): string =>
  `pictures-${width}x${height}-${fps}fps-${spec.clip_s}s-by-${spec.segment_s}s-h264`;
export const soundName = ({ clip_s, segment_s }: VideoSpec): string => `sound-${clip_s}s-by-${segment_s}s`;

function* drawn({ width, height, frames }: ClipPictures): Generator<Uint8Array> {
  for (let number = 0; number < frames; number++) {
    // A new one each time: the pipe holds on to those that are not written yet.
    const planes = new Uint8Array(planesSize(width, height));
    drawPattern(planes, width, height, number);
    yield planes;
  }
}

const opusRate = 48_000;
const packet_ms = 20;

const fragmented = "+empty_moov+default_base_moof+skip_trailer";

/** One thread and no versions in the file: the same pictures give the same bytes again. */
function pictureWords({ width, height, fps, keyEvery }: ClipPictures): string {
  const input = `-f rawvideo -pix_fmt yuv420p -s ${width}x${height} -r ${fps} -i pipe:0`;
  const colour = "-color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709";
  // No frames out of order: each is presented as it is decoded.
  const codec = `-c:v libx264 -profile:v baseline -preset medium -crf 26 -bf 0 -g ${keyEvery} -keyint_min ${keyEvery} -sc_threshold 0`;
  const output = `-threads 1 -fflags +bitexact -flags:v +bitexact -video_track_timescale ${fps * 512}`;
  return `${input} ${colour} ${codec} ${output} -movflags ${fragmented}+frag_keyframe`;
}

/** What libopus puts before the first sample. */
const preSkip = 312;

/** A quiet tone of 440 Hz that beeps an octave higher at the beginning of each second, in stereo. */
function soundWords({ packets, packetsEach, bitrate_bps }: ClipSound): string {
  const tone = "0.1*sin(2*PI*(440+440*lt(mod(t\\,1)\\,0.1))*t)";
  const input = `-f lavfi -i aevalsrc=${tone}|${tone}:s=${opusRate},atrim=end_sample=${(packets * packet_ms * opusRate) / 1000 - preSkip}`;
  const codec = `-c:a libopus -b:a ${bitrate_bps} -vbr off -frame_duration ${packet_ms}`;
  const output = "-fflags +bitexact -flags:a +bitexact -avoid_negative_ts make_zero";
  const segments = `-frag_duration ${packetsEach * packet_ms * 1000}`;
  return `${input} ${codec} ${output} ${segments} -movflags ${fragmented}`;
}

async function encoded(words: string, frames: Iterable<Uint8Array>): Promise<Buffer> {
  const child = spawn("ffmpeg", `-hide_banner -nostdin -loglevel error ${words} -f mp4 pipe:1`.split(" "));
  const onExit = () => child.kill("SIGKILL");
  process.once("exit", onExit);
  try {
    const ended = new Promise<{ failed: NodeJS.ErrnoException } | { status: number | null }>((resolve) => {
      child.once("error", (failed) => resolve({ failed }));
      child.once("close", (status) => resolve({ status }));
    });
    const [file, printed, end] = await Promise.all([
      buffer(child.stdout),
      buffer(child.stderr),
      ended,
      // If it ends early its own words say why.
      pipeline(Readable.from(frames), child.stdin).catch(() => {}),
    ]);
    if ("failed" in end) {
      if (end.failed.code === "ENOENT") throw new UserError("video pages are encoded by ffmpeg: apt install ffmpeg");
      throw new RunError(`ffmpeg did not start: ${end.failed.message}`);
    }
    const lines = printed.toString().trim();
    const [, encoder] = /Unknown encoder '(\w+)'/i.exec(lines) ?? [];
    if (encoder) throw new UserError(`this ffmpeg was built without ${encoder}: apt install ffmpeg has it`);
    const line = lines.split("\n").at(-1);
    if (end.status !== 0) throw new RunError(`ffmpeg could not encode a clip: ${line || `exit status ${end.status}`}`);
    return file;
  } finally {
    process.off("exit", onExit);
    child.kill("SIGKILL");
  }
}

/** @throws UserError if ffmpeg is missing, or the encoder in it */
export const encodePictures = (clip: ClipPictures): Promise<Buffer> => encoded(pictureWords(clip), drawn(clip));

/** @throws UserError if ffmpeg is missing, or the encoder in it */
export const encodeSound = (clip: ClipSound): Promise<Buffer> => encoded(soundWords(clip), []);
