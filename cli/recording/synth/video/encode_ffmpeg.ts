// Encodes a clip's pictures with ffmpeg, where that is installed with libx264, as H.264: it reads what is drawn here from its standard input
// and writes fragmented MP4, which is read back strictly. Leaves nothing behind. Sound is the browser's (encode_browser.ts).
import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { RunError } from "../../../base/errors.ts";
import { BoxError } from "./boxes.ts";
import type { ClipPictures } from "./clip.ts";
import { readSegments, trackOf } from "./fragments.ts";
import { drawPattern, planesSize } from "./pattern.ts";
import { sampleDuration, type Track } from "./track.ts";

function* drawn({ width, height, frames }: ClipPictures): Generator<Uint8Array> {
  for (let number = 0; number < frames; number++) {
    // A new one each time: the pipe holds on to those that are not written yet.
    const planes = new Uint8Array(planesSize(width, height));
    drawPattern(planes, width, height, number);
    yield planes;
  }
}

/** One thread and no versions in the file: the same pictures give the same bytes again. */
function wordsFor({ width, height, fps, keyEvery }: ClipPictures): string[] {
  const input = `-f rawvideo -pix_fmt yuv420p -s ${width}x${height} -r ${fps} -i pipe:0`;
  const colour = "-color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709";
  // No frames out of order: each is presented as it is decoded.
  const codec = `-c:v libx264 -profile:v baseline -preset medium -crf 26 -bf 0 -g ${keyEvery} -keyint_min ${keyEvery} -sc_threshold 0`;
  const output = `-threads 1 -fflags +bitexact -flags:v +bitexact -video_track_timescale ${fps * sampleDuration}`;
  const fragments = "-f mp4 -movflags +frag_keyframe+empty_moov+default_base_moof+skip_trailer pipe:1";
  return `-hide_banner -nostdin -loglevel error ${input} ${colour} ${codec} ${output} ${fragments}`.split(" ");
}

/** null: no ffmpeg is installed, or none that encodes H.264. */
export async function picturesByFfmpeg(clip: ClipPictures): Promise<Track | null> {
  const child = spawn("ffmpeg", wordsFor(clip), { stdio: "pipe" });
  const onExit = () => child.kill("SIGKILL");
  process.once("exit", onExit);
  try {
    const ended = new Promise<{ failed: NodeJS.ErrnoException } | { status: number | null }>((resolve) => {
      child.once("error", (failed) => resolve({ failed }));
      child.once("close", (status) => resolve({ status }));
    });
    const [file, said, end] = await Promise.all([
      buffer(child.stdout),
      buffer(child.stderr),
      ended,
      // Where it ends early its own words say why.
      pipeline(Readable.from(drawn(clip)), child.stdin).catch(() => {}),
    ]);
    if ("failed" in end) {
      if (end.failed.code === "ENOENT") return null;
      throw new RunError(`ffmpeg did not start: ${end.failed.message}`);
    }
    const words = said.toString().trim();
    if (end.status !== 0 && /Unknown encoder/i.test(words)) return null;
    const line = words.split("\n").at(-1);
    if (end.status !== 0) throw new RunError(`ffmpeg could not encode a clip: ${line || `exit status ${end.status}`}`);
    return trackOf(readSegments(file, clip.frames / clip.keyEvery));
  } catch (error) {
    if (error instanceof BoxError) throw new RunError(`ffmpeg wrote an MP4 of another form: ${error.message}`);
    throw error;
  } finally {
    process.off("exit", onExit);
    child.kill("SIGKILL");
  }
}
