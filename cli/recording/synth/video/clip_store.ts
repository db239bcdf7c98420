// Encoded clips in the data folder's `clips`, each made once: fragmented MP4 that any player shows. A file that is not whole, or
// not what its name says, is made anew.
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTempSibling } from "../../../base/create_temp_sibling.ts";
import { RunError } from "../../../base/errors.ts";
import { makeFolder } from "../../../base/make_folder.ts";
import { say } from "../../../base/terminal_text.ts";
import { encodePictures, encodeSound, picturesFor, picturesName, soundFor, soundName } from "./encode.ts";
import { BoxError, type Clip, readClip } from "./fragments.ts";
import { segmentsOf, type VideoRate, type VideoSpec } from "./video_spec.ts";

/** Goes up when the same clip is encoded otherwise than before. */
const generation = 2;

async function stored(path: string, count: number, samples: number): Promise<Clip | null> {
  try {
    return readClip(await readFile(path), count, samples);
  } catch (error) {
    // RangeError: a box ends in the midst of a field.
    if (error instanceof BoxError || error instanceof RangeError) return null;
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

async function store(path: string, file: Buffer): Promise<void> {
  const { aside, keep } = createTempSibling(path);
  try {
    await writeFile(aside, file);
    await rename(aside, path);
  } finally {
    await rm(aside, { force: true });
    keep();
  }
}

/** Clips of one data folder. */
export class ClipStore {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, "clips");
  }

  pictures(spec: VideoSpec, rate: VideoRate): Promise<Clip> {
    const clip = picturesFor(spec, rate);
    return this.#clip(picturesName(spec, rate), segmentsOf(spec), clip.frames, () => encodePictures(clip));
  }

  sound(spec: VideoSpec): Promise<Clip> {
    const clip = soundFor(spec);
    return this.#clip(soundName(spec), segmentsOf(spec), clip.packets, () => encodeSound(clip));
  }

  async #clip(name: string, count: number, samples: number, encode: () => Promise<Buffer>): Promise<Clip> {
    const path = join(this.#folder, `${name}-${generation}.mp4`);
    const found = await stored(path, count, samples);
    if (found) return found;
    say(`encoding ${name} ...`);
    const file = await encode();
    let clip: Clip;
    try {
      clip = readClip(file, count, samples);
    } catch (error) {
      throw error instanceof BoxError ? new RunError(`ffmpeg wrote an MP4 of another form: ${error.message}`) : error;
    }
    makeFolder(this.#folder);
    await store(path, file);
    return clip;
  }
}
