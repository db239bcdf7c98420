// Clips encoded by ffmpeg, and the error if it is missing or fails. They are played in test/e2e/video_page.test.ts.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { RunError } from "../../../../../cli/base/errors.ts";
import { notInstalled } from "../../../../../cli/install/requirements.ts";
import { ClipStore } from "../../../../../cli/recording/synth/video/clip_store.ts";
import { encodePictures, encodeSound, picturesFor, soundFor } from "../../../../../cli/recording/synth/video/encode.ts";
import { readClip } from "../../../../../cli/recording/synth/video/fragments.ts";
import { videoSpec } from "../../../../../cli/recording/synth/video/video_spec.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { refusedIn } from "../../../refused.ts";

const folder = tempFolder("trilane-encode-");
const spec = videoSpec("video-2s-by-1s-300k");
const pictures = picturesFor(spec, spec.video[0] ?? assert.fail());

/** With an ffmpeg that is this script, or none, as the only program. */
async function withFfmpeg<T>(script: string | null, run: () => Promise<T>): Promise<T> {
  const path = join(folder, "ffmpeg");
  rmSync(path, { force: true });
  if (script !== null) {
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }
  const before = process.env.PATH;
  process.env.PATH = folder;
  try {
    return await run();
  } finally {
    process.env.PATH = before;
  }
}

for (const [what, script, message] of [
  ["no ffmpeg", null, "video pages are encoded by ffmpeg: apt install ffmpeg"],
  [
    "an old ffmpeg without H.264",
    "echo \"Unknown encoder 'libx264'\" >&2; exit 1",
    /without libx264: apt install ffmpeg/,
  ],
  [
    "an ffmpeg without H.264",
    "echo \"[vost#0:0 @ 0x1] Unknown encoder 'libx264'\" >&2; echo 'Error opening output files' >&2; exit 8",
    /without libx264: apt install ffmpeg/,
  ],
] as const)
  test(`${what} is one line with the remedy`, async () => {
    await assert.rejects(
      withFfmpeg(script, () => encodePictures(pictures)),
      refusedIn(new RegExp(message)),
    );
  });

for (const [what, script, reason] of [
  ["that fails", "echo one >&2; echo no such encoder >&2; exit 1", /no such encoder$/],
  ["that fails without a word", "exit 3", /exit status 3$/],
] as const)
  test(`an ffmpeg ${what} is one line`, async () => {
    await assert.rejects(
      withFfmpeg(script, () => encodePictures(pictures)),
      (error) => error instanceof RunError && reason.test(error.message) && !error.message.includes("\n"),
    );
  });

/** What of a clip's file a page is made of. */
const read = (file: Buffer, samples: number) => readClip(file, 2, samples);

for (const [what, samples, codec, encode] of [
  ["pictures", 50, /^avc1\.42/, () => encodePictures(pictures)],
  ["sound", 100, /^opus$/, () => encodeSound(soundFor(spec))],
] as const)
  test(`ffmpeg's ${what}: a fragment for each segment, with the same samples each, and the same bytes again`, async (t) => {
    const missing = notInstalled(["ffmpeg"]);
    if (missing !== null) return t.skip(missing);
    const file = await encode();
    const { codec: found, media } = read(file, samples);
    assert.match(found, codec);
    assert.equal(media.length, 2);
    assert.throws(() => read(file, samples + 2), /segment 1 has \d+ samples of/);
    assert.ok(file.equals(await encode()));
  });

for (const [what, script, reason] of [
  ["nothing", "exit 0", /another form: not 2 segments/],
  ["no MP4", "echo hello, here is no box", /another form: /],
] as const)
  test(`an ffmpeg that writes ${what} is one line, and leaves no clip`, async () => {
    const home = mkdtempSync(join(folder, "home-"));
    const store = new ClipStore(home);
    const encode = () => withFfmpeg(script, () => store.pictures(spec, spec.video[0] ?? assert.fail()));
    await assert.rejects(encode, (error) => error instanceof RunError && reason.test(error.message));
    assert.deepEqual(readdirSync(home), []);
  });
