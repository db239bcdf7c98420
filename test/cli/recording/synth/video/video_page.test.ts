// A video page's exchanges: exact sizes of all segments, servers, manifest and settings that agree, and bitrates that the clip
// does not fit into.
import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../../../../../cli/base/errors.ts";
import type { NewExchange } from "../../../../../cli/recording/archive/archive.ts";
import { box, type Clip, readBoxes } from "../../../../../cli/recording/synth/video/fragments.ts";
import {
  type Clips,
  isCurrentVideo,
  videoNotes,
  videoPage,
} from "../../../../../cli/recording/synth/video/video_page.ts";
import { segmentsOf, type VideoSpec, videoSpec } from "../../../../../cli/recording/synth/video/video_spec.ts";
import { schemaErrors } from "../../../../schemas/schema_errors.ts";

/** Clips of frames of 100 bytes and packets of 40, which nothing decodes here. */
const clip = (codec: string, segments: number, bytes: number): Clip => ({
  codec,
  initialization: box("moov"),
  media: Array.from({ length: segments }, () => Buffer.concat([box("moof"), box("mdat", Buffer.alloc(bytes, 1))])),
});
const clips: Clips = {
  pictures: async (spec: VideoSpec, { fps }) => clip("avc1.42c01e", segmentsOf(spec), 108 * fps * spec.segment_s),
  sound: async (spec: VideoSpec) => clip("opus", segmentsOf(spec), 48 * 50 * spec.segment_s),
};

const pageOf = (name: string) => videoPage(videoSpec(name), clips);
const bodyOf = (exchanges: readonly NewExchange[], path: string): Buffer =>
  Buffer.from(exchanges.find(({ exchange }) => exchange.path === path)?.body ?? []);

test("every segment of every representation is there, with bitrate x duration / 8 bytes", async () => {
  const exchanges = [...(await pageOf("video-4s-by-0.4s-203k.160x90.20-1500k-audio-50k-96k")).exchanges()];
  for (const [id, size, server] of [
    ["v1", 10_150, "video"],
    ["v2", 75_000, "video"],
    ["a1", 2500, "audio"],
    ["a2", 4800, "audio"],
  ] as const)
    for (let number = 1; number <= 10; number++) {
      const [found, another] = exchanges.filter(({ exchange }) => exchange.path === `/${id}/${number}.m4s`);
      assert.ok(found && !another);
      assert.equal(found.body?.length, size);
      assert.equal(found.exchange.host, `${server}.clip.synth.test`);
      assert.equal(readBoxes(Buffer.from(found.body)).length, 4);
    }
  assert.equal(exchanges.length, 3 + 4 * 11);
  assert.equal(new Set(exchanges.map(({ exchange }) => exchange.address)).size, 3);
});

test("the manifest names what the recording has, and settings say the same", async () => {
  const { settings, exchanges } = await pageOf("video-6s-by-2s-500k-1500k.1280x720.50-fixed-1500k");
  const manifest = bodyOf([...exchanges()], "/manifest.mpd").toString();
  const attribute = (name: string) =>
    [...manifest.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value]) => value);
  assert.deepEqual(attribute("bandwidth"), ["500000", "1500000", "96000"]);
  assert.deepEqual(attribute("mediaPresentationDuration"), ["PT6S"]);
  assert.deepEqual(attribute("duration"), ["2000", "2000"]);
  assert.deepEqual(attribute("frameRate"), ["25", "50"]);
  assert.deepEqual(settings.fixed, { video: "v2", audio: "a1" });
  assert.deepEqual(
    settings.video.map(({ id, segment_bytes, width, fps }) => [id, segment_bytes, width, fps]),
    [
      ["v1", 125_000, 480, 25],
      ["v2", 375_000, 1280, 50],
    ],
  );
  const record = { schema: "trilane/video-events/1", settings, events: [] };
  assert.equal(schemaErrors("video-events", record), null);
});

test("the same name gives the same bytes", async () => {
  const [one, two] = await Promise.all([pageOf("video-4s-500k"), pageOf("video-4s-500k")]);
  assert.deepEqual([...one.exchanges()], [...two.exchanges()]);
});

test("a bitrate that the clip does not fit into is refused in one line, with the least that it takes", async () => {
  // 50 frames of 100 bytes, and boxes: more than 20 kbit/s in 2 s.
  for (const [name, kind] of [
    ["video-4s-20k", "video"],
    ["video-4s-500k-audio-16k", "audio"],
  ] as const)
    await assert.rejects(pageOf(name), (error) => {
      assert.ok(error instanceof UserError && !error.message.includes("\n"));
      const least = Number(
        new RegExp(`too little for its ${kind}: as encoded it takes (\\d+)k`).exec(error.message)?.[1],
      );
      assert.ok(least > 16 && least < 40, error.message);
      return true;
    });
});

test("a recording is made anew for another player or generation, whatever codec an earlier version chose", async () => {
  const notes = videoNotes(await pageOf("video-2s-300k-1500k"));
  assert.equal(notes.codec, "h264");
  assert.equal(isCurrentVideo(notes), true);
  assert.equal(isCurrentVideo({ ...notes, codec: "vp9" }), true);
  assert.equal(isCurrentVideo({ ...notes, player: "dash.js 1.0.0" }), false);
  assert.equal(isCurrentVideo({ generation: 1 }), false);
});
