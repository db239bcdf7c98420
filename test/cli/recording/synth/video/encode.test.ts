// Who encodes clips: ffmpeg where it is installed, and what is said where it or the browser cannot. What browsers encode is
// played in test/e2e/video_page.test.ts.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { RunError, UserError } from "../../../../../cli/base/errors.ts";
import { notInstalled } from "../../../../../cli/install/requirements.ts";
import { pictureCodecs, picturesFor, soundFor } from "../../../../../cli/recording/synth/video/clip.ts";
import { codecFor, encodedOf } from "../../../../../cli/recording/synth/video/encode_browser.ts";
import { picturesByFfmpeg } from "../../../../../cli/recording/synth/video/encode_ffmpeg.ts";
import { readSegments, segmentsOfTrack, trackOf } from "../../../../../cli/recording/synth/video/fragments.ts";
import { videoSpec } from "../../../../../cli/recording/synth/video/video_spec.ts";
import { encodePictures, encodeSound } from "../../../../../cli/recording/synth/video/webcodecs.ts";

const folder = mkdtempSync(join(tmpdir(), "trilane-encode-"));
after(() => rmSync(folder, { recursive: true, force: true }));
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

test("without ffmpeg, or with one that was built without H.264, nothing is encoded by it", async () => {
  assert.equal(await withFfmpeg(null, () => picturesByFfmpeg(pictures)), null);
  const old = "echo \"Unknown encoder 'libx264'\" >&2; exit 1";
  const later =
    "echo \"[vost#0:0 @ 0x1] Unknown encoder 'libx264'\" >&2; echo 'Error opening output files: Encoder not found' >&2; exit 8";
  for (const script of [old, later])
    assert.equal(await withFfmpeg(script, () => picturesByFfmpeg(pictures)), null, script);
});

for (const [what, script, reason] of [
  ["that fails", "echo one >&2; echo no such encoder >&2; exit 1", /no such encoder$/],
  ["that fails without a word", "exit 3", /exit status 3$/],
  ["that writes nothing", "exit 0", /another form: not 2 segments/],
  ["that writes no MP4", "echo hello, here is no box", /another form: /],
] as const)
  test(`an ffmpeg ${what} is one line`, async () => {
    await assert.rejects(
      withFfmpeg(script, () => picturesByFfmpeg(pictures)),
      (error) => error instanceof RunError && reason.test(error.message) && !error.message.includes("\n"),
    );
  });

test("ffmpeg's clip has each frame once, a key frame at each segment, and the same bytes again", async (t) => {
  const missing = notInstalled(["ffmpeg"]);
  if (missing !== null) return t.skip(missing);
  const track = (await picturesByFfmpeg(pictures)) ?? assert.fail();
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
  assert.deepEqual(await picturesByFfmpeg(pictures), track);
});

test("codecs' levels hold the size and the rate of frames", () => {
  const both = (size: Parameters<typeof codecFor>[0]) => pictureCodecs.map((codec) => codecFor(size, codec));
  assert.deepEqual(both({ width: 640, height: 360, fps: 25 }), ["avc1.42c01e", "vp09.00.21.08"]);
  assert.deepEqual(both({ width: 1280, height: 720, fps: 30 }), ["avc1.42c01f", "vp09.00.31.08"]);
  assert.deepEqual(both({ width: 1920, height: 1080, fps: 60 }), ["avc1.42c02a", "vp09.00.41.08"]);
  assert.deepEqual(both({ width: 7680, height: 4320, fps: 60 }), [null, null]);
});

test("a browser without encoders says which is missing; without sound's that is one line with the remedy", async () => {
  // Node has none of WebCodecs.
  const job = { ...pictures, codec: "avc1.42c01e" };
  assert.deepEqual(await encodePictures(job, () => assert.fail("nothing is drawn")), { missing: ["avc1.42c01e"] });
  const sound = await encodeSound(soundFor(spec));
  assert.throws(
    () => encodedOf(sound, 100),
    (error) =>
      error instanceof UserError &&
      error.message === "this browser cannot encode and play opus: name another in TRILANE_BROWSER",
  );
  assert.throws(() => encodedOf({ failed: "out of memory" }, 1), RunError);
  const encoded = { codec: "opus", description: null, samples: [] };
  assert.throws(() => encodedOf({ encoded }, 1), /0 samples of 1/);
});
