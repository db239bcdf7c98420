// Encodes a clip with ffmpeg: pictures, which it reads from its standard input as they are drawn here, as H.264, and sound as Opus. It
// writes fragmented MP4, a fragment for each segment. Leaves nothing behind.
import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { RunError, UserError } from "../../../base/errors.ts";
import type { ClipPictures, ClipSound } from "./clip.ts";
import { drawPattern, planesSize } from "./pattern.ts";

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
