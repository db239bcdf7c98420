// What a headless browser of our own is asked about clips, in an empty network: to encode pictures where ffmpeg does not, and sound
// (webcodecs.ts), and whether it plays H.264. Leaves nothing behind.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { RunError, UserError } from "../../../base/errors.ts";
import { oncePerFile } from "../../../base/once_per_file.ts";
import { chromiumPath, programPath } from "../../../base/programs.ts";
import { removedAtEnd } from "../../../base/removed_at_end.ts";
import { StartError, startBrowser } from "../../../browser/browser.ts";
import { chromiumEnvironment, disabledFeatures, sharedArguments } from "../../../browser/chromium.ts";
import { deviceArguments, usualDevice } from "../../../browser/device.ts";
import { NavigationError, watchPage } from "../../../browser/page.ts";
import { makeScratchFolder } from "../../../browser/scratch.ts";
import type { ClipPictures, ClipSound, PictureCodec } from "./clip.ts";
import { drawPattern } from "./pattern.ts";
import { avcEntry, opusEntry, opusRate, packetDuration, sampleDuration, type Track, vp9Entry } from "./track.ts";
import {
  type EncodedInPage,
  encodePictures,
  encodeSound,
  type InPage,
  type PictureJob,
  type SoundJob,
} from "./webcodecs.ts";

const startTimeout_ms = 30_000;
/** Of Opus encoders at 48 kHz, in samples. */
const preSkip = 312;

/** Evaluates in a page that may use WebCodecs: they are there for secure origins, and a file is one. */
async function inBrowser(expression: string): Promise<unknown> {
  const chromium = chromiumPath();
  const scratch = await makeScratchFolder();
  const keep = removedAtEnd(scratch.folder);
  try {
    const page = join(scratch.folder, "page.html");
    await writeFile(page, "<!doctype html><title>clip</title>");
    const browser = await startBrowser({
      commandLine: [
        programPath("trilane-guard"),
        "--new-network",
        "--",
        chromium,
        ...sharedArguments,
        ...deviceArguments(usualDevice),
        `--disable-features=${disabledFeatures.join(",")}`,
        `--user-data-dir=${scratch.profile}`,
        "about:blank",
      ],
      environment: chromiumEnvironment(scratch.profile, scratch.folder, process.env),
      timeout_ms: startTimeout_ms,
    });
    try {
      const watched = await watchPage(browser.connection);
      await watched.load(pathToFileURL(page).href);
      const ended = browser.exited.then((): never => {
        throw new NavigationError("the browser ended");
      });
      ended.catch(() => {});
      return await Promise.race([watched.evaluate(expression), watched.crashed, ended]);
    } finally {
      await browser.stop();
    }
  } catch (error) {
    if (error instanceof StartError || error instanceof NavigationError)
      throw new RunError(`the browser that encodes and plays clips: ${error.message}`);
    throw error;
  } finally {
    await scratch.remove();
    keep();
  }
}

/** UserError where the browser has no such codec; RunError where its encoder failed. */
export function encodedOf(result: InPage, samples: number): EncodedInPage {
  if ("missing" in result)
    throw new UserError(
      `this browser cannot encode and play ${result.missing.join(" or ")}: name another in TRILANE_BROWSER`,
    );
  if ("failed" in result) throw new RunError(`a clip could not be encoded in the browser: ${result.failed}`);
  const { encoded } = result;
  if (encoded.samples.length < samples)
    throw new RunError(`the browser encoded ${encoded.samples.length} samples of ${samples}: try again`);
  return encoded;
}

const bytesOf = (encoded: EncodedInPage, count: number) =>
  encoded.samples.slice(0, count).map(({ data, isKey }) => ({ bytes: Buffer.from(data, "base64"), isKey }));

// The levels' limits (H.264: macroblocks a frame and a second; VP9: luma samples).
const avcLevels = [
  { level: "1e", frame: 1620, second: 40_500 },
  { level: "1f", frame: 3600, second: 108_000 },
  { level: "28", frame: 8192, second: 245_760 },
  { level: "2a", frame: 8704, second: 522_240 },
];
const vp9Levels = [
  { level: 20, frame: 122_880, second: 4_608_000 },
  { level: 21, frame: 245_760, second: 9_216_000 },
  { level: 30, frame: 552_960, second: 20_736_000 },
  { level: 31, frame: 983_040, second: 36_864_000 },
  { level: 40, frame: 2_228_224, second: 83_558_400 },
  { level: 41, frame: 2_228_224, second: 160_432_128 },
];

/** As a media type names it: of H.264 the constrained baseline, which has no frames out of order. Null: no level has so large a picture. */
export function codecFor(
  { width, height, fps }: Pick<ClipPictures, "width" | "height" | "fps">,
  codec: PictureCodec,
): string | null {
  if (codec === "h264") {
    const blocks = Math.ceil(width / 16) * Math.ceil(height / 16);
    const avc = avcLevels.find(({ frame, second }) => blocks <= frame && blocks * fps <= second);
    return avc ? `avc1.42c0${avc.level}` : null;
  }
  const luma = width * height;
  const vp9 = vp9Levels.find(({ frame, second }) => luma <= frame && luma * fps <= second);
  return vp9 ? `vp09.00.${vp9.level}.08` : null;
}

const askH264 = oncePerFile(async () => {
  const type = JSON.stringify('video/mp4; codecs="avc1.42c01e"');
  return (await inBrowser(`MediaSource.isTypeSupported(${type})`)) === true;
});

/** Whether the browser plays H.264, which some are built without. Started to ask it, once. */
export const playsH264 = async (): Promise<boolean> => await askH264(chromiumPath());

/** Null: this browser does not encode and play such pictures. */
export async function picturesInBrowser(clip: ClipPictures, as: PictureCodec): Promise<Track | null> {
  const { width, height, fps, frames, keyEvery, bitrate_bps } = clip;
  const name = codecFor(clip, as);
  if (name === null) return null;
  const job: PictureJob = { codec: name, width, height, fps, frames, keyEvery, bitrate_bps };
  const result = (await inBrowser(`(${encodePictures})(${JSON.stringify(job)}, ${drawPattern})`)) as InPage;
  if ("missing" in result) return null;
  const encoded = encodedOf(result, frames);
  const { codec, description } = encoded;
  const isAvc = as === "h264";
  if (isAvc && description === null) throw new RunError("the browser's H.264 encoder does not describe its output");
  const entry = isAvc
    ? avcEntry(width, height, Buffer.from(description ?? "", "base64"))
    : vp9Entry(width, height, codec);
  return {
    kind: "video",
    codec,
    entry,
    timescale: fps * sampleDuration,
    sampleDuration,
    width,
    height,
    samples: bytesOf(encoded, frames),
  };
}

export async function soundInBrowser({ packets, bitrate_bps }: ClipSound): Promise<Track> {
  const job: SoundJob = { packets, bitrate_bps };
  const encoded = encodedOf((await inBrowser(`(${encodeSound})(${JSON.stringify(job)})`)) as InPage, packets);
  return {
    kind: "audio",
    codec: encoded.codec,
    entry: opusEntry(preSkip),
    timescale: opusRate,
    sampleDuration: packetDuration,
    width: 0,
    height: 0,
    samples: bytesOf(encoded, packets),
  };
}
