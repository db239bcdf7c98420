// Clips encoded by ffmpeg, and the error if it is missing or fails. They are played in test/e2e/video_page.test.ts.
import assert from "node:assert/strict";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { RunError, UserError } from "../../../../../cli/base/errors.ts";
import { notInstalled } from "../../../../../cli/install/requirements.ts";
import { picturesFor, soundFor } from "../../../../../cli/recording/synth/video/clip.ts";
import { encodePictures, encodeSound } from "../../../../../cli/recording/synth/video/encode.ts";
import { readSegments, segmentsOfTrack, trackOf } from "../../../../../cli/recording/synth/video/fragments.ts";
import { videoSpec } from "../../../../../cli/recording/synth/video/video_spec.ts";
import { tempFolder } from "../../../../temp_folder.ts";

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
      (error) => error instanceof UserError && !error.message.includes("\n") && new RegExp(message).test(error.message),
    );
  });

for (const [what, script, reason] of [
  ["that fails", "echo one >&2; echo no such encoder >&2; exit 1", /no such encoder$/],
  ["that fails without a word", "exit 3", /exit status 3$/],
  ["that writes nothing", "exit 0", /another form: not 2 segments/],
  ["that writes no MP4", "echo hello, here is no box", /another form: /],
] as const)
  test(`an ffmpeg ${what} is one line`, async () => {
    await assert.rejects(
      withFfmpeg(script, () => encodePictures(pictures)),
      (error) => error instanceof RunError && reason.test(error.message) && !error.message.includes("\n"),
    );
  });

test("ffmpeg's clip has each frame once, a key frame at each segment, and the same bytes again", async (t) => {
  const missing = notInstalled(["ffmpeg"]);
  if (missing !== null) return t.skip(missing);
  const track = await encodePictures(pictures);
  assert.equal(track.samples.length, 50);
  assert.deepEqual(
    track.samples.flatMap(({ isKey }, place) => (isKey ? [place] : [])),
    [0, 25],
  );
  assert.match(track.codec, /^avc1\.42/);
  assert.deepEqual([track.width, track.height, track.timescale / track.sampleDuration], [320, 180, 25]);
  const { initialization, media } = segmentsOfTrack(track, 2);
  const again = trackOf(readSegments(Buffer.concat([initialization, ...media]), 2));
  assert.deepEqual(again, track);
  assert.deepEqual(await encodePictures(pictures), track);
});

test("ffmpeg's sound has 50 packets a second, of one size, and the same bytes again", async (t) => {
  const missing = notInstalled(["ffmpeg"]);
  if (missing !== null) return t.skip(missing);
  const track = await encodeSound(soundFor(spec));
  assert.deepEqual([track.kind, track.codec, track.timescale, track.sampleDuration], ["audio", "opus", 48_000, 960]);
  assert.equal(track.samples.length, 100);
  assert.ok(track.samples.every(({ isKey, bytes }) => isKey && bytes.length === 40));
  const { initialization, media } = segmentsOfTrack(track, 2);
  assert.deepEqual(trackOf(readSegments(Buffer.concat([initialization, ...media]), 2)), track);
  assert.deepEqual(await encodeSound(soundFor(spec)), track);
});
